import { withLinkedSignal } from "../../base/async/abort-any.js";
import { AppError } from "../../base/errors.js";
import { afterWaiting } from "../../base/time/suspend-safe-timer.js";
import type { Ms } from "../../base/units.js";
import type { RuntimeEnding, RuntimeTurn } from "../../contracts/runtimes/runtime.js";
import { historyBlock } from "./runtime-history.js";
import { createRuntimeHost, type TurnHost } from "./runtime-host.js";
import { planThread, readRuntimeRecord, turnsBefore } from "./runtime-record.js";
import { endInterrupted } from "./turn-ask.js";
import type { TurnState } from "./turn-state.js";
import type { TurnRuntime } from "./turn-types.js";
import { addTurnUsage, type TurnEnding } from "./turn-usage.js";

/** Let another program work the turn in place of the model loop (extensions part, 8). Never rejects for what the program does. */
export async function workByRuntime(turn: TurnState, runtime: TurnRuntime): Promise<TurnEnding> {
  const { deps, signal } = turn;
  if (signal.aborted) return endInterrupted(turn, "interrupted_by_user", "");
  const messages = await deps.transcript.messages();
  const before = turnsBefore(messages, turn.id);
  const place = { program: runtime.id, session: deps.transcript.session.id, cwd: runtime.cwd };
  const plan = planThread(await readRuntimeRecord(deps.transcript), place, before);
  const steered: string[] = [];
  const made = createRuntimeHost(turn, {
    runtime,
    record: plan.how === "go on" ? plan.record : undefined,
    after: before.at(-1) ?? null,
    steered,
  });
  if (plan.how === "begin" && plan.because !== undefined)
    made.host.notice({
      level: "info",
      text: `A new thread of the program begins with the last messages: ${plan.because}.`,
    });
  const work: RuntimeTurn = {
    text: turn.context === undefined ? turn.question : `${turn.question}\n\n${turn.context}`,
    pictures: turn.pictures,
    ...(plan.how === "go on" ? { thread: plan.record.thread } : {}),
    ...(plan.how === "go on" && plan.revertTo !== undefined ? { revertTo: plan.revertTo } : {}),
    history: async () => historyBlock(messages.filter((one) => one.turn_id !== turn.id)),
    ...(runtime.model === undefined ? {} : { model: runtime.model }),
    timeoutMs: runtime.timeoutMs,
  };
  // It runs commands and changes files without asking, inside of its own sandbox: a rollback needs the state before all of that.
  await deps.files?.handing(runtime.id, { cwd: runtime.cwd, signal });
  const halt = createHalt();
  const last = createLastWords(turn);
  const done = runtime.callback?.begin(turn, {
    ended: (outcome) => {
      halt.heard(outcome.halt);
      if (outcome.endsRun === true) last.begin();
    },
  });
  const asked: Promise<void>[] = [];
  let off: (() => void) | undefined;
  try {
    const worked = withLinkedSignal([signal, halt.signal, last.signal], (either) =>
      runtime.program.turn(work, made.host, either),
    );
    // After the turn is handed over: words that wait already are for it.
    off = deps.steer?.reached?.(() => asked.push(steer(turn, runtime, steered)));
    const ending = await worked;
    await made.settled();
    const end = toEnding(turn, ending, made);
    if (last.cut && !signal.aborted) return { ...end, reason: "text_response", answer: ending.answer, stored: true };
    return halt.text === undefined ? end : { ...end, reason: "guardrail_halt", answer: halt.text, stored: false };
  } finally {
    off?.();
    last.end();
    await done?.();
    // What the program refuses as its turn ends is given back before the turn stops taking words.
    await Promise.allSettled(asked);
    // Taken by the program, and never said in its thread: the words wait for the next turn.
    if (steered.length > 0) deps.steer?.putBack?.(steered.join("\n"));
  }
}

/** A guardrail ends the turn when calls of the program run in circles. */
function createHalt() {
  const control = new AbortController();
  let text: string | undefined;
  return {
    signal: control.signal,
    get text() {
      return text;
    },
    heard: (halt: string | undefined) => {
      if (halt === undefined) return;
      text ??= halt;
      control.abort(new AppError("E_INTERRUPTED", halt));
    },
  };
}

/** A worker ends soon after its task (board part, 7.5). Until then the program may still speak; a machine that stands still takes none of it away. */
const LAST_WORDS_MS: Ms = 4_000;

/** The task of a worker is over: what the program does after it counts for nothing. */
function createLastWords({ deps }: TurnState) {
  const control = new AbortController();
  let stop: (() => void) | undefined;
  return {
    signal: control.signal,
    /** The program was stopped while it was still at work. */
    get cut() {
      return control.signal.aborted;
    },
    begin: () => {
      const cut = () => control.abort(new AppError("E_INTERRUPTED", "the task is over"));
      stop ??= afterWaiting(deps.clock, LAST_WORDS_MS, cut);
    },
    end: () => stop?.(),
  };
}

/** Words of the user for the running turn. What the program does not take stays where it is: the next message of the conversation. */
async function steer(turn: TurnState, { program }: TurnRuntime, steered: string[]): Promise<void> {
  const words = turn.deps.steer?.take();
  if (words === undefined) return;
  steered.push(words); // before the program is asked: it may tell them before its answer is read
  if (!turn.signal.aborted && (await program.steer(words))) return;
  const at = steered.lastIndexOf(words);
  if (at >= 0) steered.splice(at, 1);
  turn.deps.steer?.putBack?.(words);
}

function toEnding(turn: TurnState, ending: RuntimeEnding, made: TurnHost): TurnEnding {
  const { deps, turnUsage } = turn;
  turnUsage.apiCalls += ending.began ? 1 : 0;
  if (made.usage !== undefined) turn.used = { of: made.usage.of, promptTokens: addTurnUsage(turnUsage, made.usage.of) };
  const more = {
    ...(made.thread === undefined ? {} : { thread: made.thread }),
    ...(made.usage?.window === undefined ? {} : { window: made.usage.window }),
  };
  if (ending.status === "completed") return { reason: "text_response", answer: ending.answer, stored: true, ...more };
  if (ending.status === "interrupted") {
    // A text that was cut off does not arrive as an item: it is kept as the interrupted answer.
    const cut = made.unfinished;
    const end = endInterrupted(turn, "interrupted_during_api_call", cut === "" ? ending.answer : cut);
    return { ...end, ...(cut === "" && ending.answer !== "" ? { stored: true } : {}), ...more };
  }
  const { error } = ending;
  const failure = {
    class: error?.class ?? runtimeClass(ending),
    message: deps.redact(error?.message ?? "the program ended the turn without saying why"),
    hint: deps.redact(error?.hint ?? "run /vendor-runtime auto to go back to the loop of this program"),
    ...(error?.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  };
  if (failure.class === "rate_limit") deps.failover?.hold?.(failure);
  const said = `${failure.message}\n\n${failure.hint}`;
  return {
    reason: "all_retries_exhausted_no_response",
    answer: ending.answer === "" ? said : `${ending.answer}\n\n${said}`,
    stored: true, // the model reads its own words only; what failed is shown to the user
    partial: true,
    failure,
    ...more,
  };
}

const runtimeClass = ({ status }: RuntimeEnding): string => (status === "timed_out" ? "timeout" : "runtime");
