import type { Log } from "../../base/log/log.js";
import type { Config } from "../../contracts/config/config.js";
import type { EndpointReply } from "../../http/endpoint.js";
import { type EndpointMatch, routeTable } from "../../http/route-table.js";
import type { SocketRoute } from "../../http/sockets.js";
import { PLUGIN_FILES, pluginFile } from "./assets.js";
import { type BrokenPlugin, type FoundPlugin, findPlugins, isPluginEnabled, type PluginRoot } from "./find.js";
import { type LoadDeps, loadApi } from "./load.js";
import { manifestSchema, type ShownPlugin } from "./manifest.js";
import type { PluginRoutes } from "./router.js";

/** Plugins of a dashboard. Whether one is enabled is looked at with each request. */
export interface Plugins {
  list(): Promise<readonly ShownPlugin[]>;
  /** Look for plugins anew and run what has changed. */
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

export interface PluginDeps extends LoadDeps {
  readonly config: Config;
  readonly log: Log;
  readonly roots: readonly PluginRoot[];
}

interface Served extends FoundPlugin {
  readonly routes: PluginRoutes | undefined;
  readonly error: string | null;
}

const NONE: PluginRoutes = { endpoints: [], sockets: [] };

export function createPlugins(deps: PluginDeps): Plugins {
  const sockets: SocketRoute[] = [];
  const allowed = ({ key, source }: FoundPlugin) => isPluginEnabled(deps.config, key, source === "bundled");
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
  const named = (all: readonly Served[], path: string) => {
    const name = nameIn(path);
    return all.find(({ manifest }) => manifest.name === name);
  };
  return {
    sockets,
    list: async () => (await served()).map(shown),
    rescan: async () => {
      current = scan();
      return (await served()).map(shown);
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
      if (plugin?.source === "bundled") return fixed;
      // Endpoints of plugins look at no parts, whatever those of the dashboard are.
      return plugin === undefined ? undefined : routeTable((plugin.routes ?? NONE).endpoints)(method, path);
    },
    holderOf: async (path) => {
      if (nameIn(path) === undefined) return "program";
      const plugin = named(await served(), path);
      return plugin === undefined ? undefined : plugin.source === "bundled" ? "program" : "plugin";
    },
  };
}

const nameIn = (path: string): string | undefined => /^\/api\/plugins\/([^/]+)/.exec(path)?.[1];

/** The task board is part of the program, and its page of the dashboard's page. */
const kanban = (version: string): FoundPlugin => ({
  key: "kanban",
  source: "bundled",
  dir: undefined,
  manifest: manifestSchema.parse({
    name: "kanban",
    label: "Board",
    description: "Tasks, their runs and what hinders them.",
    icon: "Columns",
    version,
    tab: { path: "/board", position: "start" },
    api: "kanban",
  }),
});

/** The first of a name wins: the user's, then the program's own, then the project's. */
async function scanned(deps: PluginDeps): Promise<readonly Served[]> {
  const found = new Map<string, Served>();
  const take = async (plugin: FoundPlugin) => {
    const { name } = plugin.manifest;
    if (!found.has(name)) found.set(name, await loaded(plugin, deps));
  };
  const from = (source: PluginRoot["source"]) =>
    deps.roots.filter((root) => root.source === source).map((root) => findPlugins(root, deps.config));
  const told = (broken: readonly BrokenPlugin[]) => {
    for (const { key, why } of broken) deps.log.warning("a plugin of the dashboard is left out", { plugin: key, why });
  };
  for (const { found: some, broken } of from("user")) {
    told(broken);
    for (const plugin of some) await take(plugin);
  }
  await take(kanban(deps.version));
  for (const { found: some, broken } of from("project")) {
    told(broken);
    for (const plugin of some) await take(plugin);
  }
  return [...found.values()];
}

/** Code that lies in a project does not run in the owner. */
async function loaded(plugin: FoundPlugin, deps: PluginDeps): Promise<Served> {
  if (plugin.manifest.api === null || plugin.source === "bundled") return { ...plugin, routes: undefined, error: null };
  if (plugin.source === "project")
    return { ...plugin, routes: undefined, error: "the api of a project's plugin is not run" };
  const result = await loadApi(plugin, deps);
  return "why" in result
    ? { ...plugin, routes: undefined, error: result.why }
    : { ...plugin, routes: result.routes, error: null };
}

function shown({ manifest, source, error }: Served): ShownPlugin {
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
    tab: { ...tab, path: tab.path ?? `/${name}` },
    entry: source === "bundled" ? null : at(entry),
    css: css === null ? null : at(css),
    has_api: api !== null && error === null,
  };
}
