import { readFileChange } from "../base/fs/text-file.js";
import type { Home } from "../base/home.js";
import type { Clock } from "../base/time/clock.js";
import type { Config, ConfigKey } from "../contracts/config/config.js";
import { unknownKeys } from "./check-settings.js";
import {
  expandVariables,
  keepCorrupt,
  readDottedPath,
  readEnvFile,
  readSettingsFile,
  type Settings,
} from "./read-settings.js";
import { createValues } from "./setting-values.js";

type Env = Readonly<Record<string, string | undefined>>;

/** The settings of one home, with what was found wrong in them. */
export interface LoadedConfig extends Config {
  /** Read the file again. A broken file keeps the last good settings, an invalid value the last valid one of its key. */
  reload(): Promise<void>;
  /** Read the file again if it was changed since and rests: for those who cannot wait until its watcher says so. */
  refresh(): Promise<void>;
  /** Sentences about a broken file or mistyped values, for status, doctor and the start notice. */
  problems(): readonly string[];
  /** Sentences about keys of the file that are not known. They are kept and have no effect. */
  warnings(): readonly string[];
  /** Settings as the file has them. */
  readonly file: Settings;
  /** Process environment with `.env` of the home over it. */
  readonly env: Env;
  /** What the process was given, without `.env`: its variables are for the program itself, not for what it starts. */
  readonly outer: Env;
  readonly keys: readonly ConfigKey<unknown>[];
}

export interface ConfigOptions {
  readonly home: Home;
  readonly env: Env;
  readonly clock: Clock;
  readonly keys: readonly ConfigKey<unknown>[];
  /** Values that win over everything, from the command line. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Run on defaults: `config.yaml` is not looked at. */
  readonly ignoreFile?: boolean;
  /** Read-only commands leave no copy of a broken file behind. */
  readonly readonly?: boolean;
}

/** Load config.yaml and `.env` of a home (part 70, 9.2). Never throws for what the files hold. */
export async function loadConfig(options: ConfigOptions): Promise<LoadedConfig> {
  const { home, clock } = options;
  const env: Record<string, string | undefined> = { ...options.env };
  const listeners = new Set<() => void>();
  let file: Settings = {};
  let broken: string | undefined;
  const values = createValues({ ...options, env });
  let seen: string | undefined;

  let own: readonly string[] = [];
  /** Names that have left `.env` mean again what the process was given. Holders of the record see the change. */
  const takeEnv = () => {
    const given = readEnvFile(home.env);
    for (const name of own) if (!(name in given)) restore(env, name, options.env[name]);
    own = Object.keys(given);
    Object.assign(env, given);
  };
  takeEnv();
  const load = async () => {
    if (options.ignoreFile === true) return;
    seen = readFileChange(home.config)?.stamp;
    const result = await readSettingsFile(home.config);
    if (result.ok) {
      file = expandVariables(result.settings, env) as Settings; // expansion keeps the shape
      broken = undefined;
      values.take(file);
      return;
    }
    broken = result.message;
    if (!options.readonly)
      await keepCorrupt(home.config, result.text, new Date(clock.now()).toISOString().replaceAll(":", ""));
  };
  await load();

  const reload = async () => {
    takeEnv();
    await load();
    for (const listener of listeners) listener();
  };

  return {
    get: <T>(key: ConfigKey<T>) => values.find(key).value as T, // `coerce` brought it into the kind the key declares
    source: (key) => values.find(key).source,
    raw: (path) => readDottedPath(file, path),
    hasVariable: (prefix) =>
      Object.entries(env).some(([name, value]) => name.startsWith(prefix) && value !== undefined && value !== ""),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reload,
    refresh: async () => {
      if (options.ignoreFile === true) return;
      const change = readFileChange(home.config);
      if (change?.stamp === seen) return;
      // What is being written looks broken for a moment. A file from the future is one from before the clock was set.
      if (change === undefined || Math.abs(clock.now() - change.at) >= REST_MS) await reload();
    },
    warnings: () => unknownKeys(file, options.keys),
    problems: () => [...(broken === undefined ? [] : [broken]), ...values.mistyped()],
    get file() {
      return file;
    },
    env,
    outer: options.env,
    keys: options.keys,
  };
}

function restore(env: Record<string, string | undefined>, name: string, value: string | undefined): void {
  if (value === undefined) delete env[name];
  else env[name] = value;
}

/** How long a file has to be left alone until it counts as it is. */
export const REST_MS = 200;
