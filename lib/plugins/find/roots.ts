import { join, resolve } from "node:path";
import { isOn } from "./debug.js";
import type { PluginRoot } from "./scan.js";

/** Where plugins are looked for, beside the home. */
export interface PluginPlaces {
  /** Those of the product. */
  readonly bundled: string;
  /** Those of the directory that the process was started in; undefined: they are not wanted. */
  readonly project: string | undefined;
}

/** In the order in which the later one of two equal keys stands (extensions part, 4.1). */
export function pluginRoots(homeDir: string, { bundled, project }: PluginPlaces): readonly PluginRoot[] {
  return [
    { dir: bundled, source: "bundled" },
    { dir: join(homeDir, "plugins"), source: "user" },
    ...(project === undefined ? [] : [{ dir: project, source: "project" } as const]),
    { dir: join(homeDir, "node_modules"), source: "package" },
  ];
}

/** `.agent/plugins` of the current directory, where the person wants plugins of projects. */
export const projectPluginsDir = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  isOn(env["AGENT_ENABLE_PROJECT_PLUGINS"]) ? resolve(".agent/plugins") : undefined;
