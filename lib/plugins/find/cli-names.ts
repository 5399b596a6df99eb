import { type PluginRoot, scanPlugins } from "./scan.js";

/** Names of commands `agent <name>` that manifests announce, whether or not their plugins are enabled. Nothing is loaded for it. */
export async function pluginCliNames(roots: readonly PluginRoot[]): Promise<readonly string[]> {
  const found = await scanPlugins(roots, () => undefined);
  return found.flatMap(({ manifest }) => manifest?.providesCli ?? []);
}
