import type { SessionId, TurnId } from "../../base/units.js";
import type { Denied } from "../../contracts/chat/chat.js";

export type ChildRole = "leaf" | "orchestrator";

/** One piece of work for a child. */
export interface ChildTask {
  readonly goal: string;
  readonly context?: string;
  /** Empty: the tools of the sender. */
  readonly toolsets: readonly string[];
  readonly role: ChildRole;
}

export type ChildStatus = "completed" | "interrupted" | "error" | "timeout" | "failed";

/** What came of one child, as the model reads it (core part, 25.2). */
export interface ChildResult {
  readonly task_index: number;
  readonly status: ChildStatus;
  readonly summary: string;
  readonly api_calls: number;
  readonly duration_seconds: number;
  readonly model: string;
  readonly exit_reason: "completed" | "max_iterations" | "interrupted" | "timeout" | "error";
  readonly tokens: { readonly input: number; readonly output: number };
  /** Left out when no provider told it. */
  readonly cost_usd?: number;
  readonly tool_trace: readonly {
    readonly tool: string;
    readonly args_bytes: number;
    readonly result_bytes: number;
    readonly status: string;
  }[];
  /** Absolute paths. */
  readonly files_changed: readonly string[];
  readonly session_id: SessionId | null;
  /** Calls that needed an approval without a person to give it. */
  readonly denied?: readonly Denied[];
  readonly error?: string;
  readonly stale_paths?: readonly string[];
}

/** A call that sends children. */
export interface DelegateCall {
  /** Turn of the sender; their events belong to it. */
  readonly turn: TurnId | undefined;
  /** Directory that the children begin in. */
  readonly cwd: string;
  /** Names of the tools that the sender has: no child has others. */
  readonly offered: readonly string[];
  /** Aborts when the sender is interrupted. */
  readonly signal: AbortSignal;
  progress(text: string): void;
}

/** How a conversation sends children. Absent where it may not. */
export interface ChildrenPort {
  /**
   * Work the tasks at the same time and wait for all of them; results in the order of the tasks. A failing child is a result.
   *
   * @throws E_INVALID when they are too many at once, or a role or toolset is not for them
   */
  run(tasks: readonly ChildTask[], call: DelegateCall): Promise<readonly ChildResult[]>;
  /** Work one task beside the conversation, which is notified of its end. @returns its id @throws E_INVALID as above */
  dispatch(task: ChildTask, call: DelegateCall): Promise<string>;
  /** The end of a dispatched task will have a reader. */
  readonly dispatches: boolean;
}
