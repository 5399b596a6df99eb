import type { Store } from "../../storage/store.js";
import { deleteValue, getValue, listValues, setValue } from "../../storage/tables/state.js";
import type { KeyMemory } from "../backplane/methods.js";
import type { Clock } from "../base/clock.js";
import { LIMITS } from "../base/limits.js";

const PREFIX = "request:";

interface Kept {
  readonly at: number;
  readonly result: unknown;
}

/** Answers of keyed requests, kept for 10 minutes in the state store, so that a request sent again after a restart is not done again. */
export function requestKeys(state: () => Promise<Store>, clock: Clock): KeyMemory {
  let sweptAt = -Infinity;
  const fresh = (kept: Kept) => clock.now() - kept.at < LIMITS.requestKeyMs;
  const sweep = async (store: Store) => {
    if (clock.mono() - sweptAt < LIMITS.requestKeyMs) return;
    sweptAt = clock.mono();
    const all = await store.read((q) => listValues(q, PREFIX, 10_000));
    const old = all.filter(({ value }) => !fresh(parse(value))).map(({ key }) => key);
    if (old.length === 0) return;
    await store.write("state.forget-requests", async (tx) => {
      for (const key of old) await deleteValue(tx, key);
    });
  };
  return {
    get: async (key) => {
      const text = await (await state()).read((q) => getValue(q, PREFIX + key));
      const kept = text === undefined ? undefined : parse(text);
      return kept && fresh(kept) ? { result: kept.result } : undefined;
    },
    set: async (key, result) => {
      const store = await state();
      await sweep(store);
      const at = clock.now();
      const value = JSON.stringify({ at, result: result ?? null } satisfies Kept);
      await store.write("state.keep-request", (tx) => setValue(tx, PREFIX + key, value, at));
    },
  };
}

const parse = (text: string): Kept => JSON.parse(text) as Kept; // written by `set`
