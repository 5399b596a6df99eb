import type { Input } from "./decode.js";
import type { ChatItem, Loaded, LogRow, RunRow, TaskRow } from "./state.js";

/** What happened outside: everything that can change the state. */
export type Message =
  | Input
  | { readonly type: "resize"; readonly columns: number; readonly rows: number }
  | { readonly type: "tick"; readonly now: number; readonly wall: number }
  | { readonly type: "connection"; readonly state: "connected" | "lost" }
  | { readonly type: "session"; readonly id: string; readonly title: string; readonly model: string; readonly items: readonly ChatItem[] }
  | { readonly type: "history"; readonly items: readonly ChatItem[] }
  | { readonly type: "chat"; readonly event: string; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: "board"; readonly slug: string; readonly board: Loaded<TaskRow>; readonly runs: Loaded<RunRow> }
  | { readonly type: "command"; readonly id: number; readonly text: string; readonly failed: boolean }
  | { readonly type: "following" | "followed"; readonly id: number }
  | { readonly type: "log"; readonly rows: readonly LogRow[] }
  | { readonly type: "say"; readonly text: string; readonly error: boolean };

/** What the state asks the outside to do. `update` itself does nothing. */
export type Effect =
  | { readonly do: "submit"; readonly text: string }
  | { readonly do: "command"; readonly text: string; readonly id: number }
  | { readonly do: "unfollow" }
  | { readonly do: "interrupt"; readonly force: boolean }
  | { readonly do: "reload" }
  | { readonly do: "redraw" }
  | { readonly do: "suspend" }
  | { readonly do: "quit" };
