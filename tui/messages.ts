import type { SlashNext } from "../lib/proto/slash.js";
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
  | { readonly type: "next"; readonly next: SlashNext }
  | { readonly type: "following" | "followed"; readonly id: number }
  | { readonly type: "questions"; readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly yolo: boolean }
  | { readonly type: "log"; readonly rows: readonly LogRow[] }
  | { readonly type: "sent"; readonly ok: boolean }
  | { readonly type: "view"; readonly view: Readonly<Record<string, unknown>> }
  | { readonly type: "say"; readonly text: string; readonly error: boolean };

/** What the state asks the outside to do. `update` itself does nothing. */
export type Effect =
  | { readonly do: "submit"; readonly text: string }
  | { readonly do: "command"; readonly text: string; readonly id: number }
  | { readonly do: "sendNext" }
  | { readonly do: "unfollow" }
  /** `answer` null: the user gives none. */
  | {
      readonly do: "answer";
      readonly request: string;
      readonly kind: "approval" | "clarify" | "password" | "secret";
      readonly answer: string | null;
      readonly text?: string;
    }
  | { readonly do: "touch"; readonly request: string }
  /** Say to the owner that this front end shows the session, and ask for what is open. */
  | { readonly do: "attach" }
  | { readonly do: "interrupt"; readonly force: boolean }
  | { readonly do: "reload" }
  | { readonly do: "redraw" }
  | { readonly do: "suspend" }
  | { readonly do: "quit" };
