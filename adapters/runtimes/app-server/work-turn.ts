import type { Clock } from "../../../lib/base/time/clock.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { EpochMs, Ms } from "../../../lib/base/units.js";
import type { RuntimeEnding, RuntimePlace, RuntimeTurn } from "../../../lib/contracts/runtimes/runtime.js";
import { ProgramFailure, programError, Refused, timeoutError, turnFailure } from "./failures.js";
import type { Program } from "./program.js";
import type { RunningTurn } from "./running.js";
import { refusedFails, type Thread } from "./session.js";
import type { TurnEnd } from "./turn-milestones.js";

/** Longest wait for the end of an interrupted turn (extensions part, 8.9). */
const END_MS: Ms = 10_000;
/** While a person is asked the turn does not end by its time; it is looked at again after this. */
const ASKED_MS: Ms = 1_000;

/** How the work of a turn came to its end. */
export type WorkEnd =
  | { readonly how: "told"; readonly end: TurnEnd }
  | { readonly how: "died"; readonly reason: string }
  /** The end that followed; undefined: the program told none and was ended. */
  | { readonly how: "stopped"; readonly end: TurnEnd | undefined }
  | { readonly how: "late"; readonly end: TurnEnd | undefined };

interface Work {
  readonly program: Program;
  readonly running: RunningTurn;
  readonly clock: Clock;
  /** Milliseconds that the turn has waited for people, and whether it does now. */
  readonly waited: () => Ms;
  readonly asking: () => boolean;
}

/** Send the input of a turn. @throws ProgramFailure */
export async function startTurn(turn: RuntimeTurn, thread: Thread, { program, running }: Work): Promise<string> {
  const model = turn.model !== undefined && turn.model !== thread.model ? { model: turn.model } : {};
  const result = await refusedFails(
    program.request("turn/start", { threadId: thread.id, input: inputOf(turn, thread.history), ...model }),
  );
  const told = result["turn"];
  const id: unknown = typeof told === "object" && told !== null ? Reflect.get(told, "id") : undefined;
  if (typeof id === "string") running.named(id);
  return running.turnId() ?? "";
}

function inputOf(turn: RuntimeTurn, history: string | undefined): readonly object[] {
  const text = history === undefined ? turn.text : `${history}\n\n${turn.text}`;
  return [
    { type: "text", text },
    ...turn.pictures.map((picture) =>
      picture.startsWith("data:") ? { type: "image", url: picture } : { type: "localImage", path: picture },
    ),
  ];
}

/** Give words of the user to the turn that runs. @returns false: the program did not take them */
export async function steerTurn(program: Program, running: RunningTurn, text: string): Promise<boolean> {
  const turnId = running.turnId();
  if (turnId === undefined) return false;
  const input = [{ type: "text", text }];
  try {
    await program.request("turn/steer", { threadId: running.thread, expectedTurnId: turnId, input });
    return true;
  } catch (error) {
    if (error instanceof Refused || error instanceof ProgramFailure) return false;
    throw error;
  }
}

/** Wait for the end of a turn: told by the program, its own death, an interrupt of ours, or its time. */
export async function finishTurn(timeoutMs: Ms, work: Work, signal: AbortSignal): Promise<WorkEnd> {
  const { program, running } = work;
  const over = new AbortController();
  const interrupted = new Promise<"stopped">((resolve) => {
    if (signal.aborted) resolve("stopped");
    signal.addEventListener("abort", () => resolve("stopped"), { once: true, signal: over.signal });
  });
  try {
    const first = await Promise.race([
      running.ended,
      program.ended,
      interrupted,
      timeoutMs === 0 ? new Promise<never>(() => undefined) : late(timeoutMs, work, over.signal),
    ]);
    if (typeof first === "object") return { how: "told", end: first };
    if (first === "stopped" || first === "late") return { how: first, end: await interrupt(work) };
    await running.idle();
    return { how: "died", reason: first };
  } finally {
    over.abort();
  }
}

/** Resolves when the turn has worked for this time. */
async function late(timeoutMs: Ms, { clock, waited, asking }: Work, signal: AbortSignal): Promise<"late"> {
  const begun = clock.mono();
  try {
    for (;;) {
      const left = timeoutMs - (clock.mono() - begun - waited());
      if (left <= 0 && !asking()) return "late";
      await clock.sleep(Math.max(left, asking() ? ASKED_MS : 1), signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return "late"; // the turn is over: the result is not used
  }
}

/**
 * The program lets commands run on after an interrupt: those of this turn are ended. One that it does not end, because it was just being started,
 * ends with the program.
 *
 * @throws ProgramFailure
 */
async function stopCommands(program: Program, running: RunningTurn): Promise<void> {
  const processes = running.processes();
  // Before the program tells their end, so that the transcript does not depend on what is first.
  await running.interrupted();
  for (const processId of processes) {
    const { terminated } = await refusedFails(
      program.request("thread/backgroundTerminals/terminate", { threadId: running.thread, processId }),
    );
    if (terminated !== true) await program.close();
  }
}

/** Interrupt the turn. A program that does not end it is ended itself. */
async function interrupt({ program, running, clock }: Work): Promise<TurnEnd | undefined> {
  const turnId = running.turnId();
  const asked =
    turnId === undefined
      ? Promise.resolve({})
      : program.request("turn/interrupt", { threadId: running.thread, turnId }).catch((error: unknown) => {
          if (error instanceof Refused) return {}; // it has just ended
          throw error;
        });
  const ended = Promise.all([asked, running.ended]);
  try {
    if (await settlesWithin(clock, END_MS, Promise.race([ended, program.ended]))) {
      if (program.reason() !== undefined) return undefined;
      await stopCommands(program, running);
      return await running.ended;
    }
  } catch {
    /* ok to lose: it did not answer the interrupt, and is ended like one that says nothing. */
  }
  await program.close();
  await running.idle();
  return undefined;
}

interface EndingPlace {
  readonly timeoutMs: Ms;
  readonly worker: RuntimePlace["worker"];
  readonly now: EpochMs;
}

/** The status of a turn that came to its end, with the error that it tells. */
export function toEnding(
  end: WorkEnd,
  { timeoutMs, worker, now }: EndingPlace,
): Pick<RuntimeEnding, "status" | "error"> {
  if (end.how === "late") return { status: "timed_out", error: timeoutError(timeoutMs, worker) };
  if (end.how === "stopped") return { status: "interrupted" };
  if (end.how === "died") return { status: "failed", error: programError(new ProgramFailure(end.reason), worker) };
  const { status, error } = end.end;
  if (status === "completed" || status === "interrupted") return { status };
  return { status: "failed", error: turnFailure(error, worker, now) };
}
