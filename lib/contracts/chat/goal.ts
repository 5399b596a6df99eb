/** Standing goals of conversations (core part, 13). */
import type { EpochMs, SessionId } from "../../base/units.js";

/** A standing goal of a lineage, kept under the name `goal`. No record: no goal. */
export interface GoalRecord {
  readonly goal: string;
  readonly status: "active" | "paused" | "done";
  /** Continuation turns; the user's own turns do not count. */
  readonly turns_used: number;
  readonly max_turns: number;
  readonly created_at: EpochMs;
  readonly last_turn_at: EpochMs | null;
  readonly last_verdict: "done" | "continue" | "skipped" | null;
  readonly last_reason: string | null;
  readonly paused_reason: "user" | "interrupt" | "budget" | null;
  /** Judgements in a row that could not be made. */
  readonly judge_failures: number;
  /** Criteria, each needing its own evidence. */
  readonly subgoals: readonly string[];
}

export type SubgoalChange =
  | { readonly do: "add"; readonly text: string }
  /** Counted from 1. */
  | { readonly do: "remove"; readonly n: number }
  | { readonly do: "clear" };

/** Goals of conversations, named by any session of the lineage. Every change is an event `goal.changed`. */
export interface GoalApi<Result> {
  goal(session: SessionId): Promise<GoalRecord | undefined>;
  /**
   * Begin a goal, in place of an earlier one, and send its text as a user message. @throws E_INVALID (empty, above 4000 characters),
   * E_STATE while a turn runs
   */
  goalSet(
    session: SessionId,
    text: string,
  ): Promise<{ readonly goal: GoalRecord; readonly replaced: GoalRecord | undefined }>;
  /** @throws E_NOT_FOUND without a goal, E_STATE when it is not active */
  goalPause(session: SessionId): Promise<GoalRecord>;
  /** Go on with the counter at zero. @throws E_NOT_FOUND without a goal, E_STATE when it is active already */
  goalResume(session: SessionId): Promise<GoalRecord>;
  /** False: no goal was set. */
  goalClear(session: SessionId): Promise<boolean>;
  /** @throws E_NOT_FOUND without a goal, E_INVALID (more than 20, no such number) */
  goalSubgoal(session: SessionId, change: SubgoalChange): Promise<GoalRecord>;
  /** The rest of the loop: resolves when the goal is done or rests, with the last turn that ended meanwhile. */
  goalRest(
    session: SessionId,
    signal: AbortSignal,
  ): Promise<{ readonly goal: GoalRecord | undefined; readonly last: Result | undefined }>;
}
