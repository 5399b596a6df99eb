/** What the owner keeps about a run while its worker works. */
import type { BoardSlug, SessionId } from "../../base/units.js";
import type { ClaimRef, RunUsage } from "./board.js";

/** What a run has used so far, as its worker counts it: sums, so that telling them twice changes nothing. */
export interface Spent {
  readonly usage?: RunUsage | undefined;
  /** Conversation of the worker. */
  readonly session_id?: SessionId | undefined;
  /** False: the task is not blocked now although its budget is used up (a terminal call is being made). Default true. */
  readonly ends?: boolean | undefined;
  /** Its worker may have ended the run meanwhile by its own call: then only what it has used is kept. */
  readonly leaving?: boolean | undefined;
}

/** `over`: the token budget of the task is used up; the task is blocked and the run has ended. */
export type TokenBudget =
  | { readonly over: false }
  | { readonly over: true; readonly used: number; readonly max: number };

/** Verbs of the worker of an open run, besides those that everybody has. */
export interface BoardWorkerApi {
  /** Names of the board tools that workers of a profile have (board part, 17.1). */
  workerTools(profile: string): Promise<readonly string[]>;
  /** Keep what the run has used, and block the task when `kanban.max_tokens_per_task` is reached. @throws E_CLAIM_LOST */
  spend(board: BoardSlug, claim: ClaimRef, spent: Spent): Promise<TokenBudget>;
}
