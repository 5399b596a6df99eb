import { toAppError } from "../base/errors.js";
import { toUnix } from "../base/units.js";
import { finalise, firstMessage, reminder } from "../board/worker-api/worker-guidance.js";
import type { WorkerBrief, WorkerMethod } from "../board/worker-api/worker-methods.js";
import type { Conversation } from "../chat/conversation/conversation.js";
import type { TurnResult } from "../contracts/chat/chat.js";
import type { BoardPort } from "../tools/core/board-port.js";
import { openGoal, type WorkerGoal } from "./worker-goal.js";
import { EXIT, type WorkerParts, type WorkerRun, WorkerStop } from "./worker-state.js";

/** What the turns of a worker work with. */
export interface WorkerTurns {
  readonly run: WorkerRun;
  readonly brief: WorkerBrief;
  readonly conversation: Conversation;
  readonly parts: WorkerParts;
}

/** One turn, and one more for each continuation of a goal and for each reminder, until a terminal call (board part, 7.5, 9.6). */
export async function workTurns(turns: WorkerTurns): Promise<number> {
  const { run, brief, conversation, parts } = turns;
  const goal = brief.task.goal_mode ? await openGoal(run, brief, parts) : undefined;
  let reminders = 0;
  let text = firstMessage(brief.task.id);
  for (;;) {
    const result = await conversation.run({ text }, run.control.signal);
    const ended = await endOf(run, result);
    if (ended !== undefined) return ended;
    const more = await goOn(turns, goal, result);
    if (typeof more === "number") return more;
    if (more === undefined && reminders >= brief.reminders) return silent(run, reminders, result.final_response);
    if (more === undefined) reminders += 1;
    text = more ?? reminder(brief.task.id);
  }
}

/** The next message of a goal, an exit code, or undefined: nothing of the goal is left to do. */
async function goOn(
  { run, brief, parts }: WorkerTurns,
  goal: WorkerGoal | undefined,
  result: TurnResult,
): Promise<string | number | undefined> {
  const step = await goal?.afterTurn(result, run.control.signal);
  if (run.control.signal.aborted) return toWorkerExitCode(run, run.control.signal.reason);
  if (step === undefined) return undefined;
  run.deps.say(step.line);
  if (step.next === "continue") return step.text;
  if (step.next === "achieved") return finalise(brief.task.id);
  return blockFor(
    parts.board,
    `goal not met after ${step.goal.turns_used} turns: ${step.goal.last_reason ?? "no verdict"}`,
  );
}

async function blockFor(board: BoardPort, reason: string): Promise<number> {
  await board.call("block", { reason: reason.slice(0, 2_000) });
  return EXIT.done;
}

/** The exit code when the turn was the last; undefined when it ended in text. */
async function endOf(run: WorkerRun, result: TurnResult): Promise<number | undefined> {
  if (run.terminal) return EXIT.done;
  if (run.control.signal.aborted) return toWorkerExitCode(run, run.control.signal.reason);
  const failure = failureOf(result);
  return failure && reported(run, failure);
}

/** The model does not end its task, however often it is reminded: its last words are kept. */
async function silent(run: WorkerRun, reminders: number, lastText: string): Promise<number> {
  await report(run, { class: "unknown", reminders, last_text: lastText });
  return EXIT.done;
}

interface Failure {
  readonly exit: number;
  readonly class: string;
  readonly error?: string;
  readonly budget?: { readonly used: number; readonly max: number };
  /** How long the provider asked to wait. */
  readonly waitMs?: number;
}

/** How a turn failed; undefined: it ended in text. */
function failureOf(result: TurnResult): Failure | undefined {
  if (BUDGETS.has(result.exit_reason)) {
    const { budget } = result;
    return {
      exit: EXIT.failed,
      class: "iteration_budget",
      error: `budget used up: ${result.exit_reason}`,
      ...(budget ? { budget } : {}),
    };
  }
  if (!result.failed) return undefined;
  const {
    class: kind,
    message,
    retry_after_ms: wait,
  } = result.error ?? { class: "unknown", message: result.exit_reason };
  // The program failed before its turn began: it could not be started.
  if (PROGRAMS.has(kind) && result.api_calls === 0) return { exit: EXIT.unusable, class: "start", error: message };
  const own = CLASSES[kind] ?? "model_error";
  if (own !== "throttled") return { exit: EXIT.failed, class: own, error: message };
  return { exit: EXIT.throttled, class: own, error: message, ...(wait === undefined ? {} : { waitMs: wait }) };
}

const BUDGETS: ReadonlySet<string> = new Set([
  "budget_exhausted",
  "max_iterations_reached",
  "time_limit_reached",
  "cost_limit_reached",
]);

/** Failures of a program that works turns, or of its protocol (`RuntimeError`). */
const PROGRAMS: ReadonlySet<string> = new Set(["app_server", "acp"]);

/** Failure classes of the models as the board names them (board part, 7.6). */
const CLASSES: Readonly<Record<string, string>> = {
  rate_limit: "throttled",
  overloaded: "throttled",
  auth: "auth",
  auth_permanent: "auth",
  billing: "billing",
};

async function reported(run: WorkerRun, failure: Failure): Promise<number> {
  run.deps.onFailure(failure.class);
  const { budget, error, waitMs } = failure;
  await report(run, {
    class: failure.class,
    ...(error === undefined ? {} : { error }),
    ...(waitMs === undefined ? {} : { until: toUnix(run.deps.clock.now() + waitMs) }),
    ...(budget === undefined ? {} : { budget_used: budget.used, budget_max: budget.max }),
  });
  return failure.exit;
}

async function report(run: WorkerRun, said: Readonly<Record<string, unknown>>): Promise<void> {
  await run.call("worker.report" satisfies WorkerMethod, { ...said, usage: run.usage });
}

/** Exit code of what ended the run early. The first cause wins: what the stop itself broke does not count. */
export function toWorkerExitCode(run: WorkerRun, thrown: unknown): number {
  const { signal } = run.control;
  if (run.terminal) return EXIT.done;
  if (signal.aborted && signal.reason instanceof WorkerStop) return signal.reason.exit;
  const { code, message } = toAppError(thrown);
  if (code === "E_CLAIM_LOST") return EXIT.lost;
  run.deps.say(message);
  const unusable = code === "E_USAGE" || code === "E_CONFIG" || code === "E_MODEL" || code === "E_INVALID_PARAMS";
  run.deps.onFailure(unusable ? "usage" : "unknown");
  return unusable ? EXIT.unusable : EXIT.failed;
}
