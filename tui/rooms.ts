import { STATUS_ROOM } from "./bars/room.js";
import { BOARD_ROOM } from "./board/room.js";
import { CHAT_ROOM } from "./chat/room.js";
import { QUEUE_ROOM } from "./composer/room.js";
import { GRAMMAR_ROOM } from "./grammar/room.js";
import { INLINE_ROOM } from "./inline/room.js";
import { KEYMAP_ROOM } from "./keymap/room.js";
import { LOGS_ROOM } from "./logs/room.js";
import { OVERLAY_ROOMS } from "./overlays/rooms.js";
import { QUESTIONS_ROOM } from "./questions/room.js";
import { RUNS_ROOM } from "./runs/room.js";
import { SESSION_ROOM } from "./session-room.js";
import { START_ROOM } from "./start/room.js";
import type { Room } from "./state.js";
import { TERMINAL_ROOM } from "./terminal-room.js";

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
