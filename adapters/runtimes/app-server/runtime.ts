import type {
  AgentRuntime,
  RuntimeEnding,
  RuntimeHost,
  RuntimeParts,
  RuntimePlace,
  RuntimeTurn,
} from "../../../lib/contracts/runtimes/runtime.js";
import { type ActiveTurn, createActiveTurn } from "./active-turn.js";
import { ProgramFailure, programError } from "./failures.js";
import { createNotices } from "./notices.js";
import { createOwnTurns } from "./own-turns.js";
import type { ProgramEvents } from "./program.js";
import { createProgramLifecycle } from "./program-lifecycle.js";
import { unsupported } from "./requests/types.js";
import { beginThread } from "./session.js";
import { finishTurn, startTurn, steerTurn, toEnding } from "./work-turn.js";

/** The app-server of one conversation (extensions part, 8). */
export function openRuntime(parts: RuntimeParts, place: RuntimePlace): AgentRuntime {
  const { clock, log } = parts;
  const notices = createNotices(log);
  let active: ActiveTurn | undefined;
  /** Of the turn that runs, from its start: resolves when it takes words, or when it is over. */
  let takesWords: Promise<void> | undefined;

  const events: ProgramEvents = {
    notification: (method, params) => {
      if (notices.notification(method, params)) return;
      const id = params["threadId"];
      const between = active === undefined && id === lifecycle.current()?.thread?.id;
      if (ownTurns.notification(method, params, between)) return;
      if (active === undefined || (id !== undefined && id !== active.running.thread)) return;
      if (!active.running.notify(method, params)) lifecycle.closeInBackground();
    },
    request: async (method, id, params) => active?.answer(method, id, params) ?? unsupported(method),
  };
  const lifecycle = createProgramLifecycle(parts, place, events);
  const ownTurns = createOwnTurns({
    clock,
    log,
    told: () => notices.goalTurn(),
    program: () => lifecycle.current()?.program,
  });

  const work = async (
    turn: RuntimeTurn,
    host: RuntimeHost,
    signal: AbortSignal,
    onBegun: () => void,
  ): Promise<RuntimeEnding> => {
    const connection = await lifecycle.ready(signal);
    const { program, provider } = connection;
    await ownTurns.over(program);
    signal.throwIfAborted();
    const thread = await beginThread(turn, connection.thread, { program, provider, place, host });
    signal.throwIfAborted();
    await host.thread(thread.id);
    const now = createActiveTurn({ thread: thread.id, host, cwd: place.cwd, log });
    const { running } = now;
    active = now;
    void running.begun.then(onBegun);
    const worked = { program, running, clock, waited: () => host.waited(), asking: now.asking };
    try {
      signal.throwIfAborted();
      const turnId = await startTurn(turn, thread, worked);
      connection.thread = { id: thread.id, model: turn.model ?? thread.model };
      if (turnId !== "") await host.turnId(turnId);
      const stop = () => now.withdraw(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      const end = await finishTurn(turn.timeoutMs, worked, signal).finally(() =>
        signal.removeEventListener("abort", stop),
      );
      const ending = toEnding(end, { timeoutMs: turn.timeoutMs, worker: place.worker, now: clock.now() });
      if (ending.status !== "completed") await running.interrupted();
      return { ...ending, answer: running.answer(), began: true };
    } finally {
      now.withdraw(new Error("the turn is over"));
      active = undefined;
      if (program.reason() !== undefined) await lifecycle.close();
    }
  };
  return {
    turn: async (turn, host, signal) => {
      lifecycle.stopIdleTimer();
      notices.host(host);
      // Until the turn runs, only the end of the program ends a wait for its answer.
      const stop = () => {
        if (active === undefined) lifecycle.closeInBackground();
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
        await lifecycle.close();
        const quoted = new ProgramFailure(`${error.message}${notices.quoted()}`, error.remedy);
        return { status: "failed", answer: "", began: false, error: programError(quoted, place.worker) };
      } finally {
        signal.removeEventListener("abort", stop);
        takesWords = undefined;
        onBegun();
        lifecycle.startIdleTimer();
      }
    },
    steer: async (text) => {
      if (takesWords === undefined) return false;
      await takesWords;
      const program = lifecycle.current()?.program;
      return active !== undefined && program !== undefined && (await steerTurn(program, active.running, text));
    },
    close: lifecycle.close,
  };
}
