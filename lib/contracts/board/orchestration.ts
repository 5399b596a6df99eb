import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor } from "./board.js";
import type { ChatOrigin } from "./notify.js";

/** What became of specifying one task. The order of the keys is that of the JSON line (board part, 10.5). */
export interface SpecifyOutcome {
  readonly task_id: string;
  readonly ok: boolean;
  /** `specified`, or one of the refusals and failures of board part 9.2. */
  readonly reason: string;
  /** The title that the model gave; null when it gave none or nothing was applied. */
  readonly new_title: string | null;
}

/** What became of decomposing one task (board part, 9.3). */
export interface DecomposeOutcome extends SpecifyOutcome {
  readonly fanout: boolean;
  /** Null when no children were made. */
  readonly child_ids: readonly TaskId[] | null;
}

export interface OrchestrateParams {
  /** Who signs the audit comment and makes the children. Default: the name of a session's profile, else `specifier` or `decomposer`. */
  readonly author?: string | undefined;
  /** Aborts when the caller cancels: nothing is changed then. Work continues when a caller merely disconnects. */
  readonly signal?: AbortSignal | undefined;
}

export interface SwarmWorker {
  readonly profile: string;
  readonly title: string;
  readonly skills: readonly string[];
}

export interface SwarmParams {
  readonly goal: string;
  /** At least one. */
  readonly workers: readonly SwarmWorker[];
  readonly verifier: string;
  readonly synthesizer: string;
  readonly tenant?: string | undefined;
  readonly priority?: number | undefined;
  readonly created_by?: string | undefined;
  /** A swarm with this key whose root is not archived is returned instead of a new one. */
  readonly idempotency_key?: string | undefined;
  /** The chat that it was made from: it is subscribed to the root, and to the task that gives the result. */
  readonly origin?: ChatOrigin | undefined;
}

export interface Swarm {
  readonly root_id: TaskId;
  readonly worker_ids: readonly TaskId[];
  readonly verifier_id: TaskId;
  readonly synthesizer_id: TaskId;
  readonly created: boolean;
}

/** Verbs that make one task into a better one, or into several. */
export interface OrchestrationApi {
  /** Let a model turn a triage task into a specification. Failures are outcomes. @throws E_NOT_OWNER for a worker */
  specify(board: BoardSlug, id: TaskId, params: OrchestrateParams, by: Actor): Promise<SpecifyOutcome>;
  /** Let a model split a triage task into a graph of tasks. Failures are outcomes. @throws E_NOT_OWNER for a worker */
  decompose(board: BoardSlug, id: TaskId, params: OrchestrateParams, by: Actor): Promise<DecomposeOutcome>;
  /** Make workers, a verifier and a synthesizer around one goal, in one transaction. @throws E_INVALID, E_CONFLICT */
  swarm(board: BoardSlug, params: SwarmParams, by: Actor): Promise<{ swarm: Swarm; warnings: readonly string[] }>;
}
