import type { RuntimeHost, RuntimePlace, RuntimeTurn } from "../../../lib/contracts/runtimes/runtime.js";
import { KEY_PROVIDER } from "./arguments.js";
import { ProgramFailure, Refused } from "./failures.js";
import type { Program } from "./program.js";

/** The thread that a turn works on. */
export interface Thread {
  readonly id: string;
  /** Model that the thread got last; undefined: its own. */
  readonly model: string | undefined;
  /** What was said before, for the first input of a new thread. */
  readonly history?: string;
}

interface Begin {
  readonly program: Program;
  /** Provider that the program is to use; undefined: its own. */
  readonly provider: string | undefined;
  readonly place: RuntimePlace;
  readonly host: RuntimeHost;
}

/**
 * The thread of a turn: the one of this process, one that is resumed, or a new one (extensions part, 8.8).
 *
 * @param loaded The thread that this process of the program has.
 * @throws ProgramFailure
 */
export async function beginThread(turn: RuntimeTurn, loaded: Thread | undefined, begin: Begin): Promise<Thread> {
  const { thread, revertTo } = turn;
  if (thread === undefined) return await startThread(turn, begin);
  try {
    const there = loaded?.id === thread ? loaded : await resumeThread(thread, begin);
    if (revertTo !== undefined)
      await begin.program.request("thread/revert", { threadId: thread, beforeTurnId: revertTo });
    return { id: there.id, model: there.model };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const what = revertTo === undefined ? "continue its thread" : "take its thread back";
    begin.host.notice({
      level: "info",
      text: `the app-server cannot ${what} (${error.message}); a new thread begins with the last messages`,
    });
    return await startThread(turn, begin);
  }
}

async function resumeThread(threadId: string, { program, provider }: Begin): Promise<Thread> {
  await program.request("thread/resume", { threadId, excludeTurns: true, ...providerParams(provider) });
  return { id: threadId, model: undefined };
}

const providerParams = (provider: string | undefined) => (provider === undefined ? {} : { modelProvider: provider });

/**
 * Who answers the program's requests: its own settings or login, or the key of the agent where it has neither.
 *
 * @returns undefined for its own
 */
export async function chooseProvider(program: Program, { vendor }: RuntimePlace): Promise<string | undefined> {
  if (vendor === undefined) return undefined;
  try {
    const { account, requiresOpenaiAuth } = await program.request("account/read", {});
    return requiresOpenaiAuth === true && account === null ? KEY_PROVIDER : undefined;
  } catch (error) {
    if (error instanceof Refused) return undefined; // an older program, which reads the key by itself
    throw error;
  }
}

async function startThread(turn: RuntimeTurn, { program, place, provider }: Begin): Promise<Thread> {
  const history = await turn.history();
  const model = turn.model === undefined ? {} : { model: turn.model };
  const result = await refusedFails(
    program.request("thread/start", { cwd: place.cwd, ...model, ...providerParams(provider) }),
  );
  const id = threadIdIn(result);
  if (id === undefined) throw new ProgramFailure("the app-server began no thread: its answer has no thread id");
  return { id, model: turn.model, ...(history === undefined ? {} : { history }) };
}

/** Ids of threads, as versions of the program name them. */
function threadIdIn(result: Readonly<Record<string, unknown>>): string | undefined {
  const { thread, sessionId, threadId } = result;
  const id: unknown = typeof thread === "object" && thread !== null ? Reflect.get(thread, "id") : undefined;
  return [id, sessionId, threadId].find((each): each is string => typeof each === "string" && each !== "");
}

/** A refusal of what must work is a failure of the program. */
export async function refusedFails<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof Refused ? new ProgramFailure(`the app-server refused: ${error.message}`) : error;
  }
}
