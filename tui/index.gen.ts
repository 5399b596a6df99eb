// Written by `make index`. Do not edit.
import chat from "./chat/pane.js";
import board from "./board/pane.js";
import runs from "./runs/pane.js";
import logs from "./logs/pane.js";
import type { PaneDefinition } from "./model/define-pane.js";
import type { Pane, PaneStates } from "./model/panes.gen.js";
import type { Start } from "./model/state.js";

/** Every pane by its id. */
export const PANE_DEFINITIONS: Readonly<Record<Pane, PaneDefinition>> = {
  chat,
  board,
  runs,
  logs,
};

/** The slices of all panes as a screen begins. */
export const initialPanes = (start: Start): PaneStates => ({
  chat: chat.initial(start),
  board: board.initial(start),
  runs: runs.initial(start),
  logs: logs.initial(start),
});
