import type { SetupOutcome, SetupSection } from "../contracts/config/setup.js";
import { textOf } from "../models/core/records.js";
import { MODEL_BASE_URL, MODEL_PROVIDER } from "../models/keys.js";
import { defaultModel, readProviderEntries } from "../models/targets.js";
import { proposeModel } from "./endpoints.js";
import { findKeyAddress, type KeyFound, sourceWithKey } from "./known-providers.js";
import type { ModelDeps } from "./setup-model.js";

export interface EnvironmentDeps extends ModelDeps {
  /** Messaging platforms that have what they need. */
  readonly platforms: () => readonly string[];
}

/** Take what the environment gives, and ask nothing. @returns what was found and done, a line each */
export async function fromEnvironment(deps: EnvironmentDeps, sections: readonly SetupSection[]): Promise<SetupOutcome> {
  const model = sections.includes("model") ? await modelLines(deps) : NOTHING;
  const lines = [...model.lines, ...gatewayLines(deps, sections), ...others(sections)];
  return { outcome: model.outcome, lines };
}

const NOTHING: SetupOutcome = { outcome: "ok", lines: [] };

function gatewayLines({ platforms }: EnvironmentDeps, sections: readonly SetupSection[]): readonly string[] {
  if (!sections.includes("gateway")) return [];
  const tags = platforms();
  const found = tags.length === 0 ? "no platform variables are set" : `${tags.join(", ")}; agent gateway run connects`;
  return [`gateway: ${found}`];
}

const others = (sections: readonly SetupSection[]): readonly string[] =>
  sections
    .filter((name) => name !== "model" && name !== "gateway")
    .map((name) => `${name}: unchanged; agent config show lists it`);

const done = (line: string): SetupOutcome => ({ outcome: "ok", lines: [line] });

async function modelLines(deps: ModelDeps): Promise<SetupOutcome> {
  const { config, env } = deps;
  const set = config.get(MODEL_PROVIDER);
  if (set !== "auto" || config.get(MODEL_BASE_URL) !== "")
    return done(`model: ${defaultModel(config) ?? "the first listed"} via ${set}, unchanged`);
  const found = sourceWithKey(env);
  if (found !== undefined) return keyed(deps, found);
  const local = await deps.local();
  if (local !== undefined)
    return done(`model: the server at ${local.baseUrl} is used automatically (${local.models[0] ?? ""})`);
  return done("model: no key or local server found; the offline assistant answers. `agent setup model` adds one.");
}

/** The key stays where it is: only the name of its variable is stored. */
async function keyed(
  { config, env, keep, endpoints }: ModelDeps,
  { source, variable }: KeyFound,
): Promise<SetupOutcome> {
  const { name: id } = source;
  const written = textOf(readProviderEntries(config).get(id) ?? {}, "base_url");
  const baseUrl = written ?? findKeyAddress(source, env);
  const listed = await endpoints.models({ id, baseUrl, key: env(variable) });
  const model = listed.ok ? proposeModel(listed.value, defaultModel(config)) : defaultModel(config);
  if (model === undefined)
    return {
      outcome: "failed",
      lines: [
        `model: ${variable} is set, but ${id} lists no model: ${listed.ok ? "empty list" : listed.problem}. Nothing stored.`,
      ],
    };
  await keep([
    ...(written !== undefined ? [] : [{ key: `providers.${id}.base_url`, text: baseUrl }]),
    { key: `providers.${id}.key_env`, text: variable },
    { key: "model.provider", text: id },
    { key: "model.default", text: model },
  ]);
  return done(`model: ${model} via ${id}, with the key in ${variable}; agent model NAME selects another`);
}
