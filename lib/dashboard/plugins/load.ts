import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "../../base/errors.js";
import { changedAt, realPath } from "../../base/fs/files.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { isBelow } from "../../safety/paths/paths.js";
import type { DashboardPlugin } from "./find.js";
import { createPluginRouter, type PluginRoutes } from "./router.js";

/** A plugin that takes longer to register is given up. */
const REGISTER_MS = 10_000;

/** What a plugin's code is given beside its router. */
export interface DashboardPluginContext {
  readonly name: string;
  readonly version: string;
  /** Home of the agent that it runs in. */
  readonly home: string;
  readonly log: (message: string) => void;
}

/** Run a module; the one place where code of plugins enters. */
export type ImportApi = (url: string) => Promise<unknown>;

export interface ApiLoadDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly home: string;
  readonly importModule: ImportApi;
}

/** Import the `api` of an enabled plugin and have it add its routes. What goes wrong is an answer: others go on. */
export async function loadApi(
  plugin: DashboardPlugin,
  deps: ApiLoadDeps,
): Promise<{ readonly routes: PluginRoutes } | { readonly why: string }> {
  const { name } = plugin.manifest;
  const late = new AbortController();
  try {
    const timeout = deps.clock.sleep(REGISTER_MS, late.signal).then(() => {
      throw new AppError("E_INTERNAL", `not registered within ${REGISTER_MS / 1000} s`);
    });
    return { routes: await Promise.race([register(plugin, deps), timeout]) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    deps.log.error("failed to load the API of a plugin", { plugin: name, error: why });
    return { why: `failed to load its API: ${why}` };
  } finally {
    late.abort();
  }
}

async function register(
  plugin: DashboardPlugin,
  { log, version, home, importModule }: ApiLoadDeps,
): Promise<PluginRoutes> {
  const { name } = plugin.manifest;
  const own = log.child(`plugin:${name}`);
  const { router, routes } = createPluginRouter(name, own);
  const loaded = await importModule(await moduleUrl(plugin));
  const start: unknown = typeof loaded === "object" && loaded !== null ? Reflect.get(loaded, "default") : undefined;
  // A CommonJS module has its exports where another has its default.
  const run: unknown = typeof start === "object" && start !== null ? Reflect.get(start, "default") : start;
  if (typeof run !== "function") throw new AppError("E_INVALID", "its default export is not a function");
  const context: DashboardPluginContext = { name, version, home, log: (message) => own.info(String(message)) };
  await run(router, context);
  return routes;
}

/** The address changes with the file: a rescan runs what it holds then. */
async function moduleUrl({ dir = "", manifest }: DashboardPlugin): Promise<string> {
  const real = await realPath(join(dir, manifest.api ?? ""));
  const root = await realPath(dir);
  if (real === undefined || root === undefined) throw new AppError("E_NOT_FOUND", `no such file: ${manifest.api}`);
  if (!isBelow(real, root)) throw new AppError("E_FORBIDDEN", `${manifest.api} is outside the dashboard directory`);
  const url = pathToFileURL(real);
  url.searchParams.set("at", String(changedAt(real)));
  return url.href;
}
