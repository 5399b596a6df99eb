import type { SetupSection } from "../contracts/config/setup.js";
import { textOf } from "../models/core/records.js";
import { MODEL_BASE_URL, MODEL_PROVIDER } from "../models/keys.js";
import { defaultModel, readProviderEntries } from "../models/targets.js";
import { proposed } from "./endpoints.js";
import { findKeyAddress, type KeyFound, sourceWithKey } from "./known-providers.js";
import type { ModelDeps } from "./setup-model.js";

export interface EnvironmentDeps extends ModelDeps {
  /** Messaging platforms that have what they need. */
  readonly platforms: () => readonly string[];
}

/** Take what the environment gives, and ask nothing. @returns what was found and done, a line each */
export async function fromEnvironment(
  deps: EnvironmentDeps,
  sections: readonly SetupSection[],
): Promise<readonly string[]> {
  const model = sections.includes("model") ? await modelLines(deps) : [];
  if (!sections.includes("gateway")) return [...model, ...others(sections)];
  const tags = deps.platforms();
  const found = tags.length === 0 ? "no platform has its variables" : `${tags.join(", ")}; agent gateway run connects`;
  return [...model, `gateway: ${found}`, ...others(sections)];
}

const others = (sections: readonly SetupSection[]): readonly string[] =>
  sections
    .filter((name) => name !== "model" && name !== "gateway")
    .map((name) => `${name}: as it is; agent config show lists it`);

async function modelLines(deps: ModelDeps): Promise<readonly string[]> {
  const { config, env } = deps;
  const set = config.get(MODEL_PROVIDER);
  if (set !== "auto" || config.get(MODEL_BASE_URL) !== "")
    return [`model: ${defaultModel(config) ?? "the first of the list"} via ${set}, as it is`];
  const found = sourceWithKey(env);
  if (found !== undefined) return keyed(deps, found);
  const local = await deps.local();
  if (local !== undefined)
    return [`model: the server at ${local.baseUrl} is used by itself (${local.models[0] ?? ""})`];
  return [
    "model: neither a key nor a server on this machine was found; the offline assistant answers. `agent setup model` adds one.",
  ];
}

/** The key stays where it is: only the name of its variable is stored. */
async function keyed(
  { config, env, keep, endpoints }: ModelDeps,
  { source, variable }: KeyFound,
): Promise<readonly string[]> {
  const { name: id } = source;
  const written = textOf(readProviderEntries(config).get(id) ?? {}, "base_url");
  const baseUrl = written ?? findKeyAddress(source, env);
  const listed = await endpoints.models({ id, baseUrl, key: env(variable) });
  const model = listed.ok ? proposed(listed.value, defaultModel(config)) : defaultModel(config);
  if (model === undefined)
    return [
      `model: ${variable} is there, but ${id} names no model: ${listed.ok ? "it lists none" : listed.problem}. Nothing was stored.`,
    ];
  await keep([
    ...(written !== undefined ? [] : [{ key: `providers.${id}.base_url`, text: baseUrl }]),
    { key: `providers.${id}.key_env`, text: variable },
    { key: "model.provider", text: id },
    { key: "model.default", text: model },
  ]);
  return [`model: ${model} via ${id}, with the key in ${variable}; agent model NAME chooses another one`];
}
