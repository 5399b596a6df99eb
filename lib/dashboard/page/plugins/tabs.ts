import type { Api } from "../net/api.js";

/** A plugin as the owner tells of it. */
export interface PluginTab {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** Address of its module; null: it is part of this page. */
  readonly entry: string | null;
  readonly css: string | null;
  readonly error: string | null;
  readonly tab: { readonly hidden: boolean };
}

/** Plugins that are enabled, those of the page itself included. */
export async function loadPlugins(api: Api): Promise<readonly PluginTab[]> {
  const { plugins = [] } = await api.get<{ plugins?: readonly PluginTab[] }>("api/dashboard/plugins");
  return plugins;
}

/** Those with a tab of their own. */
export const withTab = (plugins: readonly PluginTab[]): readonly PluginTab[] =>
  plugins.filter(({ entry, tab }) => entry !== null && !tab.hidden);

/** View in the address of a plugin's tab. */
export const PLUGIN_VIEW = "plugin";

/** Address of a plugin's tab, behind `#/`. */
export const tabId = ({ name }: PluginTab): string => `${PLUGIN_VIEW}/${name}`;

/** The board is a plugin, which can be switched off. */
export const hasBoard = (plugins: readonly PluginTab[] | undefined): boolean =>
  plugins === undefined || plugins.some(({ name, entry }) => name === "kanban" && entry === null);
