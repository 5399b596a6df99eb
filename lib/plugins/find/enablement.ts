import type { Config } from "../../contracts/config/config.js";
import { PLUGINS_DISABLED, PLUGINS_ENABLED } from "../../contracts/plugins/plugin-keys.js";
import type { PluginState } from "../../contracts/plugins/plugins.js";
import type { PluginManifest } from "./manifest.js";
import type { FoundPlugin } from "./scan.js";

/** Kinds that are part of the product when they come with it. */
const WITH_PRODUCT: ReadonlySet<string> = new Set(["backend", "platform", "model-provider"]);

/** What settings are looked at for it. */
export interface Enabling {
  readonly config: Pick<Config, "get" | "raw">;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Safe mode: nothing loads. */
  readonly safe: boolean;
}

/** Whether a plugin's code may be imported, and why not. */
export type Decision =
  | { readonly load: true; readonly manifest: PluginManifest }
  | { readonly load: false; readonly state: PluginState; readonly error?: string; readonly skip: string };

const no = (state: PluginState, skip: string, error?: string): Decision => ({
  load: false,
  state,
  skip,
  ...(error === undefined ? {} : { error }),
});

/** By settings and manifest alone; what a project's plugin needs besides is asked elsewhere. */
export function decide(plugin: FoundPlugin, { config, env, safe }: Enabling): Decision {
  const { key, source, manifest, problem } = plugin;
  if (config.get(PLUGINS_DISABLED).includes(key)) return no("disabled", "disabled");
  const listed = config.get(PLUGINS_ENABLED).includes(key);
  const free = source === "bundled" && (key === "kanban" || WITH_PRODUCT.has(manifest?.kind ?? ""));
  if (!listed && !free) return no("not enabled", "not enabled", problem);
  if (safe) return no("enabled", "safe mode", "safe mode: no plugin is loaded");
  if (manifest === undefined) return no("error", "bad yaml", problem);
  if (manifest.kind === "exclusive" && config.raw(manifest.chosenBy) !== manifest.name && manifest.chosenBy !== "")
    return no("enabled", "another one is in use", `not in use: ${manifest.chosenBy} names another one`);
  const missing = manifest.requiresEnv.filter(({ name }) => (env[name] ?? "") === "").map(({ name }) => name);
  if (missing.length > 0) return no("error", `missing env ${missing.join(", ")}`, `set ${missing.join(", ")} in .env`);
  return { load: true, manifest };
}

/** The settings ask for a plugin that needs to be looked for. Costs nothing where none is enabled. */
export const wantsPlugins = (config: Pick<Config, "get">): boolean => {
  const disabled = config.get(PLUGINS_DISABLED);
  return config.get(PLUGINS_ENABLED).some((key) => !disabled.includes(key));
};

/** Of all plugins with one key the one that stands: the last that may run, else the last. */
export function effective<D extends { readonly load: boolean }>(
  found: readonly FoundPlugin[],
  decisionOf: (plugin: FoundPlugin) => D,
): readonly { readonly plugin: FoundPlugin; readonly decision: D }[] {
  const chosen = new Map<string, { readonly plugin: FoundPlugin; readonly decision: D }>();
  for (const plugin of found) {
    const decision = decisionOf(plugin);
    if (chosen.get(plugin.key)?.decision.load === true && !decision.load) continue;
    chosen.set(plugin.key, { plugin, decision });
  }
  return [...chosen.values()].toSorted((a, b) => (a.plugin.key < b.plugin.key ? -1 : 1));
}
