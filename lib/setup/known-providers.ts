import { isHttpAddress } from "../base/net/http-address.js";
import type { Config } from "../contracts/config/config.js";
import { DESCRIPTORS } from "../logins/core/descriptors.js";
import { isLoopbackUrl } from "../models/core/endpoints.js";
import { textOf } from "../models/core/records.js";
import { readProviderEntries } from "../models/targets.js";
import type { ChoiceRow } from "./ask-person.js";

/** A place that models can come from. */
export interface ModelSource extends ChoiceRow {
  /** `entry`: stands under `providers`; `address`: any server; `none`: the offline stand-in. */
  readonly kind: "entry" | "address" | "none";
  readonly baseUrl?: string;
  /** Variable that holds the key, the one of choice first. */
  readonly keyVariables: readonly string[];
}

/** A provider that the product knows by address and key. */
export interface KnownSource extends ModelSource {
  readonly baseUrl: string;
  /** As people know it, without its address. */
  readonly label: string;
  /** Models that people look for there; empty: not known. */
  readonly models: string;
  /** Variables that name another address for its keys. */
  readonly urlVariables: readonly string[];
}

/** Providers that the product knows by address and key. */
export const KNOWN_SOURCES: readonly KnownSource[] = DESCRIPTORS.flatMap((known) => {
  const { id, name, models = "", inferenceUrl, regions, keyVariables = [], urlVariables = [] } = known;
  if (keyVariables.length === 0) return [];
  const row = (baseUrl: string, region: string): KnownSource => ({
    name: region === "" ? id : `${id}-${region}`,
    kind: "entry",
    label: region === "" ? name : `${name} (${region})`,
    title: `${name}, ${new URL(baseUrl).host}`,
    baseUrl,
    models,
    keyVariables,
    urlVariables,
  });
  if (regions !== undefined) return Object.entries(regions).map(([region, { inferenceUrl: url }]) => row(url, region));
  return inferenceUrl === undefined ? [] : [row(inferenceUrl, "")];
});

/** The address that keys of a known provider go to: the one of the environment, else its own. */
export const findKeyAddress = (
  { baseUrl, urlVariables }: KnownSource,
  env: (name: string) => string | undefined,
): string => urlVariables.map(env).find((url) => url !== undefined && url !== "") ?? baseUrl;

/** The variable of the environment that holds a key of the provider. */
export const findSetVariable = (
  { keyVariables }: ModelSource,
  env: (name: string) => string | undefined,
): string | undefined => keyVariables.find((name) => (env(name) ?? "").trim() !== "");

/** The provider that a name before `:` or `/` means, by its id or by the name people know it by. */
export function findKnownSource(name: string): KnownSource | undefined {
  const wanted = name.toLowerCase();
  const found = KNOWN_SOURCES.find((one) => one.name === wanted || one.label.toLowerCase() === wanted);
  return found ?? KNOWN_SOURCES.find((one) => one.label.toLowerCase().startsWith(`${wanted} (`));
}

/** What can be chosen: what the settings name, what is known, any other address, and none. */
export function listModelSources(config: Config): readonly ModelSource[] {
  const entries = [...readProviderEntries(config)].flatMap(([name, entry]): ModelSource[] => {
    const baseUrl = textOf(entry, "base_url");
    const variables = [entry["key_env"]].flat().filter((one) => typeof one === "string");
    return baseUrl === undefined
      ? []
      : [{ name, kind: "entry", title: `${baseUrl}, in your settings`, baseUrl, keyVariables: variables }];
  });
  const written = new Set(entries.map(({ name }) => name));
  return [
    ...entries,
    ...KNOWN_SOURCES.filter(({ name }) => !written.has(name)),
    {
      name: "custom",
      kind: "address",
      title: "any server: Ollama, LM Studio, llama.cpp, vLLM, a hosted one",
      keyVariables: ["MODEL_API_KEY"],
    },
    { name: "offline", kind: "none", title: "no model: the built-in rule-based assistant", keyVariables: [] },
  ];
}

/** A provider whose key the environment holds, with the name of the variable. */
export interface KeyFound {
  readonly source: KnownSource;
  readonly variable: string;
}

/** The first of them. */
export function sourceWithKey(env: (name: string) => string | undefined): KeyFound | undefined {
  for (const source of KNOWN_SOURCES) {
    const variable = findSetVariable(source, env);
    if (variable !== undefined) return { source, variable };
  }
  return undefined;
}

/** What is wrong with a typed address. */
export function addressProblem(text: string): string | undefined {
  if (!isHttpAddress(text)) return "Not an http or https URL; use e.g. http://127.0.0.1:11434/v1.";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "Omit user name and password; the key is asked for next.";
  return undefined;
}

/** A server of this machine usually wants no key. */
export const mayLackKey = (baseUrl: string): boolean => isLoopbackUrl(baseUrl);
