import { distFile } from "../base/fs/dist.js";
import { importFile } from "../base/fs/import-file.js";
import type { AppOptions } from "../config/app-options.js";
import { isSafeMode } from "../contracts/config/safe-mode.js";
import type { Hooks } from "../contracts/hooks/hooks.js";
import type { MemoryProvider } from "../contracts/memory/provider.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import { projectPluginsDir } from "../plugins/find/roots.js";
import { createMemoryConsumer } from "../plugins/host/memory-consumer.js";
import { type OpenPlugins, openPlugins } from "../plugins/open-plugins.js";

type Options = Pick<AppOptions, "home" | "env" | "config" | "clock" | "ids" | "spawner" | "log"> & {
  readonly hooks: Hooks;
};

/** The plugins of a board worker, with the memory that one of them brings. */
export interface WorkerPlugins extends OpenPlugins {
  memory(): MemoryProvider | undefined;
}

/** The plugins of a board worker: their hooks, middleware and tools belong to the process that runs the turn (extensions part, 1). */
export async function loadWorkerPlugins(options: Options, aux: AuxClient): Promise<WorkerPlugins> {
  const { config } = options;
  const memory = createMemoryConsumer();
  const plugins = openPlugins({
    ...options,
    settings: { change: () => Promise.reject(new Error("a worker does not change settings")) },
    env: () => config.env,
    safe: isSafeMode(options.env),
    importModule: importFile,
    slashNames: new Set(),
    cliNames: new Set(),
    chat: () => ({ get: async () => undefined, queueAdd: () => Promise.reject(new Error("no queue in a worker")) }),
    aux: async () => aux,
    bundled: distFile("plugins"),
    consumers: { memory: memory.consumer },
    project: projectPluginsDir(options.env),
    pid: undefined,
    lives: () => true,
    write: () => undefined, // its standard error is the log of its task
  });
  await plugins.loaded();
  return { ...plugins, memory: memory.current };
}
