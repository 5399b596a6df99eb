import { AppError } from "../base/errors.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { SettingsApi } from "../contracts/config/settings.js";
import type { ModelRow, ProviderSetUp } from "../contracts/models/model-rows.js";
import { defaultModel, LOCAL_ID, readProviderEntries } from "../models/targets.js";
import { type Endpoints, proposeModel } from "./endpoints.js";
import { addressProblem, findKeyAddress, findKnownSource, findSetVariable, KNOWN_SOURCES } from "./known-providers.js";
import { isFirstRun } from "./run-setup.js";
import { type KeyedEndpoint, providerChanges } from "./setup-model.js";
import { keepHere } from "./store-change.js";

/** What the model picker of a screen needs to set a provider up. */
export interface PickerDeps {
  readonly config: LoadedConfig;
  readonly settings: SettingsApi;
  readonly endpoints: Endpoints;
}

/** What a person entered for a provider. */
export interface PickerEntry {
  readonly provider: string;
  readonly key?: string | undefined;
  readonly baseUrl?: string | undefined;
}

const OWN_KEY = "MODEL_API_KEY";

/** Rows for what the settings do not have yet: providers that need a key, and any other server. */
export function listSetupRows(config: LoadedConfig): readonly ModelRow[] {
  const env = (name: string) => config.env[name];
  const written = readProviderEntries(config);
  const blank = { name: "", model: "", window: null, problem: "", current: false };
  const providers = KNOWN_SOURCES.filter(({ name }) => !written.has(name)).map((source): ModelRow => {
    const variable = findSetVariable(source, env);
    return {
      ...blank,
      provider: source.name,
      base_url: findKeyAddress(source, env),
      label: source.label,
      needs: variable === undefined ? "key" : "nothing",
      notes: [source.models, variable === undefined ? "Enter: add a key" : `Enter: use the key in ${variable}`],
    };
  });
  const server: ModelRow = {
    ...blank,
    provider: "custom",
    base_url: "",
    label: "Another server",
    needs: "address",
    notes: ["Ollama, LM Studio, llama.cpp, vLLM or a hosted one", "Enter: add its address"],
  };
  return [...providers, server];
}

/**
 * Make a provider or a server known to the settings, once it has listed its models. In a home without a model the first that it lists becomes
 * the model of new sessions.
 *
 * @throws E_NOT_FOUND the product does not know the provider; E_INVALID it does not answer or refuses the key: nothing is stored
 */
export async function setUpProvider(
  { config, settings, endpoints }: PickerDeps,
  entry: PickerEntry,
): Promise<ProviderSetUp> {
  const { source, asked } = entry.provider === "custom" ? serverOf(entry) : sourceOf(config, entry);
  const listed = await endpoints.models(asked);
  const problem = listed.ok ? await findProblem(endpoints, asked, listed.value) : listed.problem;
  if (!listed.ok || problem !== undefined)
    throw new AppError("E_INVALID", `Nothing stored: ${problem ?? "it listed no models"}`, { provider: asked.id });
  const first = isFirstRun({ config, env: (name) => config.env[name] });
  const model = first ? proposeModel(listed.value, defaultModel(config)) : undefined;
  const chosen = model === undefined ? [] : [asked.id, model];
  await keepHere(settings)([
    ...providerChanges(source, asked, config),
    ...chosen.map((text, at) => ({ key: at === 0 ? "model.provider" : "model.default", text })),
  ]);
  return { provider: asked.id, models: listed.value.length, default: model ?? "" };
}

/** A list that is empty says nothing about the reason; a request does. */
async function findProblem(
  endpoints: Endpoints,
  asked: KeyedEndpoint,
  models: readonly string[],
): Promise<string | undefined> {
  if (models.length > 0) return undefined;
  const tried = await endpoints.tryOut(asked, "any");
  return tried.ok ? "it lists no models; set it up with agent setup model, which accepts a model name" : tried.problem;
}

function serverOf({ key, baseUrl = "" }: PickerEntry) {
  const problem = addressProblem(baseUrl);
  if (problem !== undefined) throw new AppError("E_INVALID", problem, {});
  const variable = key === undefined ? undefined : OWN_KEY;
  const asked: KeyedEndpoint = { id: "custom", baseUrl, key, variable, typed: key !== undefined };
  return { source: { kind: "address" } as const, asked };
}

function sourceOf(config: LoadedConfig, { provider, key }: PickerEntry) {
  const env = (name: string) => config.env[name];
  const source = findKnownSource(provider);
  if (source === undefined)
    throw new AppError("E_NOT_FOUND", `unknown provider ${provider}`, {
      hint: "agent setup model adds any server by address",
    });
  const found = findSetVariable(source, env);
  const variable = found ?? source.keyVariables[0];
  if (key === undefined && found === undefined) throw new AppError("E_INVALID", `${source.label} requires a key.`, {});
  const asked: KeyedEndpoint = {
    id: source.name,
    baseUrl: findKeyAddress(source, env),
    key: key ?? env(variable ?? ""),
    variable,
    typed: key !== undefined,
  };
  return { source, asked };
}

/** What to do where a model of a provider was named that the settings do not have; undefined: the product does not know it either. */
export function suggestSetup(config: LoadedConfig, model: string): string | undefined {
  const name = /^([^:/\s]+)[:/]./.exec(model)?.[1];
  const source = name === undefined ? undefined : findKnownSource(name);
  if (source !== undefined && !readProviderEntries(config).has(source.name))
    return `${source.label} does not have a key yet: choose it in /model, or run agent setup model`;
  return readProviderEntries(config).size === 0 && name !== LOCAL_ID
    ? "no provider configured yet: type /model, or run agent setup model"
    : undefined;
}
