import { AppError } from "../base/errors.js";
import { distFile } from "../base/fs/dist.js";
import { definedVariables } from "../base/json/record.js";
import { systemProcessFacts } from "../base/process/process-facts.js";
import type { CommandEntry } from "../commands/entry.js";
import { LISTENER_KINDS } from "../contracts/owner/listeners.js";
import { createApiMemory } from "../dashboard/core/memory.js";
import type { DashboardServices } from "../dashboard/core/parts.js";
import { createDashboard, type Dashboard, type DashboardDeps } from "../dashboard/dashboard.js";
import type { LivePort } from "../dashboard/events/ports.js";
import { createLive } from "../dashboard/live/live.js";
import { settingsSource } from "../gateway/settings/platform-settings.js";
import { readableHomes } from "../gateway/targets/home-channels.js";
import { callCommand } from "../rpc/commands/command-methods.js";
import { services } from "../rpc/commands/command-services.js";
import { logPage } from "../rpc/logs/log-page.js";
import { logPartiesOf } from "../rpc/owner-methods.js";
import type { App } from "./app.js";

/** What live services of the dashboard get of this owner. */
const livePort = ({ bus, attach }: Pick<App, "bus" | "attach">): LivePort => ({
  lastSeq: bus.lastSeq,
  follow: bus.follow,
  onOpened: (listener) =>
    bus.onDelta("boards", ({ event, data }) =>
      event === "board.opened" ? listener(String(data["store"])) : undefined,
    ),
  attach,
});

/** The dashboard of an owner. Nothing listens yet. */
export async function buildDashboard(app: App, more: Partial<DashboardDeps> = {}): Promise<Dashboard> {
  const { COMMANDS } = await import("../commands/index.gen.js"); // the list of commands is there once the commands are
  return createDashboard({
    ...more,
    services: more.services ?? dashboardServices(app, COMMANDS),
    pageDir: more.pageDir ?? distFile("page"),
    sessionToken: app.options.env["AGENT_DASHBOARD_SESSION_TOKEN"],
  });
}

/** What the dashboard gets of an app: the services that commands use. */
export function dashboardServices(app: App, entries: readonly CommandEntry[]): DashboardServices {
  const { home, version, config, clock, ids, log, env } = app.options;
  const { board, chat, owner, profiles, settings, auth, cron, modelsApi: models } = app;
  return {
    home,
    version,
    config,
    clock,
    ids,
    board,
    chat,
    owner,
    profiles,
    settings,
    auth,
    cron,
    models,
    mcp: app.mcp,
    agentPlugins: app.plugins,
    skills: app.skills,
    loginProviders: app.loginProviders,
    targets: () => app.gateway.targets(),
    gateway: () => app.gateway.status(),
    homeChannels: () => readableHomes(settingsSource(app.options)),
    log: log.child("dashboard"),
    env,
    live: createLive({
      port: livePort(app),
      board,
      config,
      clock,
      env,
      log: log.child("dashboard"),
      defaults: { cwd: env["HOME"] ?? home.dir, env: definedVariables(env) },
    }),
    memory: createApiMemory(clock, ids),
    processFacts: (id) => systemProcessFacts(id, clock),
    logs: (filter, lines) => logPage(logPartiesOf(app), { filter, before: undefined, lines }),
    listeners: async () => {
      const all = await app.listeners();
      return LISTENER_KINDS.flatMap((kind) => all.list(kind));
    },
    command: (path, params, signal) => {
      const entry = entries.find((one) => one.path === path && one.surfaces.includes("rpc"));
      if (entry === undefined)
        throw new AppError("E_UNKNOWN_METHOD", `command '${path}' cannot be called from here`, { path });
      return callCommand(entry, params, services(app), signal);
    },
  };
}
