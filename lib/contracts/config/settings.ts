import type { ConfigKey, KeySource } from "./config.js";

export interface Setting {
  readonly key: string;
  /** Effective value; secrets masked. */
  readonly value: unknown;
  readonly source: KeySource;
  readonly help: string;
}

export interface SettingFinding {
  readonly key: string;
  readonly message: string;
}

/** What keys.yaml says about the keys of the workspace. */
export interface ScreenKeys {
  readonly path: string;
  /** Ids and their keys, in the spelling of the key table; an empty list for `none`. */
  readonly given: Readonly<Record<string, readonly string[]>>;
  /** What of it does not hold, one sentence each. */
  readonly problems: readonly string[];
}

/** The settings of this home as commands see and change them. */
export interface SettingsApi {
  /** Effective settings, by key. Values of the file that no key declares come last. */
  list(): readonly Setting[];
  /** One key or a section. Undefined: unknown. */
  get(key: string): Setting | undefined;
  /**
   * Write one value. Secrets go to `.env`.
   *
   * @throws E_USAGE unknown key without `force`; E_INVALID the value does not fit; E_CONFIG the file is broken, its bytes are unchanged
   */
  set(key: string, text: string, options: { readonly asText: boolean; readonly force: boolean }): Promise<Setting>;
  /** Remove a key. False: it was not there. */
  unset(key: string): Promise<boolean>;
  /** Read `config.yaml` and `.env` again; whatever follows settings follows the change. */
  reload(): Promise<void>;
  check(): Promise<readonly SettingFinding[]>;
  screenKeys(): Promise<ScreenKeys>;
  /** Every key that can be set, with its kind and default. */
  readonly keys: readonly ConfigKey<unknown>[];
  /** The settings file as written, secrets masked; empty if it does not exist. @throws E_CONFIG the file is invalid: secrets cannot be located */
  text(): Promise<string>;
  /**
   * Write several values, all or none; null removes one, the mask of a secret leaves it as it is. Comments of the file stay.
   *
   * @throws E_USAGE unknown key; E_INVALID a value does not fit; E_CONFIG the file is broken
   */
  change(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Names of the variables in `.env`, in their order. */
  variables(): readonly string[];
  /** Write a variable to `.env`, or remove it. Comments stay. @throws E_INVALID a name that is none, or changes how programs are loaded */
  setVariable(name: string, value: string | undefined): Promise<void>;
  /** Value of a variable of `.env`, unmasked; undefined: unknown variable. */
  reveal(name: string): string | undefined;
  readonly path: string;
  readonly envPath: string;
}
