/** Conversations that another one has sent (core part, 1.3, 1.4 and 25.2). */
import type { EpochMs, Ms, SessionId } from "../../base/units.js";

/** Data of `child.started`, `child.progress` and `child.ended`. */
export interface ChildInfo {
  /** Session of the child. */
  readonly id: SessionId;
  readonly parent_session_id: SessionId;
  readonly goal: string;
  readonly role: string;
  /** `running`, or how it ended. */
  readonly status: string;
  readonly background: boolean;
  readonly tokens: { readonly input: number; readonly output: number };
  /** Tool that it called last. */
  readonly tool: string | null;
  readonly duration_ms: Ms;
  readonly started_at: EpochMs;
}

/** Children of the conversations of this owner. */
export interface ChildrenApi {
  /** Children of a session's lineage, or all that run now; newest last. */
  children(parent?: SessionId): Promise<readonly ChildInfo[]>;
  /** Stop one. False: it does not run. */
  interruptChild(id: SessionId): Promise<boolean>;
}
