import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../../base/errors.js";
import type { ToolContext } from "../../tools/core/define.js";
import { digestPlugin, type PluginDigest, stampOf } from "../find/digest.js";
import type { PluginManifest } from "../find/manifest.js";
import { type LoadingMarks, statesOf } from "../find/records.js";
import type { FoundPlugin } from "../find/scan.js";
import { snapshotPlugin } from "../find/snapshots.js";
import { type LoadDeps, loadPlugin } from "./load-plugin.js";
import { type ContextDeps, pluginContext } from "./plugin-context.js";
import { nothingRegistered, type Registered, withdraw } from "./registrations.js";
import { messageOf } from "./within.js";

/** A plugin whose code runs in this process. */
export interface RunningPlugin {
  readonly plugin: FoundPlugin;
  readonly registered: Registered;
  /** What was loaded: its files as far as they are known without reading them all. */
  readonly stamp: string;
}

/** A plugin that is to run. */
export interface PluginToStart {
  readonly plugin: FoundPlugin;
  readonly manifest: PluginManifest;
  /** The bytes that a person has allowed; undefined: no one was asked. */
  readonly digest: PluginDigest | undefined;
}

export interface RunningPluginsDeps extends Omit<ContextDeps, "current">, LoadDeps {
  /** Absent: another process of the home keeps them. */
  readonly marks?: LoadingMarks | undefined;
}

/** The plugins that run in this process. */
export interface RunningPlugins {
  all(): readonly RunningPlugin[];
  /**
   * Load a plugin in place of the instance that runs. One that runs already and has not changed is left alone, unless it is to be `fresh`.
   *
   * @returns why it could not be loaded
   */
  ensure(plugin: PluginToStart, fresh: boolean): Promise<string | undefined>;
  /** Take back whatever runs and is not kept. */
  stopExcept(kept: ReadonlySet<string>): void;
}

/** @see RunningPlugins */
export function createRunningPlugins(deps: RunningPluginsDeps): RunningPlugins {
  const running = new Map<string, RunningPlugin>();
  const instances = new Map<string, number>();
  const context: ContextDeps = { ...deps, current: new AsyncLocalStorage<ToolContext>() };

  const stop = (key: string): void => {
    const known = running.get(key);
    running.delete(key);
    if (known !== undefined) withdraw(known.registered);
  };
  const disposeQuietly = (dispose: () => unknown, key: string) => () => {
    const failed = (error: unknown) =>
      deps.log.error("a plugin failed to end", { plugin: key, error: messageOf(error) });
    try {
      Promise.resolve(dispose()).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
  /** Its modules are known to the engine by their paths: files that may have changed need another one. */
  const directoryToLoad = async ({ plugin, digest }: PluginToStart): Promise<string> => {
    const again = instances.has(plugin.key) && plugin.source !== "bundled";
    const whole = digest ?? (again ? tryDigest(plugin.dir) : undefined);
    return whole === undefined ? plugin.dir : await snapshotPlugin(statesOf(deps.homeDir), whole);
  };
  const start = async ({ plugin, manifest }: PluginToStart, dir: string, stamp: string): Promise<void> => {
    const { key } = plugin;
    const registered = nothingRegistered();
    const instance = (instances.get(key) ?? 0) + 1;
    instances.set(key, instance);
    await deps.marks?.begin(key);
    try {
      const made = pluginContext({ key, manifest }, registered, context);
      const dispose = await loadPlugin(dir, manifest.main, { context: made, instance, deps });
      if (dispose !== undefined) registered.undo.push(disposeQuietly(dispose, key));
      running.set(key, { plugin, registered, stamp });
      deps.debug("INFO", `loaded ${key}`);
    } catch (error) {
      withdraw(registered);
      throw error;
    } finally {
      await deps.marks?.end(key);
    }
  };
  return {
    all: () => [...running.values()],
    ensure: async (wanted, fresh) => {
      const { key, dir } = wanted.plugin;
      const known = running.get(key);
      const stamp = stampOfFiles(wanted);
      if (!fresh && known?.plugin.dir === dir && known.stamp === stamp) return undefined;
      try {
        const from = await directoryToLoad(wanted);
        stop(key);
        await start(wanted, from, stamp);
        return undefined;
      } catch (error) {
        stop(key);
        const why = messageOf(error);
        deps.log.error("failed to load a plugin", { plugin: key, error: why });
        deps.debug("ERROR", `${key}: ${error instanceof Error ? (error.stack ?? why) : why}`);
        return why;
      }
    },
    stopExcept: (kept) => {
      for (const key of [...running.keys()]) if (!kept.has(key)) stop(key);
    },
  };
}

const stampOfFiles = ({ plugin, digest }: PluginToStart): string =>
  plugin.source === "bundled" ? "" : (digest?.digest ?? stampOf(plugin.dir));

function tryDigest(dir: string): PluginDigest | undefined {
  try {
    return digestPlugin(dir);
  } catch (error) {
    if (error instanceof AppError) return undefined; // too large to be copied: it is loaded from where it lies
    throw error;
  }
}
