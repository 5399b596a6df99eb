import { isRecord } from "../../../lib/base/json/record.js";
import type { Ms } from "../../../lib/base/units.js";
import { CALLBACK_SERVER } from "../../../lib/contracts/runtimes/callback-wire.js";
import type {
  AgentRuntime,
  RuntimeEnding,
  RuntimeHost,
  RuntimeParts,
  RuntimePlace,
  RuntimeTurn,
} from "../../../lib/contracts/runtimes/runtime.js";
import { ProgramFailure, programError, Refused, timeoutError, turnFailure } from "./failures.js";
import { callOf } from "./items.js";
import { createNotices } from "./notices.js";
import { createOwnTurns } from "./own-turns.js";
import { type Program, type ProgramEvents, startProgram } from "./program.js";
import { createRequests, type ServerRequests } from "./requests/requests.js";
import { unsupported } from "./requests/types.js";
import { createRunningTurn, type RunningTurn } from "./running.js";
import { beginThread, chooseProvider, type Thread } from "./session.js";
import { finishTurn, startTurn, type WorkEnd } from "./work-turn.js";

/** Extensions part, 8.2: a program without work is ended, and started again by the next turn. */
const IDLE_MS: Ms = 15 * 60_000;

/** A turn, and what belongs to it. */
interface Active {
  readonly running: RunningTurn;
  readonly requests: ServerRequests;
  /** Aborts when the turn is over or was interrupted: open questions are withdrawn. */
  readonly over: AbortController;
  asking: number;
}

/** The app-server of one conversation (extensions part, 8). */
export function openRuntime(parts: RuntimeParts, place: RuntimePlace): AgentRuntime {
  const { clock, log } = parts;
  const notices = createNotices(log);
  let program: Program | undefined;
  let provider: string | undefined;
  let thread: Thread | undefined;
  let active: Active | undefined;
  /** Of the turn that runs, from its start: resolves when it takes words, or when it is over. */
  let takesWords: Promise<void> | undefined;
  let ending: Promise<void> = Promise.resolve();
  let stopIdle: () => void = () => undefined;

  const own = createOwnTurns({ clock, log, told: () => notices.goalTurn(), program: () => program });
  const events: ProgramEvents = {
    notification: (method, params) => {
      if (notices.notification(method, params)) return;
      const id = params["threadId"];
      if (own.notification(method, params, active === undefined && id === thread?.id)) return;
      if (active === undefined || (id !== undefined && id !== active.running.thread)) return;
      if (!active.running.notify(method, params)) quietly(close());
    },
    request: async (method, id, params) => {
      const now = active;
      if (now === undefined) return unsupported(method);
      now.asking += 1;
      try {
        // What it told before it asks comes first.
        await now.running.idle();
        return await now.requests.answer(method, id, params, now.over.signal);
      } finally {
        now.asking -= 1;
      }
    },
  };
  /** One that ends at this moment is waited for as well. */
  const close = async (): Promise<void> => {
    stopIdle();
    ending = program?.close() ?? ending;
    program = undefined;
    thread = undefined;
    await ending;
  };
  const quietly = (closing: Promise<void>): void => {
    closing.catch((error: unknown) => log.warning("app-server could not be ended", { error: String(error) }));
  };
  const waitIdle = (): void => {
    stopIdle();
    if (program === undefined) return;
    stopIdle = clock.after(IDLE_MS, () => quietly(close()));
  };
  const ready = async (signal: AbortSignal): Promise<Program> => {
    if (program !== undefined && program.reason() === undefined) return program;
    await close();
    program = await startProgram(parts, place, events, signal);
    provider = await chooseProvider(program, place);
    return program;
  };
  const activate = (id: string, host: RuntimeHost): Active => {
    const running: RunningTurn = createRunningTurn({
      thread: id,
      host,
      log,
      resolved: (request) => requests.resolved(request),
    });
    const requests = createRequests({
      host: withCallIds(host, running),
      itemsStarted: running.started,
      cwd: place.cwd,
      callbackServer: CALLBACK_SERVER,
      log,
    });
    return { running, requests, over: new AbortController(), asking: 0 };
  };
  const work = async (
    turn: RuntimeTurn,
    host: RuntimeHost,
    signal: AbortSignal,
    onBegun: () => void,
  ): Promise<RuntimeEnding> => {
    const at = await ready(signal);
    await own.over(at);
    signal.throwIfAborted();
    const begun = await beginThread(turn, thread, { program: at, provider, place, host });
    signal.throwIfAborted();
    await host.thread(begun.id);
    const now = activate(begun.id, host);
    const { running } = now;
    active = now;
    void running.begun.then(onBegun);
    const all = { program: at, running, clock, waited: () => host.waited(), asking: () => now.asking > 0 };
    try {
      signal.throwIfAborted();
      const turnId = await startTurn(turn, begun, all);
      thread = { id: begun.id, model: turn.model ?? begun.model };
      if (turnId !== "") await host.turnId(turnId);
      const stop = () => now.over.abort(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      const end = await finishTurn(turn.timeoutMs, all, signal).finally(() =>
        signal.removeEventListener("abort", stop),
      );
      const ending = endingOf(end, turn);
      if (ending.status !== "completed") await running.interrupted();
      return { ...ending, answer: running.answer(), began: true };
    } finally {
      now.over.abort(new Error("the turn is over"));
      active = undefined;
      if (at.reason() !== undefined) await close();
    }
  };
  const endingOf = (end: WorkEnd, turn: RuntimeTurn): Pick<RuntimeEnding, "status" | "error"> => {
    const { worker } = place;
    if (end.how === "late") return { status: "timed_out", error: timeoutError(turn.timeoutMs, worker) };
    if (end.how === "stopped") return { status: "interrupted" };
    if (end.how === "died") return { status: "failed", error: programError(new ProgramFailure(end.reason), worker) };
    const { status, error } = end.end;
    if (status === "completed" || status === "interrupted") return { status };
    return { status: "failed", error: turnFailure(error, worker, clock.now()) };
  };
  return {
    turn: async (turn, host, signal) => {
      stopIdle();
      notices.host(host);
      // Until the turn runs, only the end of the program ends a wait for its answer.
      const stop = () => {
        if (active === undefined) quietly(close());
      };
      signal.addEventListener("abort", stop, { once: true });
      let onBegun: () => void = () => undefined;
      takesWords = new Promise((resolve) => {
        onBegun = resolve;
      });
      try {
        return await work(turn, host, signal, onBegun);
      } catch (error) {
        if (signal.aborted) return { status: "interrupted", answer: "", began: false };
        if (!(error instanceof ProgramFailure)) throw error;
        // What did not begin well is not used again.
        await close();
        const quoted = new ProgramFailure(`${error.message}${notices.quoted()}`, error.remedy);
        return { status: "failed", answer: "", began: false, error: programError(quoted, place.worker) };
      } finally {
        signal.removeEventListener("abort", stop);
        takesWords = undefined;
        onBegun();
        waitIdle();
      }
    },
    steer: async (text) => {
      if (takesWords === undefined) return false;
      await takesWords;
      const turnId = active?.running.turnId();
      if (active === undefined || program === undefined || turnId === undefined) return false;
      const input = [{ type: "text", text }];
      try {
        await program.request("turn/steer", { threadId: active.running.thread, expectedTurnId: turnId, input });
        return true;
      } catch (error) {
        if (error instanceof Refused || error instanceof ProgramFailure) return false;
        throw error;
      }
    },
    close,
  };
}

/** Questions name a call as the transcript does. */
function withCallIds(host: RuntimeHost, { started }: RunningTurn): Pick<RuntimeHost, "permit" | "ask" | "notice"> {
  return {
    ask: (question, signal) => host.ask(question, signal),
    notice: (notice) => host.notice(notice),
    permit: (asked, signal) => {
      const item = started.get(asked.callId);
      const call = isRecord(item) ? callOf(item) : undefined;
      return host.permit(call === undefined ? asked : { ...asked, callId: call.id }, signal);
    },
  };
}
