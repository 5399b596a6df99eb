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
import type { ToolSource } from "../tools/core/tool-source.js";
import type { OwnerBrowser } from "./worker-browser.js";

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
  /** The class of a failure, kept for the runner in case no owner hears of it. */
  onFailure(errorClass: string): void;
}

/** What the conversation of a worker is made of. */
export interface WorkerParts {
  readonly transcript: Transcript;
  readonly board: BoardPort;
  readonly checkpoints: CheckpointTaker;
  /** Tools of servers and plugins, which the owner runs. */
  readonly tools: ToolSource;
  /** The browser of the owner. */
  readonly browser: OwnerBrowser;
  /** Something happened in the loop: a delta, a call, its output. */
  readonly activity: () => void;
  /** What the run uses. */
  readonly spending: Spending;
}

/** Counts what a run uses. @param ends False: a terminal call follows and settles the task itself */
export interface Spending {
  /** A request, or the turn of a program, of which a part may be counted already. */
  count(usage: Usage, ends: boolean): Promise<void>;
  /** What the running turn of a program has used so far: it replaces the sum before. The owner hears of it beside the work. */
  told(usage: Usage, ends: boolean): void;
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

/** Count one request. @param counted What is counted of it already */
export function addRunUsage(sum: RunUsage, usage: Usage, counted?: Usage): void {
  sum.input_tokens += usage.input + usage.cacheWrite - (counted === undefined ? 0 : counted.input + counted.cacheWrite);
  sum.output_tokens += usage.output - (counted?.output ?? 0);
  sum.cached_tokens += usage.cacheRead - (counted?.cacheRead ?? 0);
  sum.api_calls += counted === undefined ? 1 : 0;
  if (usage.costUsd !== undefined) sum.cost_usd = (sum.cost_usd ?? 0) + usage.costUsd - (counted?.costUsd ?? 0);
}
