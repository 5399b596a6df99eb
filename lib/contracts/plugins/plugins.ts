/** Plugins as commands, the dashboard and lists see them (extensions part, 4). */
import type { PluginCommandCall } from "./context.js";

/** Where a plugin was found. */
export type PluginSource = "bundled" | "user" | "project" | "package";

/**
 * `loaded`: its code runs in this process. `enabled`: it will run once something needs it. `needs consent`: it belongs to a project and its exact
 * files have not been allowed. `not enabled`: nothing of it runs.
 */
export type PluginState = "loaded" | "enabled" | "disabled" | "error" | "needs consent" | "not enabled";

/** A variable that a plugin reads. */
export interface PluginVariable {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly secret: boolean;
}

/** What a running plugin has registered, by kind; names only. */
export type PluginRegistrations = Readonly<Record<string, readonly string[]>>;

/** One plugin in a list. */
export interface PluginRow {
  /** Path below its root: `name` or `category/name`; of a package its name. */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly source: PluginSource;
  readonly kind: string;
  readonly state: PluginState;
  /** Why it does not run as it should. */
  readonly error: string | null;
  readonly url: string | null;
  readonly ref: string | null;
  readonly commit: string | null;
  readonly requires_env: readonly (PluginVariable & { readonly set: boolean })[];
  readonly provides_tools: readonly string[];
  readonly provides_hooks: readonly string[];
  readonly provides_cli: readonly string[];
  readonly policy: boolean;
  readonly registered: PluginRegistrations;
}

/** What an install would bring, shown before anything is enabled. */
export interface PluginPreview {
  readonly row: PluginRow;
  /** Names of npm packages that it depends on. */
  readonly dependencies: readonly string[];
  readonly warnings: readonly string[];
  /** A plugin of this key is installed already. */
  readonly exists: boolean;
  /** That plugin is enabled. */
  readonly enabled: boolean;
}

export interface InstallChoices {
  /** Replace the plugin of the same key. */
  readonly force: boolean;
  /** Directory that a relative path is below. */
  readonly cwd: string;
  /** Asked once the plugin is fetched and its manifest read. `undefined`: nothing is installed. */
  decide(preview: PluginPreview): Promise<{ readonly npm: boolean; readonly enable: boolean } | undefined>;
}

export interface PluginUpdate {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  /** Changed files, each with `A`, `M` or `D`. */
  readonly files: readonly { readonly status: string; readonly path: string }[];
  /** Code of an enabled plugin changes. */
  readonly asks: boolean;
}

/** Files of a project's plugin that would run, for the person who allows them. */
export interface PluginConsent {
  readonly key: string;
  readonly dir: string;
  readonly digest: string;
  readonly files: readonly string[];
  /** Allowed before, with other bytes. */
  readonly changed: boolean;
}

/** Where the files of an enabled plugin are. */
export interface PluginDirectory {
  readonly key: string;
  readonly source: PluginSource;
  /** Of a project's plugin the copy of what was allowed. */
  readonly dir: string;
}

/** The plugins of a home. */
export interface PluginsApi {
  list(): Promise<readonly PluginRow[]>;
  /** Those that may run. */
  directories(): Promise<readonly PluginDirectory[]>;
  /**
   * Add the key to `plugins.enabled` and take it off `plugins.disabled`; running owners load it.
   *
   * @param consent asked for a plugin of a project; false leaves it as it is
   * @throws E_NOT_FOUND unknown key; E_FORBIDDEN the consent was not given
   */
  enable(key: string, consent: (wanted: PluginConsent) => Promise<boolean>): Promise<PluginRow>;
  disable(key: string): Promise<PluginRow>;
  /** @throws E_INVALID, E_NOT_FOUND, E_STATE; undefined: it was decided against */
  install(source: string, choices: InstallChoices): Promise<PluginRow | undefined>;
  /** @param confirm asked when there is something new; false changes nothing */
  update(key: string, confirm: (update: PluginUpdate) => Promise<boolean>): Promise<PluginUpdate>;
  remove(key: string): Promise<void>;
  /** Look at directories and settings again: what changed is loaded again, between turns. */
  reload(): Promise<readonly PluginRow[]>;
  /**
   * Run a command `agent <name>` of a plugin, which is loaded for it.
   *
   * @throws E_NOT_FOUND no enabled plugin has it
   */
  run(name: string, argv: readonly string[], call: PluginCommandCall): Promise<PluginRun>;
}

/** What a command of a plugin answers. */
export interface PluginRun {
  readonly text?: string;
  readonly data: unknown;
  readonly exit?: number;
}
