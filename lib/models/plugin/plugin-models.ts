import type { PluginModelProvider } from "../../contracts/models/plugin-models.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";

/** Window of models that a plugin says nothing about. */
const WINDOW = 128_000;

/** Names that `model.provider` and `api_mode` have already. */
const RESERVED: ReadonlySet<string> = new Set([
  "auto",
  "custom",
  "offline",
  "local",
  "vendor",
  "chat_completions",
  "anthropic_messages",
  "responses",
]);

/** Whether no plugin may bring a provider of this name. */
export const isReservedProvider = (name: string): boolean => RESERVED.has(name);

/** Model providers of plugins, as the choice of a model needs them. */
export interface PluginModels {
  /** Those that are loaded. */
  list(): readonly PluginModelProvider[];
  /** Resolves when what is enabled is loaded. */
  ready(): Promise<void>;
}

/** @param provided objects that the registry of providers has looked at: each has a name and streams */
export const pluginModels = (
  provided: () => readonly PluginProvider[],
  ready: () => Promise<void> = async () => undefined,
): PluginModels => ({
  list: () => provided() as readonly PluginModelProvider[],
  ready,
});

/** Entries of `providers` with those that plugins add. What the settings say about one of them stands over what its plugin says. */
export function withPluginEntries(
  written: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  given: readonly PluginModelProvider[],
): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const entries = new Map(written);
  for (const one of given) {
    const own = written.get(one.name);
    // An endpoint of that name that has nothing to do with the plugin stays what it is, and keeps its key.
    if (own !== undefined && typeof own["base_url"] === "string" && own["api_mode"] !== one.name) continue;
    entries.set(one.name, { ...entryOf(one), ...own });
  }
  return entries;
}

const entryOf = ({ name, baseUrl = "", defaultModel, contextLength }: PluginModelProvider) => ({
  base_url: baseUrl,
  api_mode: name,
  context_length: typeof contextLength === "number" && contextLength > 0 ? contextLength : WINDOW,
  ...(defaultModel === undefined ? {} : { model: defaultModel }),
});
