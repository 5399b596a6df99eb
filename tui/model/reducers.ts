import { STATUS_ROOM } from "../bars/reducer.js";
import { BOARD_ROOM } from "../board/reducer.js";
import { CHAT_ROOM } from "../chat/reducer.js";
import { QUEUE_ROOM } from "../composer/reducer.js";
import { GRAMMAR_ROOM } from "../grammar/reducer.js";
import { INLINE_ROOM } from "../inline/reducer.js";
import { KEYMAP_ROOM } from "../keymap/reducer.js";
import { LOGS_ROOM } from "../logs/reducer.js";
import { OVERLAY_ROOMS } from "../overlays/rooms.js";
import { QUESTIONS_ROOM } from "../questions/reducer.js";
import { RUNS_ROOM } from "../runs/reducer.js";
import { START_ROOM } from "../start/reducer.js";
import { TERMINAL_ROOM } from "../terminal/terminal-reducer.js";
import { SESSION_ROOM } from "./session-reducer.js";
import type { Room } from "./state.js";

/** Who looks after a part of the state. Every message goes through all of them, in this order. */
export const ROOMS: readonly Room[] = [
  TERMINAL_ROOM,
  SESSION_ROOM,
  CHAT_ROOM,
  QUESTIONS_ROOM,
  STATUS_ROOM,
  QUEUE_ROOM,
  BOARD_ROOM,
  LOGS_ROOM,
  RUNS_ROOM,
  ...OVERLAY_ROOMS,
  KEYMAP_ROOM,
  START_ROOM,
  GRAMMAR_ROOM,
  INLINE_ROOM,
];
