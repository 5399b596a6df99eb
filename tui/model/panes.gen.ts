// Written by `make index`. Do not edit.
import type { ChatEffect, ChatMessage } from "../chat/messages.js";
import type { ChatState } from "../chat/state.js";
import type { BoardEffect, BoardMessage } from "../board/messages.js";
import type { BoardState } from "../board/state.js";
import type { RunsEffect, RunsMessage } from "../runs/messages.js";
import type { RunsState } from "../runs/state.js";
import type { LogsEffect, LogsMessage } from "../logs/messages.js";
import type { LogsState } from "../logs/state.js";
import type { PaneTraits } from "./define-pane.js";

/** Every pane, in the order of their tabs. */
export const PANES = ["chat", "board", "runs", "logs"] as const;
export type Pane = (typeof PANES)[number];

/** The slice of the state that each pane adds. */
export interface PaneStates {
  readonly chat: ChatState;
  readonly board: BoardState;
  readonly runs: RunsState;
  readonly logs: LogsState;
}

export type PaneMessage = ChatMessage | BoardMessage | RunsMessage | LogsMessage;
export type PaneEffect = ChatEffect | BoardEffect | RunsEffect | LogsEffect;

export const PANE_TRAITS: Readonly<Record<Pane, PaneTraits>> = {
  chat: {"id":"chat","title":"chat","short":"chat","place":1,"keys":["f2","alt+1"],"margin":true},
  board: {"id":"board","title":"board","short":"brd","place":2,"keys":["f3","alt+2"],"share":45},
  runs: {"id":"runs","title":"runs","short":"run","place":3,"keys":["f4","alt+3"],"share":30},
  logs: {"id":"logs","title":"logs","short":"log","place":4,"keys":["f5","alt+4"]},
};
