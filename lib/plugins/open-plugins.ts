import { type Once, once } from "../base/async/lazy.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log/log.js";
import type { Spawner } from "../base/process/spawn.js";
import type { Clock } from "../base/time/clock.js";
import type { Config } from "../contracts/config/config.js";
import type { SettingsApi } from "../contracts/config/settings.js";
import type { HookRegistrations } from "../contracts/hooks/hooks.js";
import type { ProviderKind } from "../contracts/plugins/context.js";
import type { PluginsApi } from "../contracts/plugins/plugins.js";
import { pluginDebug } from "./find/debug.js";
import { loadingMarks, pluginRecords } from "./find/records.js";
import { pluginRoots } from "./find/roots.js";
import { type ImportModule, REGISTER_MS } from "./host/load-plugin.js";
import type { ContextDeps } from "./host/plugin-context.js";
import { createPluginHost, type PluginHost } from "./host/plugin-host.js";
import { createProviderRegistry, type ProviderConsumer, type ProviderRegistry } from "./host/providers.js";
import { createPluginsApi } from "./manage/plugins-api.js";

/** What the plugins of a process are built on. */
export interface OpenPluginsDeps {
  readonly home: Home;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly spawner: Spawner;
  readonly config: Pick<Config, "get" | "raw">;
  readonly settings: Pick<SettingsApi, "change">;
  readonly env: () => Readonly<Record<string, string | undefined>>;
  readonly safe: boolean;
  readonly hooks: HookRegistrations;
  readonly importModule: ImportModule;
  /** First words of built-in commands. */
  readonly slashNames: ReadonlySet<string>;
  readonly cliNames: ReadonlySet<string>;
  readonly chat: ContextDeps["chat"];
  readonly aux: ContextDeps["aux"];
  /** Parts of the program that take objects of plugins. */
  readonly consumers?: Partial<Record<ProviderKind, ProviderConsumer>>;
  /** Where the plugins of the product are. */
  readonly bundled: string;
  /** `.agent/plugins` of the directory that the process was started in, where the person wants such plugins. */
  readonly project: string | undefined;
  /** Of the owner; undefined: another process, which leaves no marks of what it loads. */
  readonly pid: number | undefined;
  readonly lives: (pid: number) => boolean;
  /** Standard error, for `AGENT_PLUGINS_DEBUG`. */
  readonly write: (line: string) => void;
  readonly registerMs?: number;
}

export interface OpenPlugins {
  readonly host: PluginHost;
  readonly api: PluginsApi;
  readonly providers: ProviderRegistry;
  /** Load what is enabled, once. */
  readonly loaded: Once<void>;
}

/** Plugins of a process. Nothing is looked for or loaded yet. */
export function openPlugins(deps: OpenPluginsDeps): OpenPlugins {
  const { home, config, env, safe, settings } = deps;
  const log = deps.log.child("plugins");
  const debug = pluginDebug(env(), log, deps.write);
  const roots = pluginRoots(home.dir, deps);
  const records = pluginRecords(home.dir);
  const marks = deps.pid === undefined ? undefined : loadingMarks(home.dir, deps.pid);
  const providers = createProviderRegistry(deps.consumers);
  const shared = { ...deps, log, debug, roots, records, marks, providers, homeDir: home.dir };
  const host = createPluginHost({ ...shared, registerMs: deps.registerMs ?? REGISTER_MS });
  const loaded = once(() => host.load());
  const api = createPluginsApi({
    ...shared,
    config,
    settings,
    env,
    safe,
    userHome: env()["HOME"] ?? home.dir,
    live: async () => (loaded.peek() === undefined ? undefined : host),
    loaded: async () => {
      await loaded();
      return host;
    },
    changed: async (fresh) => {
      if (loaded.peek() !== undefined) await host.load(fresh);
    },
  });
  return { host, api, providers, loaded };
}
