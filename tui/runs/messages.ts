import type { ChatMessage } from "../chat/messages.js";
import type { RunRow } from "./state.js";

/** What works by itself. */
export type RunsMessage =
  | { readonly type: "runs.read"; readonly rows: readonly RunRow[] }
  | { readonly type: "runs.failed"; readonly message: string }
  | { readonly type: "run.changed"; readonly row: RunRow }
  | { readonly type: "run.gone"; readonly id: string }
  /** Something of the conversation of the run that is looked at. */
  | { readonly type: "run.chat"; readonly id: string; readonly message: ChatMessage }
  | { readonly type: "run.failed"; readonly id: string; readonly message: string };

/** What is asked about runs. */
export type RunsEffect =
  /** Follow the conversation of a run, in the place of what was followed before. */
  { readonly do: "run.follow"; readonly id: string; readonly session: string } | { readonly do: "run.leave" };
