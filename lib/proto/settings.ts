import type { KeySource } from "./config.js";

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
  check(): Promise<readonly SettingFinding[]>;
  screenKeys(): Promise<ScreenKeys>;
  readonly path: string;
  readonly envPath: string;
}
