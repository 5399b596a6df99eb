import type { ConfigKey, KeySource } from "../contracts/config/config.js";
import { coerce } from "../contracts/ui/key-kinds.js";
import { readDottedPath, type Settings } from "./read-settings.js";

interface Found {
  readonly value: unknown;
  readonly source: KeySource;
}

/** The values of keys in one settings file after the other. */
export interface ConfigValues {
  /** The file is this from now on. A key whose value is invalid in it keeps its last valid one, unless it says otherwise. */
  take(file: Settings): void;
  find(key: ConfigKey<unknown>): Found;
  /** Sentences about values that are of no use, and what counts instead. */
  mistyped(): readonly string[];
}

export interface ValuesOptions {
  readonly keys: readonly ConfigKey<unknown>[];
  readonly overrides?: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createValues({ keys, overrides, env }: ValuesOptions): ConfigValues {
  const mistyped = new Map<string, string>();
  const valid = new Map<string, unknown>();
  let file: Settings = {};
  /** What was found in this file. A key with a variable is looked up each time: variables change beside it. */
  let known = new WeakMap<ConfigKey<unknown>, Found>();
  const find = (key: ConfigKey<unknown>): Found => {
    const found = known.get(key) ?? look(key);
    if (key.env === undefined) known.set(key, found);
    return found;
  };
  const look = (key: ConfigKey<unknown>): Found => {
    const forced = overrides?.[key.key];
    if (forced !== undefined) return { value: forced, source: "environment" };
    const variable = key.env === undefined ? undefined : env[key.env];
    const fromEnv = variable === undefined || variable === "" ? undefined : coerce(key.kind, variable);
    if (fromEnv?.ok) return { value: fromEnv.value, source: "environment" };
    const written = readDottedPath(file, key.key);
    if (written === undefined || written === null) return { value: key.default, source: "default" };
    const value = coerce(key.kind, written);
    if (value.ok) return { value: value.value, source: "file" };
    const kept = valid.has(key.key) && key.invalidIsDefault !== true;
    const instead = kept ? `${JSON.stringify(valid.get(key.key))} is kept` : "the default is used";
    mistyped.set(key.key, `${key.key} must be ${value.wanted}, not ${JSON.stringify(written)}; ${instead}`);
    return kept ? { value: valid.get(key.key), source: "file" } : { value: key.default, source: "default" };
  };
  return {
    take: (next) => {
      file = next;
      known = new WeakMap();
      mistyped.clear();
      keepValid(valid, keys, next);
    },
    find,
    mistyped: () => {
      for (const key of keys) find(key);
      return [...mistyped.values()];
    },
  };
}

/** Remember the valid value of each key; an invalid one leaves what was remembered, a missing one forgets it. */
function keepValid(valid: Map<string, unknown>, keys: readonly ConfigKey<unknown>[], file: Settings): void {
  for (const { key, kind } of keys) {
    const written = readDottedPath(file, key);
    const value = written === undefined || written === null ? undefined : coerce(kind, written);
    if (value === undefined) valid.delete(key);
    else if (value.ok) valid.set(key, value.value);
  }
}
