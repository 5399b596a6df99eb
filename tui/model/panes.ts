import { BOARD_PANE } from "../board/pane.js";
import { CHAT_PANE } from "../chat/pane.js";
import { LOGS_PANE } from "../logs/pane.js";
import { RUNS_PANE } from "../runs/pane.js";
import type { PaneKind } from "./pane.js";
import type { Pane } from "./state.js";

/** How each pane is drawn and moved in. */
export const PANE_KINDS: Readonly<Record<Pane, PaneKind>> = {
  chat: CHAT_PANE,
  board: BOARD_PANE,
  runs: RUNS_PANE,
  logs: LOGS_PANE,
};
