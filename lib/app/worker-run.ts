import type { Client } from "../backplane/client.js";
import type { Clock } from "../base/clock.js";
import { toAppError } from "../base/errors.js";
import type { Ids } from "../base/ids.js";
import type { Ms } from "../base/units.js";
import { firstMessage, reminder } from "../board/worker-guidance.js";
import type { WorkerBrief, WorkerMethod } from "../board/worker-methods.js";
import type { Conversation } from "../chat/conversation.js";
import { remoteTranscript } from "../chat/transcript-remote.js";
import type { ClaimFile, RunUsage } from "../proto/board.js";
import type { Transcript, TurnResult } from "../proto/chat.js";
import type { Usage } from "../proto/model.js";
import type { BoardPort } from "../tools/board-port.js";
import { createLease } from "./worker-lease.js";

/** Exit codes of a worker (board part, 7.5). */
export const EXIT = { done: 0, failed: 1, unusable: 64, throttled: 75, lost: 76, terminated: 143 } as const;

/** Activity is passed on as a heartbeat at most this often. */
const BEAT_EVERY: Ms = 60_000;
/** How long the end of a conversation may take to be stored after SIGTERM. The owner kills 5 s after it. */
const STORE_WITHIN: Ms = 3_000;

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
  /** One line for the task log. */
  say(line: string): void;
  /** A terminal call was accepted: the process has 10 s left. */
  onTerminal(): void;
  /** The class of a failure, kept for the runner when no owner may be there to be told. */
  onFailure(errorClass: string): void;
}

/** What the conversation of a worker is made of. */
export interface WorkerParts {
  readonly transcript: Transcript;
  readonly board: BoardPort;
  /** Something happened in the loop: a delta, a call, its output. */
  readonly activity: () => void;
}

/** State of the run in this process. */
interface Run {
  readonly deps: WorkerRunDeps;
  /** Aborts when the worker has to stop: claim lost, lease over, SIGTERM. The reason says which. */
  readonly control: AbortController;
  readonly call: (method: string, params: object) => Promise<unknown>;
  terminal: boolean;
  /** Tokens of all turns so far. */
  readonly usage: RunUsage;
}

/** Work on the task of a claim, as board part 7.5 says. @returns the exit code */
export async function workTask(deps: WorkerRunDeps): Promise<number> {
  const control = new AbortController();
  const stop = () => control.abort(new Stop(EXIT.terminated, "SIGTERM"));
  deps.terminated.addEventListener("abort", stop, { once: true });
  if (deps.terminated.aborted) stop();
  const run: Run = { deps, control, call: caller(deps, control), terminal: false, usage: noUsage() };
  const lease = createLease(deps.clock, deps.claim.ttl_seconds * 1000, () =>
    control.abort(new Stop(EXIT.lost, "the lease ended with no owner")),
  );
  const forget = [deps.client.onClose(lease.lost), deps.client.onConnect(lease.met)];
  if (!deps.client.connected) lease.lost();
  try {
    return await work(run, lease);
  } catch (error) {
    return codeOf(run, error);
  } finally {
    lease.stop();
    for (const off of forget) off();
    deps.terminated.removeEventListener("abort", stop);
  }
}

/** Why the worker must stop, with the exit code that says so. */
class Stop extends Error {
  readonly exit: number;
  constructor(exit: number, why: string) {
    super(why);
    this.exit = exit;
  }
}

async function work(run: Run, lease: ReturnType<typeof createLease>): Promise<number> {
  const { deps } = run;
  const brief = (await run.call("worker.context" satisfies WorkerMethod, { cwd: deps.cwd })) as WorkerBrief; // the answer of createWorkerMethods
  const beat = heartbeat(run, lease);
  const transcript = watched(
    remoteTranscript((method, params) => run.call(method, params as object), brief.session),
    { activity: beat, used: (usage) => addUsage(run.usage, usage) },
  ); // methods send objects
  const conversation = await deps.converse(brief, { transcript, board: boardPort(run, brief), activity: beat });
  try {
    return await turns(run, brief, conversation);
  } finally {
    await conversation.close();
  }
}

/** One turn, and one more for each reminder, until a terminal call. */
async function turns(run: Run, brief: WorkerBrief, conversation: Conversation): Promise<number> {
  const { task } = brief;
  for (let reminders = 0; ; reminders++) {
    const text = reminders === 0 ? firstMessage(task.id) : reminder(task.id);
    const result = await conversation.run({ text }, run.control.signal);
    if (run.terminal) return EXIT.done;
    if (run.control.signal.aborted) return codeOf(run, run.control.signal.reason);
    const failure = failureOf(result);
    if (failure) return reported(run, failure);
    if (reminders >= brief.reminders) {
      await report(run, { class: "unknown", reminders, last_text: result.final_response });
      return EXIT.done;
    }
  }
}

interface Failure {
  readonly exit: number;
  readonly class: string;
  readonly error?: string;
}

/** How a turn failed; undefined: it ended in text. */
function failureOf(result: TurnResult): Failure | undefined {
  if (BUDGETS.has(result.exit_reason))
    return { exit: EXIT.failed, class: "iteration_budget", error: `budget used up: ${result.exit_reason}` };
  if (!result.failed) return undefined;
  const { class: kind, message } = result.error ?? { class: "unknown", message: result.exit_reason };
  const own = CLASSES[kind] ?? "model_error";
  return { exit: own === "throttled" ? EXIT.throttled : EXIT.failed, class: own, error: message };
}

const BUDGETS: ReadonlySet<string> = new Set(["budget_exhausted", "max_iterations_reached", "time_limit_reached"]);

/** Failure classes of the models as the board names them (board part, 7.6). */
const CLASSES: Readonly<Record<string, string>> = {
  rate_limit: "throttled",
  overloaded: "throttled",
  auth: "auth",
  auth_permanent: "auth",
  billing: "billing",
};

async function reported(run: Run, failure: Failure): Promise<number> {
  run.deps.onFailure(failure.class);
  await report(run, { class: failure.class, ...(failure.error === undefined ? {} : { error: failure.error }) });
  return failure.exit;
}

async function report(run: Run, said: Readonly<Record<string, unknown>>): Promise<void> {
  await run.call("worker.report" satisfies WorkerMethod, { ...said, usage: run.usage });
}

const noUsage = (): RunUsage => ({ input_tokens: 0, output_tokens: 0, cached_tokens: 0, api_calls: 0, cost_usd: 0 });

function addUsage(sum: RunUsage, usage: Usage): void {
  sum.input_tokens += usage.input + usage.cacheWrite;
  sum.output_tokens += usage.output;
  sum.cached_tokens += usage.cacheRead;
  sum.api_calls += 1;
}

/** Exit code of what ended the run early. The first cause wins: what the stop itself broke is no cause. */
function codeOf(run: Run, thrown: unknown): number {
  const { signal } = run.control;
  if (run.terminal) return EXIT.done;
  if (signal.aborted && signal.reason instanceof Stop) return signal.reason.exit;
  const { code, message } = toAppError(thrown);
  if (code === "E_CLAIM_LOST") return EXIT.lost;
  run.deps.say(message);
  const unusable = code === "E_USAGE" || code === "E_CONFIG" || code === "E_MODEL" || code === "E_INVALID_PARAMS";
  run.deps.onFailure(unusable ? "usage" : "unknown");
  return unusable ? EXIT.unusable : EXIT.failed;
}

/** Calls wait for an owner until the worker has to stop. A key makes each of them happen once, whichever owner gets it. */
function caller(deps: WorkerRunDeps, control: AbortController): Run["call"] {
  const prefix = `w${deps.claim.run}-${deps.ids.hex(6)}`;
  let count = 0;
  return async (method, params) => {
    count += 1;
    try {
      return await deps.client.call(method, params, { key: `${prefix}-${count}`, signal: leaving(deps, control) });
    } catch (error) {
      if (toAppError(error).code === "E_CLAIM_LOST") control.abort(new Stop(EXIT.lost, "the claim is lost"));
      throw error;
    }
  };
}

/** A worker that was told to stop by SIGTERM still stores its transcript; one without a claim or an owner has nobody to store it with. */
function leaving(deps: WorkerRunDeps, control: AbortController): AbortSignal {
  if (!deps.terminated.aborted) return control.signal;
  const late = new AbortController();
  deps.clock.after(STORE_WITHIN, () => late.abort(control.signal.reason));
  return late.signal;
}

/** Passes activity on, at most once per minute. A heartbeat that fails is dropped, unless the claim is lost. */
function heartbeat(run: Run, lease: ReturnType<typeof createLease>): () => void {
  const { clock } = run.deps;
  let next = clock.mono() + BEAT_EVERY;
  const send = async () => {
    const sentAt = clock.mono();
    try {
      const answer = (await run.call("worker.heartbeat" satisfies WorkerMethod, {})) as { ttl_seconds: number }; // the answer of createWorkerMethods
      lease.accepted(sentAt, answer.ttl_seconds * 1000);
    } catch {
      /* ok to lose: a lost claim has stopped the run in `call`; for anything else the next activity tries again. */
    }
  };
  return () => {
    if (clock.mono() < next) return;
    next = clock.mono() + BEAT_EVERY;
    send().catch(() => undefined); // `send` never rejects
  };
}

function boardPort(run: Run, brief: WorkerBrief): BoardPort {
  return {
    task: brief.task.id,
    call: async (method, params) => {
      const result = (await run.call("worker.tool" satisfies WorkerMethod, { method, params, usage: run.usage })) as Readonly<
        Record<string, unknown>
      >; // tools answer with objects
      if (method === "complete" || method === "block") {
        run.terminal = true;
        run.deps.onTerminal();
      }
      return result;
    },
  };
}

interface Watching {
  readonly activity: () => void;
  readonly used: (usage: Usage) => void;
}

/** The transcript, with every change counted as activity and every request's tokens added up. */
function watched(transcript: Transcript, { activity, used }: Watching): Transcript {
  return {
    get session() {
      return transcript.session;
    },
    messages: () => transcript.messages(),
    beginTurn: (message) => transcript.beginTurn(message),
    append: (turn, messages, along) => {
      activity();
      if (along?.usage !== undefined) used(along.usage.of);
      return transcript.append(turn, messages, along);
    },
    draft: (turn, text) => transcript.draft(turn, text),
    event: (turn, kind, data) => {
      activity();
      return transcript.event(turn, kind, data);
    },
    addUsage: (turn, usage, promptTokens) => {
      used(usage);
      return transcript.addUsage(turn, usage, promptTokens);
    },
    setSystemPrompt: (prompt, model, provider) => transcript.setSystemPrompt(prompt, model, provider),
    record: (name) => transcript.record(name),
    setRecord: (name, json) => transcript.setRecord(name, json),
    endTurn: (turn, result) => transcript.endTurn(turn, result),
  };
}
