import type { Log } from "../../base/log/log.js";
import type { Config } from "../../contracts/config/config.js";
import type { PluginDirectory } from "../../contracts/plugins/plugins.js";
import type { EndpointReply } from "../../http/endpoint.js";
import { type EndpointMatch, routeTable } from "../../http/route-table.js";
import type { SocketRoute } from "../../http/sockets.js";
import { HIDDEN_PLUGINS } from "../access/keys.js";
import { PLUGIN_FILES, pluginFile } from "./assets.js";
import { type DashboardPlugin, findPlugins, isPluginEnabled } from "./find.js";
import { type ApiLoadDeps, loadApi } from "./load.js";
import { manifestSchema, type ShownPlugin } from "./manifest.js";
import type { PluginRoutes } from "./router.js";

/** Plugins of a dashboard. Whether one is enabled is looked at with each request. */
export interface Plugins {
  list(): Promise<readonly ShownPlugin[]>;
  /** Look for plugins again and run what has changed. */
  rescan(): Promise<readonly ShownPlugin[]>;
  /** Files below `/dashboard-plugins/`; undefined for every other path. */
  file(path: string, known: string | undefined): Promise<EndpointReply | undefined>;
  /** Where a path below `/api/plugins/` leads; `fixed` is what the program itself has there. */
  route<Parts>(method: string, path: string, fixed: EndpointMatch<Parts>): Promise<EndpointMatch<Parts>>;
  /** Whose WebSocket is served at a path; undefined: nothing there is enabled. */
  holderOf(path: string): Promise<"program" | "plugin" | undefined>;
  /** WebSockets of plugins; the list changes with them. */
  readonly sockets: readonly SocketRoute[];
}

export interface PluginDeps extends ApiLoadDeps {
  readonly config: Config;
  readonly log: Log;
  /** Enabled plugins, as settings and consents are now. */
  readonly directories: () => Promise<readonly PluginDirectory[]>;
}

interface Served extends DashboardPlugin {
  readonly routes: PluginRoutes | undefined;
  readonly error: string | null;
}

const NONE: PluginRoutes = { endpoints: [], sockets: [] };

export function createPlugins(deps: PluginDeps): Plugins {
  const sockets: SocketRoute[] = [];
  const allowed = ({ key, source }: DashboardPlugin) => isPluginEnabled(deps.config, key, source === "bundled");
  let current: Promise<readonly Served[]> | undefined;
  const scan = async (): Promise<readonly Served[]> => {
    const known = await scanned(deps);
    const open = known.filter(allowed).flatMap(({ routes }) => routes?.sockets ?? []);
    sockets.splice(0, sockets.length, ...open);
    return known;
  };
  const served = async () => {
    current ??= scan();
    return (await current).filter(allowed);
  };
  const shownNow = async () => {
    const hidden = deps.config.get(HIDDEN_PLUGINS);
    return (await served()).map((plugin) => shown(plugin, hidden.includes(plugin.key)));
  };
  const named = (all: readonly Served[], path: string) => {
    const name = nameIn(path);
    return all.find(({ manifest }) => manifest.name === name);
  };
  return {
    sockets,
    list: shownNow,
    rescan: async () => {
      current = scan();
      return await shownNow();
    },
    file: async (path, etag) => {
      if (!path.startsWith(PLUGIN_FILES)) return undefined;
      const [, name = "", inner = ""] = /^\/dashboard-plugins\/([^/]*)\/(.*)$/.exec(path) ?? [];
      const plugin = (await served()).find(({ manifest }) => manifest.name === name);
      return plugin?.dir === undefined ? undefined : pluginFile(plugin.dir, inner, plugin.manifest.api, etag);
    },
    route: async (method, path, fixed) => {
      if (nameIn(path) === undefined) return fixed;
      const plugin = named(await served(), path);
      if (plugin !== undefined && plugin.dir === undefined) return fixed;
      // Endpoints of plugins look at no parts, whatever those of the dashboard are.
      return plugin === undefined ? undefined : routeTable((plugin.routes ?? NONE).endpoints)(method, path);
    },
    holderOf: async (path) => {
      if (nameIn(path) === undefined) return "program";
      const plugin = named(await served(), path);
      return plugin === undefined ? undefined : plugin.dir === undefined ? "program" : "plugin";
    },
  };
}

const nameIn = (path: string): string | undefined => /^\/api\/plugins\/([^/]+)/.exec(path)?.[1];

/** The task board is part of the program, and its page of the dashboard's page. */
const kanban = (version: string): DashboardPlugin => ({
  key: "kanban",
  source: "bundled",
  dir: undefined,
  manifest: manifestSchema.parse({
    name: "kanban",
    label: "Board",
    description: "Tasks, their runs and what delays them.",
    icon: "Columns",
    version,
    tab: { path: "/board", position: "start" },
    api: "kanban",
  }),
});

/** The first of a name wins: the user's, then the program's own, then the project's. */
async function scanned(deps: PluginDeps): Promise<readonly Served[]> {
  const { found: all, broken } = findPlugins(await deps.directories());
  for (const { key, why } of broken) deps.log.warning("skipped a dashboard plugin", { plugin: key, why });
  const of = (source: DashboardPlugin["source"]) => all.filter((plugin) => plugin.source === source);
  const found = new Map<string, Served>();
  for (const plugin of [...of("user"), kanban(deps.version), ...of("bundled"), ...of("project")]) {
    const { name } = plugin.manifest;
    if (!found.has(name)) found.set(name, await loaded(plugin, deps));
  }
  return [...found.values()];
}

/** Code that lies in a project does not run in the owner. */
async function loaded(plugin: DashboardPlugin, deps: PluginDeps): Promise<Served> {
  if (plugin.manifest.api === null || plugin.dir === undefined) return { ...plugin, routes: undefined, error: null };
  if (plugin.source === "project")
    return { ...plugin, routes: undefined, error: "the API of a project's plugin is not run" };
  const result = await loadApi(plugin, deps);
  return "why" in result
    ? { ...plugin, routes: undefined, error: result.why }
    : { ...plugin, routes: result.routes, error: null };
}

function shown({ manifest, source, error, dir }: Served, isHidden: boolean): ShownPlugin {
  const { name, label, description, icon, version, tab, slots, entry, css, api } = manifest;
  const at = (path: string) => `dashboard-plugins/${name}/${path}`;
  return {
    name,
    label: label ?? name,
    description,
    icon,
    version,
    source,
    slots,
    error,
    tab: { ...tab, path: tab.path ?? `/${name}`, hidden: tab.hidden || isHidden },
    entry: dir === undefined ? null : at(entry),
    css: css === null ? null : at(css),
    has_api: api !== null && error === null,
  };
}
