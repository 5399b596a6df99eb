/** What conversations do beside the ones that are looked at, for front ends that list it (workspace part, 6.2). */
import type { EpochMs, SessionId, TurnId } from "../../base/units.js";
import type { ProcessInfo } from "./processes.js";

/** A conversation that another one has begun: a delegated child, or a question asked in the background. */
export interface AsideSession<S> {
  readonly session: S;
  /** Its first message. */
  readonly asked: string;
}

/** A turn that runs. */
export interface RunningTurn {
  readonly session_id: SessionId;
  readonly started_at: EpochMs;
  /** Run of the worker that works on it; null for a turn of this owner. */
  readonly run_id: number | null;
}

/** A turn that has ended, and what its requests used; those of side work are left out. */
export interface EndedTurn {
  readonly turn_id: TurnId;
  /** The one that answered last; empty: none did. */
  readonly model: string;
  readonly started_at: EpochMs;
  readonly ended_at: EpochMs;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** Null when no price of them is known. */
  readonly cost_usd: number | null;
}

export interface WorkApi<S> {
  /** Those that were active since then, newest first, at most `limit`. */
  asides(since: EpochMs, limit: number): Promise<readonly AsideSession<S>[]>;
  /** Background processes of all conversations; those that ended are kept for a while. */
  everyProcess(): Promise<readonly ProcessInfo[]>;
  runningTurns(): Promise<readonly RunningTurn[]>;
  /** Whether a turn of this session is open, here or in a worker. */
  turnIsOpen(session: SessionId): Promise<boolean>;
  /** Those of these turns that have ended. @param sessions segments of one conversation in which they ran */
  turnEnds(sessions: readonly SessionId[], turns: readonly TurnId[]): Promise<readonly EndedTurn[]>;
  /** The sessions in which the lineages of these go on; unknown ones are left out. */
  currentOf(sessions: readonly SessionId[]): Promise<ReadonlyMap<SessionId, S>>;
}
