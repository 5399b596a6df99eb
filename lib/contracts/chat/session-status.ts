import type { SessionId } from "../../base/units.js";

/** What the status line of a front end shows of a conversation and nothing else tells it. */
export interface SessionStatus {
  readonly session_id: SessionId;
  /** How hard its models think; "": as they like. */
  readonly effort: string;
  readonly fast: boolean;
  readonly ephemeral: boolean;
  readonly goal: { readonly status: string; readonly turns_used: number; readonly max_turns: number } | null;
  /** Its directory, the user's own as `~`. */
  readonly directory: string;
  /** Branch of the repository of the directory, or the abbreviated commit when detached; "" outside a repository. */
  readonly branch: string;
}
