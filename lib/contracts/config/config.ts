/** Version of the settings file that this program writes; a file without `_config_version` has it. */
export const CONFIG_VERSION = 1;
/** Configuration keys are data: the module that uses a key declares it; loader, `config check`, help and `config set` read the same declaration. */

export type KeyKind =
  | { readonly type: "boolean" }
  | { readonly type: "string" }
  | { readonly type: "integer"; readonly min?: number; readonly max?: number }
  | { readonly type: "number"; readonly min?: number; readonly max?: number }
  | { readonly type: "choice"; readonly of: readonly string[] }
  | { readonly type: "strings" }
  /** A whole number of at least 1, or the word `unlimited`; empty means unset. */
  | { readonly type: "limit" }
  /** A map or list whose inside the module itself checks. */
  | { readonly type: "any" };

export interface ConfigKey<T> {
  /** Dotted path in config.yaml, `kanban.failure_limit`. A `*` matches any name. */
  readonly key: string;
  readonly kind: KeyKind;
  readonly default: T;
  /** Variable that wins over the file. */
  readonly env?: string;
  /** One sentence for `agent config list`. */
  readonly help: string;
  /** An invalid value counts as the default. Without it the last valid value of the running process stays in force. */
  readonly invalidIsDefault?: true;
  /** Further constraint on the text, checked when it is written and by `config check`; a running process uses the value unchecked. */
  readonly form?: "http_address";
  /** Holds a secret: shown masked, written to `.env`. */
  readonly secret?: boolean;
}

/**
 * Declare a setting. `make index` finds it in an exported array whose name ends in `_KEYS`, in the same file or in another one of its module. In a
 * definition (command, tool, provider), which is loaded by its first use, settings are plain data: the list of all settings holds a copy.
 */
export const configKey = <T>(key: ConfigKey<T>): ConfigKey<T> => key;

export type KeySource = "default" | "file" | "environment";

/** The settings in force. Never a copy kept elsewhere: values change while the owner runs. */
export interface Config {
  get<T>(key: ConfigKey<T>): T;
  source(key: ConfigKey<unknown>): KeySource;
  /** Value under a dotted path that no key declares, e.g. `providers.acme`. */
  raw(path: string): unknown;
  /** Whether a variable whose name starts with `prefix` has a value, in the environment of the program or in `.env`. */
  hasVariable(prefix: string): boolean;
  onChange(listener: () => void): () => void;
}
