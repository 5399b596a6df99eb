import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { withLinkedSignal } from "../../../lib/base/async/abort-any.js";
import { createMailbox, type Mailbox } from "../../../lib/base/async/mailbox.js";
import { isRecord } from "../../../lib/base/json/record.js";
import type { Ms } from "../../../lib/base/units.js";
import type {
  AgentRuntime,
  RuntimeEnding,
  RuntimeHost,
  RuntimeParts,
  RuntimePlace,
  RuntimeTurn,
} from "../../../lib/contracts/runtimes/runtime.js";
import type { RequestDesk } from "./client-requests.js";
import { type AgentProgram, connectProgram } from "./connect.js";
import { ProgramFailure } from "./failures.js";
import { answerPermission } from "./permission.js";
import { promptOf } from "./prompt.js";
import { type AgentSession, beginSession, chooseModel } from "./session.js";
import { steer } from "./steer.js";
import { createTranscript, type Transcript } from "./transcript.js";
import { usageIn } from "./usage.js";
import { type PromptEnd, workPrompt } from "./work-prompt.js";

/** Extensions part, 8.2: a program without work is ended, and started again by the next turn. */
const IDLE_MS: Ms = 15 * 60_000;
/** Updates that may wait to be stored. */
const WAITING_UPDATES = 20_000;
/** What the turn itself adds to them: steered words, its end. */
const LAST_WORDS = 64;

/** A turn that the program works. */
interface Running {
  readonly session: AgentSession;
  readonly transcript: Transcript;
  readonly updates: Mailbox;
  readonly desk: RequestDesk;
  /** Questions that a person has not answered yet. */
  questions: number;
  /** A request was declined, which some programs take for the end of the turn. */
  declined: boolean;
  /** What it told could not be stored. */
  readonly broken: AbortController;
  /** Aborts when the turn is over or was stopped: open questions are withdrawn. */
  readonly stopped: AbortController;
}

/** The program of one conversation (extensions part, 8). */
export function openRuntime(parts: RuntimeParts, place: RuntimePlace): AgentRuntime {
  const { clock, log } = parts;
  let program: AgentProgram | undefined;
  let session: AgentSession | undefined;
  let running: Running | undefined;
  let stopIdle: () => void = () => undefined;

  /** What comes between turns, or while a session is loaded, belongs to no turn: it is in the transcript already. */
  const update = (params: unknown): boolean => {
    if (running === undefined || !isRecord(params) || params["sessionId"] !== running.session.id) return true;
    const { updates, transcript, broken } = running;
    if (updates.waiting >= WAITING_UPDATES) return false;
    const stored = updates.post(() => transcript.update(params["update"]));
    stored.catch((error: unknown) => broken.abort(error));
    return true;
  };
  const turnOf = (sessionId: string): RequestDesk | undefined =>
    running?.session.id === sessionId ? running.desk : undefined;

  const close = async (): Promise<void> => {
    stopIdle();
    const ending = program;
    program = undefined;
    session = undefined;
    await ending?.close();
  };
  const waitIdle = (): void => {
    stopIdle();
    if (program === undefined) return;
    stopIdle = clock.after(IDLE_MS, () => {
      close().catch((error: unknown) => log.warning("agent program could not be ended", { error: String(error) }));
    });
  };
  const ready = async (signal: AbortSignal): Promise<AgentProgram> => {
    if (program !== undefined && program.reason() === undefined) return program;
    await close();
    program = await connectProgram(parts, place, { update, turnOf }, signal);
    return program;
  };
  const work = async (turn: RuntimeTurn, host: RuntimeHost, signal: AbortSignal): Promise<RuntimeEnding> => {
    const at = await ready(signal);
    const begin = { program: at, place, host, signal };
    const begun = await beginSession(turn, session, begin);
    session = begun.session;
    if (turn.model !== undefined) await chooseModel(turn.model, session, begin);
    await host.thread(session.id);
    const sees = at.facts.agentCapabilities?.promptCapabilities?.image === true;
    const prompt = { sessionId: session.id, prompt: await promptOf(turn, begun.history, sees) };
    signal.throwIfAborted();
    const now = createRunning({ parts, place, host, session });
    running = now;
    const bounds = {
      program: at,
      clock,
      timeoutMs: turn.timeoutMs,
      waited: () => host.waited(),
      asking: () => now.questions > 0,
      withdraw: () => {
        now.stopped.abort();
        now.transcript.stopped();
      },
    };
    let leftRunning = false;
    try {
      const end = await withLinkedSignal([signal, now.broken.signal], (stop) => workPrompt(prompt, bounds, stop));
      await now.updates.idle();
      leftRunning = end.status !== "completed" && now.transcript.runs();
      const answer = await now.updates.post(() => now.transcript.finish());
      now.broken.signal.throwIfAborted();
      const ending = toEnding(end, answer, { host, window: now.transcript.window() });
      // We did not interrupt it: the program stopped at a refusal, where others go on.
      const stoppedItself = ending.status === "interrupted" && now.declined && !signal.aborted;
      return stoppedItself ? { ...ending, status: "completed" } : ending;
    } finally {
      running = undefined;
      now.stopped.abort();
      // Programs let commands run on after a turn that was cancelled.
      if (leftRunning || at.reason() !== undefined) await close();
    }
  };
  return {
    turn: async (turn, host, signal) => {
      stopIdle();
      try {
        return await work(turn, host, signal);
      } catch (error) {
        if (error instanceof ProgramFailure) return { status: "failed", answer: "", began: false, error: error.error };
        if (signal.aborted) return { status: "interrupted", answer: "", began: false };
        throw error;
      } finally {
        waitIdle();
      }
    },
    steer: async (text) => {
      const now = running;
      if (now === undefined || program === undefined) return false;
      const took = await steer(program, now.session.id, text);
      if (took) await now.updates.post(() => now.transcript.steered(text));
      return took;
    },
    close,
  };
}

interface RunningParts {
  readonly parts: RuntimeParts;
  readonly place: RuntimePlace;
  readonly host: RuntimeHost;
  readonly session: AgentSession;
}

function createRunning({ parts, place, host, session }: RunningParts): Running {
  const { cwd } = place;
  const { log } = parts;
  const stopped = new AbortController();
  const transcript = createTranscript({ host, log, cwd, mark: parts.ids.hex(6), used: session.used });
  const updates = createMailbox("updates of the agent program", WAITING_UPDATES + LAST_WORDS);
  const permit = async (request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> => {
    if (stopped.signal.aborted) return { outcome: { outcome: "cancelled" } };
    now.questions += 1;
    try {
      // What the program has told of the call before it asks comes first.
      await updates.idle();
      const answer = await withLinkedSignal([signal, stopped.signal], (either) =>
        answerPermission(request, { host, transcript, cwd, log }, either),
      );
      now.declined ||= isRejection(answer, request);
      return answer;
    } finally {
      now.questions -= 1;
    }
  };
  const now: Running = {
    session,
    transcript,
    updates,
    desk: { host, permit },
    questions: 0,
    declined: false,
    broken: new AbortController(),
    stopped,
  };
  return now;
}

function isRejection({ outcome }: RequestPermissionResponse, { options }: RequestPermissionRequest): boolean {
  if (outcome.outcome !== "selected") return false;
  const chosen = options.find(({ optionId }) => optionId === outcome.optionId);
  return chosen?.kind === "reject_once" || chosen?.kind === "reject_always";
}

/** The ending of a turn with the last words of the agent, and its tokens. */
function toEnding(
  end: PromptEnd,
  answer: string,
  { host, window }: { readonly host: RuntimeHost; readonly window: number | undefined },
): RuntimeEnding {
  const usage = usageIn(end.response?._meta);
  if (usage !== undefined) host.usage(usage, window);
  const error = end.failure === undefined ? {} : { error: end.failure.error };
  return { status: end.status, answer, began: true, ...error };
}
