import type { Client } from "../backplane/client.js";
import type { Ids } from "../base/ids.js";
import type { Clock } from "../base/time/clock.js";
import type { WorkerBrief } from "../board/worker-api/worker-methods.js";
import type { Conversation } from "../chat/conversation/conversation.js";
import type { AskJudge } from "../chat/goals/goal-judge.js";
import type { ClaimFile, RunUsage } from "../contracts/board/board.js";
import type { Transcript } from "../contracts/chat/chat.js";
import type { Usage } from "../contracts/models/model.js";
import type { CheckpointTaker } from "../contracts/owner/checkpoints.js";
import type { BoardPort } from "../tools/core/board-port.js";

/** Exit codes of a worker (board part, 7.5). */
export const EXIT = { done: 0, failed: 1, unusable: 64, throttled: 75, lost: 76, terminated: 143 } as const;

export interface WorkerRunDeps {
  /** A client that finds the owner again when it is lost. */
  readonly client: Client;
  readonly claim: ClaimFile;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cwd: string;
  /** Aborts on SIGTERM. */
  readonly terminated: AbortSignal;
  converse(brief: WorkerBrief, parts: WorkerParts): Promise<Conversation>;
  /** What a goal task needs beside its conversation. */
  goals(): Promise<GoalParts>;
  /** One line for the task log. */
  say(line: string): void;
  /** One line about what it does, for the task log. */
  trace(line: string): void;
  /** A terminal call was accepted: the process has 10 s left. */
  onTerminal(): void;
  /** The class of a failure, kept for the runner when no owner may be there to be told. */
  onFailure(errorClass: string): void;
}

/** What the conversation of a worker is made of. */
export interface WorkerParts {
  readonly transcript: Transcript;
  readonly board: BoardPort;
  readonly checkpoints: CheckpointTaker;
  /** Something happened in the loop: a delta, a call, its output. */
  readonly activity: () => void;
}

/** Judge and budget of goal tasks, from the settings of the profile. */
export interface GoalParts {
  readonly ask: AskJudge;
  /** Continuations when the task names no number. */
  readonly maxTurns: number;
  diffStat(): Promise<string>;
}

/** State of the run in this process. */
export interface WorkerRun {
  readonly deps: WorkerRunDeps;
  /** Aborts when the worker has to stop: claim lost, lease over, budget used up, SIGTERM. The reason says which. */
  readonly control: AbortController;
  readonly call: (method: string, params: object) => Promise<unknown>;
  terminal: boolean;
  /** Tokens of all requests so far. */
  readonly usage: RunUsage;
}

/** Why the worker must stop, with the exit code that says so. */
export class WorkerStop extends Error {
  readonly exit: number;
  /** The end of the conversation may still be stored. */
  readonly stores: boolean;
  constructor(exit: number, why: string, stores = false) {
    super(why);
    this.exit = exit;
    this.stores = stores;
  }
}

export const noUsage = (): RunUsage => ({
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  api_calls: 0,
  cost_usd: null,
});

/** Count one request. */
export function addRunUsage(sum: RunUsage, usage: Usage): void {
  sum.input_tokens += usage.input + usage.cacheWrite;
  sum.output_tokens += usage.output;
  sum.cached_tokens += usage.cacheRead;
  sum.api_calls += 1;
  if (usage.costUsd !== undefined) sum.cost_usd = (sum.cost_usd ?? 0) + usage.costUsd;
}
