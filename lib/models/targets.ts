import { AppError } from "../base/errors.js";
import { isRecord } from "../base/json/record.js";
import { isHttpAddress } from "../base/net/http-address.js";
import type { Config } from "../contracts/config/config.js";
import type { PluginModelProvider } from "../contracts/models/plugin-models.js";
import { VENDOR_ENDPOINT } from "../contracts/models/vendor-endpoint.js";
import { VENDOR_RUNTIME } from "../contracts/runtimes/keys.js";
import { detectProtocol } from "./core/endpoints.js";
import { textOf } from "./core/records.js";
import {
  MODEL_ALIASES,
  MODEL_API_KEY,
  MODEL_API_MODE,
  MODEL_BASE_URL,
  MODEL_DEFAULT,
  MODEL_PROVIDER,
  OLD_MODEL_ALIASES,
  PROVIDERS_KEY,
} from "./keys.js";
import { withPluginEntries } from "./plugin/plugin-models.js";

/** What the user asked for: flags, `/model`, or a slot. */
export interface ModelSelection {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Empty: none, whatever the configuration has. */
  readonly apiKey?: string | undefined;
  /** `model` is an id as it stands: no alias, no prefix. */
  readonly exact?: boolean | undefined;
  /** More members of the request's body. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** An endpoint as the configuration describes it; `model` may still be open. */
export interface ModelTarget {
  readonly id: string;
  readonly mode: string;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** All its keys, the first one included; more than one are a pool. */
  readonly keys: readonly string[];
  readonly model: string | undefined;
  /** The entry under `providers`, with what was asked for beside it; empty for `custom`. */
  readonly entry: Readonly<Record<string, unknown>>;
}

export type ResolvedModel =
  | { readonly kind: "endpoint"; readonly target: ModelTarget }
  | { readonly kind: "offline" }
  | { readonly kind: "search"; readonly model: string | undefined };

type Env = (name: string) => string | undefined;

/** Where keys are beside the settings. */
export interface KeyPlaces {
  readonly env: Env;
  /** A key is stored for the provider. */
  readonly has?: (provider: string) => boolean;
  /** Providers that plugins bring. */
  readonly ofPlugins?: readonly PluginModelProvider[];
}

/** Provider id of a server that was found on this machine. */
export const LOCAL_ID = "local";

const VENDOR: string = VENDOR_ENDPOINT.id;
const BUILT_IN = ["auto", "custom", "offline", LOCAL_ID, VENDOR];

/** Which endpoint serves `wanted` (core part, 3.7, steps 1 to 3). Sends no requests. @throws E_USAGE, E_CONFIG */
export function resolveTarget(config: Config, places: KeyPlaces, wanted: ModelSelection): ResolvedModel {
  const entries = withPluginEntries(readProviderEntries(config), places.ofPlugins ?? []);
  const asked = expand(config, entries, wanted);
  const provider = asked.provider ?? (config.get(MODEL_PROVIDER) || "auto");
  if (provider === "offline") return { kind: "offline" };
  if (provider === "custom") return custom(config, asked);
  if (provider === "auto" || provider === LOCAL_ID) return automatic({ config, places, asked, entries });
  return named(provider, { config, places, asked, entries });
}

/** A plugin brings it; it may have no address. */
const isOfPlugin = (id: string, { ofPlugins = [] }: KeyPlaces): boolean => ofPlugins.some(({ name }) => name === id);

/** Whether a plugin that is not loaded yet could bring the provider that is wanted. */
export function mayBeOfPlugin(config: Config, wanted: ModelSelection): boolean {
  const entries = readProviderEntries(config);
  const { provider = config.get(MODEL_PROVIDER) || "auto", model } = expand(config, entries, wanted);
  const known = (name: string) => entries.has(name) || BUILT_IN.includes(name);
  const prefix = /^([^:/\s]+):/.exec(model ?? "")?.[1];
  return !known(provider) || (wanted.provider === undefined && prefix !== undefined && !known(prefix));
}

/** Entries under `providers`, in their order. */
export function readProviderEntries(config: Config): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const value = config.get(PROVIDERS_KEY);
  return new Map(
    isRecord(value)
      ? Object.entries(value).filter((pair): pair is [string, Readonly<Record<string, unknown>>] => isRecord(pair[1]))
      : [],
  );
}

/** The entry of a provider, completed where the product knows it; undefined: unknown provider. */
export function readProviderEntry(config: Config, id: string, env: Env): Readonly<Record<string, unknown>> | undefined {
  const written = readProviderEntries(config).get(id);
  return builtInEntry(id, written, env) ?? written;
}

/** Providers whose models are listed: those of the settings, and the built-in one where it is chosen. */
export function listedProviders(config: Config): readonly string[] {
  const ids = [...readProviderEntries(config).keys()];
  return config.get(MODEL_PROVIDER) === VENDOR && !ids.includes(VENDOR) ? [...ids, VENDOR] : ids;
}

/** Whether a provider of this name can be chosen. */
export const isKnownProvider = (config: Config, name: string, ofPlugins: readonly string[] = []): boolean =>
  readProviderEntries(config).has(name) || BUILT_IN.includes(name) || ofPlugins.includes(name);

/** A name as people write it, taken apart: an alias, `provider:model` and `provider/model` where the provider is known, or a model id. */
export function parseModelName(
  config: Config,
  wanted: { readonly model: string; readonly provider?: string | undefined },
  ofPlugins: readonly string[] = [],
) {
  const entries = new Map<string, unknown>(readProviderEntries(config));
  for (const name of ofPlugins) entries.set(name, {});
  const { model = wanted.model, provider, baseUrl } = expand(config, entries, wanted);
  return { model, provider, baseUrl };
}

/** Default model of the configuration; `model` may be a plain string. */
export function defaultModel(config: Config): string | undefined {
  const plain = config.raw("model");
  if (typeof plain === "string" && plain.trim() !== "") return plain.trim();
  return config.get(MODEL_DEFAULT).trim() || undefined;
}

/** Resolve aliases and `provider:model`, `provider/model` where the provider is known. */
function expand(config: Config, entries: ReadonlyMap<string, unknown>, wanted: ModelSelection): ModelSelection {
  if (wanted.exact === true) return wanted;
  const text = wanted.model ?? (wanted.provider === undefined ? defaultModel(config) : undefined);
  if (text === undefined) return wanted;
  const alias = aliasOf(config, text);
  if (typeof alias === "object") return { ...wanted, ...alias, provider: wanted.provider ?? alias.provider };
  return taken(entries, wanted, alias ?? text);
}

/** A name other than an alias: `provider:model`, `provider/model`, or a model id. */
function taken(entries: ReadonlyMap<string, unknown>, wanted: ModelSelection, text: string): ModelSelection {
  const [, name, mark, model] = /^([^:/\s]+)([:/])(.+)$/.exec(text) ?? [];
  // Ids of models may begin with a vendor and a slash.
  const known = name !== undefined && (BUILT_IN.includes(name) ? name !== VENDOR || mark === ":" : false);
  if (wanted.provider === undefined && name !== undefined && (known || entries.has(name)))
    return { ...wanted, provider: name, model };
  return { ...wanted, model: text };
}

/** A text is a name as people write one; it is not looked up again. */
function aliasOf(config: Config, name: string): ModelSelection | string | undefined {
  for (const key of [MODEL_ALIASES, OLD_MODEL_ALIASES]) {
    const all = config.get(key);
    const value = isRecord(all) ? all[name] : undefined;
    if (typeof value === "string") return value;
    if (isRecord(value))
      return { provider: textOf(value, "provider"), model: textOf(value, "model"), baseUrl: textOf(value, "base_url") };
  }
  return undefined;
}

function custom(config: Config, asked: ModelSelection): ResolvedModel {
  const baseUrl = asked.baseUrl ?? config.get(MODEL_BASE_URL).trim();
  if (baseUrl === "")
    throw missing("model.provider is custom, but model.base_url is empty", "agent config set model.base_url <address>");
  const apiKey =
    (asked.apiKey ?? ownKey(asked, config.get(MODEL_BASE_URL), config.get(MODEL_API_KEY).trim())) || undefined;
  const mode = config.get(MODEL_API_MODE) || detectProtocol(baseUrl);
  return {
    kind: "endpoint",
    target: {
      id: "custom",
      mode,
      baseUrl: checkedUrl(baseUrl),
      apiKey,
      keys: apiKey === undefined ? [] : [apiKey],
      model: asked.model ?? defaultModel(config),
      entry: withBody({}, asked),
    },
  };
}

/** A key belongs to its address: another one that was asked for never gets it. */
function ownKey(asked: ModelSelection, configured: string | undefined, key: string | undefined): string | undefined {
  return asked.baseUrl === undefined || sameAddress(asked.baseUrl, configured ?? "") ? key : undefined;
}

const sameAddress = (a: string, b: string): boolean => a.trim().replace(/\/+$/, "") === b.trim().replace(/\/+$/, "");

interface Search {
  readonly config: Config;
  readonly places: KeyPlaces;
  readonly asked: ModelSelection;
  readonly entries: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

function automatic(search: Search): ResolvedModel {
  const { config, places, asked, entries } = search;
  if (asked.baseUrl !== undefined || config.get(MODEL_BASE_URL).trim() !== "") return custom(config, asked);
  for (const [id, entry] of entries) {
    const hasKey = places.has?.(id) === true || credentials(entry, places.env).length > 0;
    if (textOf(entry, "base_url") !== undefined && hasKey) return named(id, search);
  }
  // Who hands turns to the app-server has chosen its provider where there is a key for it.
  const vendor = readProviderEntry(config, VENDOR, places.env) ?? {};
  const hasKey = places.has?.(VENDOR) === true || credentials(vendor, places.env).length > 0;
  if (config.get(VENDOR_RUNTIME) !== undefined && hasKey) return named(VENDOR, search);
  return { kind: "search", model: asked.model };
}

function named(id: string, search: Search): ResolvedModel {
  const { asked, entries, places, config } = search;
  const listed = entries.get(id); // of the settings, or of a plugin
  const entry = builtInEntry(id, listed, places.env) ?? listed ?? (asked.baseUrl === undefined ? undefined : {});
  if (entry === undefined) {
    const all = [...BUILT_IN.filter((name) => name !== LOCAL_ID), ...entries.keys()].join(", ");
    throw new AppError("E_USAGE", `unknown provider ${id} (known: ${all})`, {
      provider: id,
      hint: `add providers.${id}.base_url to config.yaml`,
    });
  }
  const baseUrl = asked.baseUrl ?? textOf(entry, "base_url") ?? (isOfPlugin(id, places) ? "" : undefined);
  if (baseUrl === undefined)
    throw missing(`providers.${id} has no base_url`, `agent config set providers.${id}.base_url <address>`);
  const model = asked.model ?? ownModel(config, id, entry);
  if (model === undefined) {
    const hint = `agent -m <model> --provider ${id}, or model.default in config.yaml`;
    throw new AppError("E_USAGE", `provider ${id} requires a model`, { provider: id, hint });
  }
  const own = ownKey(asked, textOf(entry, "base_url"), "own") === undefined ? [] : credentials(entry, places.env);
  const keys = asked.apiKey === undefined ? own : [asked.apiKey].filter((key) => key !== "");
  return {
    kind: "endpoint",
    target: {
      id,
      mode: textOf(entry, "api_mode") ?? detectProtocol(baseUrl),
      baseUrl: baseUrl === "" ? "" : checkedUrl(baseUrl),
      apiKey: keys[0],
      keys,
      model,
      entry: withBody(entry, asked),
    },
  };
}

/**
 * The entry of a provider that the product knows, as the settings complete it. Its variables hold a key for its own address alone: where the
 * settings name another, theirs is the key.
 *
 * @returns undefined for any other provider
 */
function builtInEntry(
  id: string,
  written: Readonly<Record<string, unknown>> = {},
  env: Env,
): Readonly<Record<string, unknown>> | undefined {
  if (id !== VENDOR || textOf(written, "base_url") !== undefined) return undefined;
  const { baseUrl, keyVariables, urlVariables, model } = VENDOR_ENDPOINT;
  const hasKey = ["api_key", "api_keys", "key_env", "api_key_env"].some((name) => written[name] !== undefined);
  const hasModel = ["model", "models"].some((name) => written[name] !== undefined);
  return {
    base_url: urlVariables.map((name) => env(name)?.trim()).find((url) => url !== undefined && url !== "") ?? baseUrl,
    ...(hasKey ? {} : { key_env: keyVariables.find((name) => (env(name) ?? "").trim() !== "") ?? keyVariables[0] }),
    ...(hasModel ? {} : { model }),
    ...written,
  };
}

function withBody(
  entry: Readonly<Record<string, unknown>>,
  { extraBody }: ModelSelection,
): Readonly<Record<string, unknown>> {
  if (extraBody === undefined) return entry;
  return { ...entry, extra_body: { ...(isRecord(entry["extra_body"]) ? entry["extra_body"] : {}), ...extraBody } };
}

/** `model.default` belongs to the configured provider; another one uses its own first model. */
function ownModel(config: Config, id: string, entry: Readonly<Record<string, unknown>>): string | undefined {
  const configured = config.get(MODEL_PROVIDER) === id || config.get(MODEL_PROVIDER) === "auto";
  const first = isRecord(entry["models"]) ? Object.keys(entry["models"])[0] : undefined;
  return (configured ? defaultModel(config) : undefined) ?? textOf(entry, "model") ?? first;
}

/** Every key of an entry, in the order in which they are taken: `api_key`, `api_keys`, `key_env`. Each may be a list. */
export function credentials(entry: Readonly<Record<string, unknown>>, env: Env): readonly string[] {
  const written = [...listOf(entry["api_key"]), ...listOf(entry["api_keys"])];
  const named = [...listOf(entry["key_env"]), ...listOf(entry["api_key_env"])].map((name) => env(name)?.trim() ?? "");
  return [...new Set([...written, ...named])].filter((key) => key !== "");
}

const listOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => (typeof item === "string" ? [item.trim()] : []));

function checkedUrl(text: string): string {
  if (isHttpAddress(text.trim())) return text;
  throw missing(`base URL ${JSON.stringify(text)} is not an http or https URL`, "use the form https://host/v1");
}

const missing = (message: string, hint: string) => new AppError("E_CONFIG", message, { hint });
