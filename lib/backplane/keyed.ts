import type { Clock } from "../base/clock.js";
import { LIMITS } from "../base/limits.js";
import type { KeyMemory } from "./methods.js";

/** Lets a call with a key happen once, however often it is asked for. */
export interface KeyedCalls {
  /** The first result of `key`; runs `body` only when there is none. A failure is not remembered. */
  once(key: string, body: () => Promise<unknown>): Promise<unknown>;
}

/** `memory` survives the owner; calls that are open at this moment are joined in memory. */
export function createKeyedCalls(memory: KeyMemory): KeyedCalls {
  const open = new Map<string, Promise<unknown>>();
  const first = async (key: string, body: () => Promise<unknown>) => {
    const known = await memory.get(key);
    if (known) return known.result;
    const result = await body();
    await memory.set(key, result ?? null);
    return result;
  };
  return {
    once: async (key, body) => {
      const running = open.get(key);
      if (running !== undefined) return await running;
      const mine = first(key, body).finally(() => open.delete(key));
      open.set(key, mine);
      return await mine;
    },
  };
}

/** Keys kept by one process alone. */
const REMEMBERED_MAX = 10_000;

/** Remembers keys for 10 minutes while this process lives, for owners without a state store. */
export function memoryOfKeys(clock: Clock): KeyMemory {
  const kept = new Map<string, { at: number; result: unknown }>();
  const drop = () => {
    for (const [key, entry] of kept) {
      if (clock.mono() - entry.at < LIMITS.requestKeyMs && kept.size <= REMEMBERED_MAX) return;
      kept.delete(key);
    }
  };
  return {
    get: async (key) => {
      const entry = kept.get(key);
      return entry && clock.mono() - entry.at < LIMITS.requestKeyMs ? { result: entry.result } : undefined;
    },
    set: async (key, result) => {
      kept.set(key, { at: clock.mono(), result });
      drop();
    },
  };
}
