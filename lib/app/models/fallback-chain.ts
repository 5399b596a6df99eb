import { AppError } from "../../base/errors.js";
import { isHttpAddress } from "../../base/net/http-address.js";
import type { AppOptions } from "../../config/app-options.js";
import { editList, editSettings, type ListChange } from "../../config/edit-settings.js";
import type { FallbackEntry } from "../../contracts/models/model-line.js";
import type { FallbackChain, ModelName, ModelsApi } from "../../contracts/models/models-api.js";
import { isLoopbackUrl } from "../../models/core/endpoints.js";
import { FALLBACK_MODEL, FALLBACK_PROVIDERS, fallbackEntries, isSame } from "../../models/fallback.js";
import { credentials, isKnownProvider, readProviderEntry } from "../../models/targets.js";

const KEY = FALLBACK_PROVIDERS.key;

type ChainApi = Pick<ModelsApi, "chain" | "addFallback" | "removeFallback" | "moveFallback" | "clearFallback">;

/** The fallback chain in the settings file. @param primary the model that it stands behind */
export function createChain({ home, config }: Pick<AppOptions, "home" | "config">, primary: () => ModelName): ChainApi {
  const chain = async (): Promise<FallbackChain> => ({
    primary: primary(),
    entries: fallbackEntries(config).map((entry) => shown(config, entry)),
  });
  /** An older chain moves to the newer key with its first change. */
  const change = async (what: ListChange): Promise<FallbackChain> => {
    if (config.source(FALLBACK_PROVIDERS) === "default") {
      for (const entry of fallbackEntries(config)) await editList(home.config, KEY, { add: entry });
      if (config.source(FALLBACK_MODEL) !== "default") await editSettings(home.config, FALLBACK_MODEL.key, undefined);
    }
    await editList(home.config, KEY, what);
    await config.reload();
    return chain();
  };
  const at = (place: number): number => placeIn(fallbackEntries(config).length, place);
  return {
    chain,
    addFallback: async (entry) => {
      refuse(entry, primary(), fallbackEntries(config));
      return change({ add: entry });
    },
    removeFallback: async (place) => change({ remove: at(place) }),
    moveFallback: async (from, to) => change({ move: { from: at(from), to: at(to) } }),
    clearFallback: async () => {
      for (const key of [FALLBACK_PROVIDERS, FALLBACK_MODEL])
        if (config.source(key) !== "default") await editSettings(home.config, key.key, undefined);
      await config.reload();
    },
  };
}

type Loaded = AppOptions["config"];

/** Without its key, but with whether it has one. */
function shown(config: Loaded, entry: FallbackEntry): FallbackChain["entries"][number] {
  const { api_key, ...rest } = entry;
  const named = entry.key_env !== undefined && Boolean(config.env[entry.key_env]);
  return {
    ...rest,
    has_key: api_key !== undefined || named || needsNone(config, entry),
    known: entry.base_url !== undefined || isKnownProvider(config, entry.provider),
  };
}

/** Its provider has a key, or is a server on this machine. */
function needsNone(config: Loaded, entry: FallbackEntry): boolean {
  const env = (name: string) => config.env[name];
  const own = readProviderEntry(config, entry.provider, env);
  const address = entry.base_url ?? own?.["base_url"];
  if (typeof address === "string" && isLoopbackUrl(address)) return true;
  return own !== undefined && credentials(own, env).length > 0;
}

/** @throws E_NOT_FOUND */
function placeIn(length: number, place: number): number {
  if (place >= 1 && place <= length) return place - 1;
  const hint =
    length === 0 ? "agent fallback add creates a chain" : `agent fallback list shows positions 1 to ${length}`;
  throw new AppError("E_NOT_FOUND", `no fallback entry ${place}`, { place, length, hint });
}

/** @throws E_INVALID, E_CONFLICT */
function refuse(entry: FallbackEntry, primary: ModelName, entries: readonly FallbackEntry[]): void {
  const shown = `${entry.model} via ${entry.provider}`;
  const hint = "agent fallback list shows the chain";
  if (entry.base_url !== undefined && !isHttpAddress(entry.base_url))
    throw new AppError("E_INVALID", `not an http or https URL: ${JSON.stringify(entry.base_url)}`, {
      hint: "use the form https://host/v1",
    });
  if (entry.provider === "auto")
    throw new AppError("E_INVALID", "auto cannot be a fallback provider", { hint: "use a configured provider" });
  if (isSame(entry, primary))
    throw new AppError("E_CONFLICT", `${shown} is the primary model; choose another`, { hint });
  const place = entries.findIndex((other) => isSame(other, entry));
  if (place >= 0)
    throw new AppError("E_CONFLICT", `${shown} is already entry ${place + 1} of the chain`, {
      place: place + 1,
      hint,
    });
}
