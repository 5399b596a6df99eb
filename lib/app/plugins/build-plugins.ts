import { distFile } from "../../base/fs/dist.js";
import { importFile } from "../../base/fs/import-file.js";
import type { CommandEntry } from "../../commands/entry.js";
import { COMMANDS } from "../../commands/index.gen.js";
import type { AppOptions } from "../../config/app-options.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { SettingsApi } from "../../contracts/config/settings.js";
import type { HookRegistrations } from "../../contracts/hooks/hooks.js";
import type { Models } from "../../models/select.js";
import { projectPluginsDir } from "../../plugins/find/roots.js";
import { type OpenPlugins, type OpenPluginsDeps, openPlugins } from "../../plugins/open-plugins.js";
import { buildAux } from "../../runtime/aux-models.js";

/** What plugins reach of the app. */
export interface PluginParts {
  /** Absent: hooks of plugins are accepted and never called. */
  readonly hooks?: HookRegistrations | undefined;
  readonly settings: SettingsApi;
  readonly chat: Pick<ChatApi, "get" | "queueAdd">;
  readonly models: () => Promise<Models>;
  readonly consumers?: OpenPluginsDeps["consumers"];
}

/** The plugins of an owner, or of a command that is one for a moment. */
export function buildPlugins(
  options: AppOptions,
  { hooks = NO_REGISTRATIONS, settings, chat, models, consumers }: PluginParts,
): OpenPlugins {
  const { home, clock, ids, log, spawner, config, kind, workspace } = options;
  return openPlugins({
    home,
    clock,
    ids,
    log,
    spawner,
    config,
    settings,
    env: () => config.env,
    safe: options.safeMode === true,
    hooks,
    importModule: importFile,
    slashNames: firstNames("slash"),
    cliNames: firstNames("cli"),
    chat: () => chat,
    aux: async () => buildAux(options, models),
    ...(consumers !== undefined && { consumers }),
    bundled: distFile("plugins"),
    // Who only looks writes nothing, neither marks nor copies of what a project has.
    project: kind === "readonly" ? undefined : projectPluginsDir(config.env),
    pid: kind === "readonly" ? undefined : process.pid,
    lives: () => false, // owners alone leave marks, and there is one at a time: another process's mark is of one that ended
    write: (line) => {
      if (workspace !== true) process.stderr.write(line); // there it would be drawn over the screen
    },
  });
}

const NO_REGISTRATIONS: HookRegistrations = {
  add: () => () => undefined,
  addMiddleware: () => () => undefined,
  list: () => [],
};

const firstNames = (surface: CommandEntry["surfaces"][number]): ReadonlySet<string> =>
  new Set(
    COMMANDS.filter((entry) => entry.surfaces.includes(surface)).flatMap(({ path, aliases = [] }) =>
      [path, ...aliases].map((one) => one.split(" ")[0] ?? ""),
    ),
  );
