import type { Clock } from "../../base/clock.js";
import type { Home } from "../../base/home.js";
import type { Config, ConfigKey, KeySource } from "../../proto/config.js";
import { coerce } from "../../proto/key-kinds.js";
import { dig, expandVariables, keepCorrupt, readEnvFile, readSettings, type Settings } from "./read.js";

type Env = Readonly<Record<string, string | undefined>>;

/** The settings of one home, with what was found wrong in them. */
export interface LoadedConfig extends Config {
  /** Read the file again. A broken file keeps the last good settings. */
  reload(): Promise<void>;
  /** Sentences about a broken file or mistyped values, for status, doctor and the start notice. */
  problems(): readonly string[];
  /** Settings as the file has them. */
  readonly file: Settings;
  /** Process environment with `.env` of the home over it. */
  readonly env: Env;
  readonly keys: readonly ConfigKey<unknown>[];
}

export interface ConfigOptions {
  readonly home: Home;
  readonly env: Env;
  readonly clock: Clock;
  readonly keys: readonly ConfigKey<unknown>[];
  /** Values that win over everything, from the command line. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Read-only commands leave no copy of a broken file behind. */
  readonly readonly?: boolean;
}

/** Load config.yaml and `.env` of a home (part 70, 9.2). Never throws for what the files hold. */
export async function loadConfig(options: ConfigOptions): Promise<LoadedConfig> {
  const { home, clock } = options;
  const env = { ...options.env, ...readEnvFile(home.env) };
  const listeners = new Set<() => void>();
  let file: Settings = {};
  let broken: string | undefined;
  const mistyped = new Map<string, string>();

  const load = async () => {
    const result = await readSettings(home.config);
    if (result.ok) {
      file = expandVariables(result.settings, env) as Settings; // expansion keeps the shape
      broken = undefined;
      mistyped.clear();
      return;
    }
    broken = result.message;
    if (!options.readonly) await keepCorrupt(home.config, result.text, new Date(clock.now()).toISOString().replaceAll(":", ""));
  };
  await load();

  const find = (key: ConfigKey<unknown>): { value: unknown; source: KeySource } => {
    const forced = options.overrides?.[key.key];
    if (forced !== undefined) return { value: forced, source: "environment" };
    const variable = key.env === undefined ? undefined : env[key.env];
    const fromEnv = variable === undefined || variable === "" ? undefined : coerce(key.kind, variable);
    if (fromEnv?.ok) return { value: fromEnv.value, source: "environment" };
    const written = dig(file, key.key);
    if (written === undefined || written === null) return { value: key.default, source: "default" };
    const value = coerce(key.kind, written);
    if (value.ok) return { value: value.value, source: "file" };
    mistyped.set(key.key, `${key.key}: ${value.wanted} is expected, not ${JSON.stringify(written)}; the default is used`);
    return { value: key.default, source: "default" };
  };

  return {
    get: <T>(key: ConfigKey<T>) => find(key).value as T, // `coerce` brought it into the kind the key declares
    source: (key) => find(key).source,
    raw: (path) => dig(file, path),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reload: async () => {
      await load();
      for (const listener of listeners) listener();
    },
    problems: () => {
      for (const key of options.keys) find(key);
      return [...(broken === undefined ? [] : [broken]), ...mistyped.values()];
    },
    get file() {
      return file;
    },
    env,
    keys: options.keys,
  };
}
