import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AppError } from "../../base/errors.js";
import { realPath } from "../../base/fs/files.js";
import { isRecord } from "../../base/json/record.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { PluginContext } from "../../contracts/plugins/context.js";
import { isBelow } from "../../safety/paths/paths.js";
import { callWithTimeLimit } from "./within.js";

/** How long importing a plugin may take, and its `register`. Source: extensions part, 4.1. */
export const REGISTER_MS: Ms = 10_000;

/** Run a module; the one place where code of plugins enters. */
export type ImportModule = (url: string) => Promise<unknown>;

export interface LoadDeps {
  readonly clock: Clock;
  readonly importModule: ImportModule;
  readonly registerMs: Ms;
}

/**
 * Import the entry file of a plugin, and have it register. The caller has made sure that its code may run.
 *
 * @param instance another number is another instance of the module
 * @returns what `register` returned, where that is a function: called when the plugin is taken back
 * @throws E_INVALID, or whatever its code throws
 */
export async function loadPlugin(
  dir: string,
  main: string,
  { context, instance, deps }: { readonly context: PluginContext; readonly instance: number; readonly deps: LoadDeps },
): Promise<(() => unknown) | undefined> {
  const real = await realPath(join(dir, main));
  if (real === undefined) throw new AppError("E_INVALID", `main: no such file: ${main}`);
  if (!isBelow(real, dir))
    throw new AppError("E_INVALID", `main: ${main} is a link that leaves the plugin's directory`);
  const url = pathToFileURL(real);
  url.searchParams.set("instance", String(instance));
  const loaded = await callWithTimeLimit(deps.clock, deps.registerMs, "import", () => deps.importModule(url.href));
  const register = registerOf(loaded);
  if (register === undefined) throw new AppError("E_INVALID", `${main} does not export register(ctx)`);
  const dispose = await callWithTimeLimit(deps.clock, deps.registerMs, "register", () =>
    registering.run(true, () => register(context)),
  );
  return typeof dispose === "function" ? () => dispose() : undefined;
}

const registering = new AsyncLocalStorage<true>();

/** Whether this is the work of a `register` that runs: what waits for plugins then would wait for itself. */
export const isRegistering = (): boolean => registering.getStore() === true;

type Register = (context: PluginContext) => unknown;

/** An ES module exports it; a CommonJS one has its exports where another has its default. */
function registerOf(loaded: unknown): Register | undefined {
  if (!isModule(loaded)) return undefined;
  const own: unknown = Reflect.get(loaded, "register");
  if (typeof own === "function") return own as Register; // whatever it does is caught
  const inner: unknown = Reflect.get(loaded, "default");
  if (!isModule(inner)) return undefined;
  const nested: unknown = Reflect.get(inner, "register");
  return typeof nested === "function" ? (nested as Register) : undefined; // likewise
}

const isModule = (value: unknown): value is object => isRecord(value) || typeof value === "function";
