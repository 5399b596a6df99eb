import { type Once, once } from "../../base/async/lazy.js";
import type { CommandSource } from "../../commands/define.js";
import type { AppOptions } from "../../config/app-options.js";
import type { PluginProvider, ProviderKind } from "../../contracts/plugins/context.js";
import type { PluginsApi } from "../../contracts/plugins/plugins.js";
import type { PluginSkill } from "../../contracts/skills/skill.js";
import { wantsPlugins } from "../../plugins/find/enablement.js";
import { isRegistering } from "../../plugins/host/load-plugin.js";
import { pluginSkills } from "../../plugins/host/providers.js";
import type { OpenPlugins } from "../../plugins/open-plugins.js";
import type { ToolSource } from "../../tools/core/tool-source.js";

/** The plugins of an app. Where none is enabled nothing of it is loaded, and no directory is looked at. */
export interface AppPlugins {
  readonly open: Once<OpenPlugins>;
  readonly source: ToolSource;
  readonly runtime: CommandSource;
  readonly api: PluginsApi;
  /** Skills that those which are loaded have registered. */
  skills(): readonly PluginSkill[];
  /** Objects of a kind that they have registered, the newest last. */
  provided(kind: ProviderKind): readonly PluginProvider[];
  /** Resolves when what is enabled is loaded. */
  ready(): Promise<void>;
  /** Load what is enabled, and load again when settings change. Long-lived owners call it once they are ready. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param make builds the plugins with their first use */
export function createAppPlugins(options: AppOptions, make: () => Promise<OpenPlugins>): AppPlugins {
  const { config, safeMode, log } = options;
  let live: OpenPlugins | undefined;
  const open = once(async () => {
    live = await make();
    return live;
  });
  const wanted = () => safeMode !== true && wantsPlugins(config);
  const ready = async () => {
    if (!wanted() || isRegistering()) return;
    const { loaded } = await open();
    await loaded();
  };
  let unfollow = (): void => undefined;
  /** Settings have changed: what is enabled now is loaded, what is not is taken back. */
  const follow = async () => {
    if (!wanted() && live?.loaded.peek() === undefined) return;
    const { host, loaded } = await open();
    if (loaded.peek() === undefined) await loaded();
    else await host.load();
  };
  return {
    open,
    source: { entries: (place) => live?.host.toolSource.entries(place) ?? [], ready },
    runtime: { commands: () => live?.host.commands.commands() ?? [], ready },
    ready,
    skills: () => (live === undefined ? [] : pluginSkills(live.providers)),
    provided: (kind) => live?.providers.list(kind).map(({ provider }) => provider) ?? [],
    api: lazyPlugins(async () => (await open()).api),
    start: async () => {
      let before = listsOf(options);
      unfollow = config.onChange(() => {
        const now = listsOf(options);
        if (now === before) return;
        before = now;
        follow().catch((error: unknown) => log.error("failed to load plugins", { error: String(error) }));
      });
      await ready();
    },
    stop: async () => {
      unfollow();
      live?.host.stop();
    },
  };
}

const listsOf = ({ config }: AppOptions): string =>
  JSON.stringify([config.raw("plugins.enabled"), config.raw("plugins.disabled")]);

/** Plugins as commands use them, loaded with the first call. */
function lazyPlugins(plugins: () => Promise<PluginsApi>): PluginsApi {
  return {
    list: async (...given) => (await plugins()).list(...given),
    directories: async (...given) => (await plugins()).directories(...given),
    enable: async (...given) => (await plugins()).enable(...given),
    disable: async (...given) => (await plugins()).disable(...given),
    install: async (...given) => (await plugins()).install(...given),
    update: async (...given) => (await plugins()).update(...given),
    remove: async (...given) => (await plugins()).remove(...given),
    reload: async (...given) => (await plugins()).reload(...given),
    run: async (...given) => (await plugins()).run(...given),
  };
}
