import { AppError, toAppError } from "../base/errors.js";
import { faultPoint } from "../base/fault.js";
import { LIMITS } from "../base/limits.js";
import type { Clock } from "../base/time/clock.js";
import type { KeyedRequest, KeyMemory, Recovered } from "./methods.js";

/** How one request is done, and what is known about it when an earlier owner had begun it. */
export interface KeyedWork {
  readonly repeat: "safe" | "noted";
  run(): Promise<unknown>;
  recover(): Promise<Recovered>;
}

/** Lets a call with a key happen once, however often it is asked for. */
export interface KeyedCalls {
  /** The first result of a request; does the work only when it has no result yet. A failure is not remembered. @throws E_OUTCOME_UNKNOWN */
  once(request: KeyedRequest, work: KeyedWork): Promise<unknown>;
}

/** `durable` survives the owner, `own` does not; calls that are open at this moment are joined in memory. */
export function createKeyedCalls(durable: KeyMemory, own: KeyMemory): KeyedCalls {
  const open = new Map<string, Promise<unknown>>();
  return {
    once: async (request, work) => {
      const name = `${request.method} ${request.key}`;
      const running = open.get(name);
      if (running !== undefined) return await running;
      const mine = first(work.repeat === "safe" ? own : durable, request, work).finally(() => open.delete(name));
      open.set(name, mine);
      return await mine;
    },
  };
}

async function first(memory: KeyMemory, request: KeyedRequest, work: KeyedWork): Promise<unknown> {
  const seen = await memory.begin(request);
  if (seen.kind === "seen" && seen.answer) return seen.answer.result;
  if (seen.kind === "seen") {
    const found = await work.recover();
    if (found === "unknown") throw unknownOutcome(request);
    if (found !== "not done") return await settled(memory, request, found.result);
  }
  faultPoint("request.noted", request.method);
  const result = await attempt(memory, request, work);
  faultPoint("request.done", request.method);
  return await settled(memory, request, result);
}

async function attempt(memory: KeyMemory, request: KeyedRequest, work: KeyedWork): Promise<unknown> {
  try {
    return await work.run();
  } catch (error) {
    // What may have happened anyway stays noted: to ask again must not do it again.
    if (toAppError(error).data["outcome"] !== "unknown") await memory.forget(request);
    throw error;
  }
}

async function settled(memory: KeyMemory, request: KeyedRequest, result: unknown): Promise<unknown> {
  await memory.settle(request, result ?? null);
  return result;
}

const unknownOutcome = ({ method, key }: KeyedRequest) =>
  new AppError("E_OUTCOME_UNKNOWN", `the owner exited during ${method}; the outcome is unknown`, {
    method,
    key,
  });

/** Keys kept by one process alone. */
const REMEMBERED_MAX = 10_000;

/** Remembers answers for 10 minutes while this process lives: what was begun and has no answer died with it. */
export function memoryOfKeys(clock: Clock): KeyMemory {
  const kept = new Map<string, { at: number; result: unknown }>();
  const nameOf = ({ method, key }: KeyedRequest) => `${method} ${key}`;
  const drop = () => {
    for (const [name, entry] of kept) {
      if (clock.mono() - entry.at < LIMITS.requestKeyMs && kept.size <= REMEMBERED_MAX) return;
      kept.delete(name);
    }
  };
  return {
    begin: async (request) => {
      const entry = kept.get(nameOf(request));
      const known = entry && clock.mono() - entry.at < LIMITS.requestKeyMs;
      return known ? { kind: "seen", answer: { result: entry.result } } : { kind: "new" };
    },
    settle: async (request, result) => {
      kept.set(nameOf(request), { at: clock.mono(), result });
      drop();
    },
    forget: async () => undefined,
  };
}
