import { readTextSync } from "../../base/fs/text-file.js";
import type { Home } from "../../base/home.js";
import type { Clock } from "../../base/time/clock.js";
import { type LoadedConfig, loadConfig } from "../../config/load-config.js";

/** The settings of a profile where they may name a worker program; undefined: they do not, and the YAML library is not loaded. */
export async function readWorkerSettings(
  home: Home,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): Promise<LoadedConfig | undefined> {
  if (readTextSync(home.config)?.includes("worker") !== true) return undefined;
  return await loadConfig({ home, env, clock, keys: [], readonly: true });
}
