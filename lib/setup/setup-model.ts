import type { Config } from "../contracts/config/config.js";
import type { LocalServer } from "../models/detect.js";
import { MODEL_API_KEY, MODEL_BASE_URL, MODEL_PROVIDER } from "../models/keys.js";
import { credentials, defaultModel, readProviderEntries } from "../models/targets.js";
import { askUntilValid, askYesNo, type Person, pickRow } from "./ask-person.js";
import { type Endpoints, proposeModel, type ServerEndpoint } from "./endpoints.js";
import { addressProblem, listModelSources, type ModelSource, mayLackKey } from "./known-providers.js";
import type { SettingChange, StoreSettings } from "./store-change.js";

export interface ModelDeps {
  readonly config: Config;
  readonly env: (name: string) => string | undefined;
  readonly keep: StoreSettings;
  readonly endpoints: Endpoints;
  /** A model server on this machine. */
  readonly local: () => Promise<LocalServer | undefined>;
}

/** More than that are counted and not shown. */
const SHOWN = 20;

/** Ask for provider, key and model, see that they work, and store them. @returns what was done, a line each. @throws E_INTERRUPTED */
export async function setupModel(person: Person, deps: ModelDeps): Promise<readonly string[]> {
  const local = await deps.local();
  if (local !== undefined)
    await person.say(`Found a local server: ${local.baseUrl}, ${local.models.length} models (custom).`);
  await person.say("Model provider (to log in instead of using a key, run `agent auth add`)");
  const source = await chosenSource(person, deps, local);
  if (source.kind === "none") return storeNone(deps);
  for (;;) {
    const endpoint = await endpointOf(person, source, { deps, local });
    const model = await chosenModel(person, endpoint, deps);
    if (model === undefined) continue;
    await person.say(`Testing ${model} …`);
    const tried = await deps.endpoints.tryOut(endpoint, model);
    await person.say(tried.ok ? `It works: ${tried.value} answered.` : `Test failed: ${tried.problem}`);
    if (!tried.ok && !(await askYesNo(person, "Store it anyway?", false))) continue;
    await deps.keep(changesFor(source, endpoint, { model, config: deps.config }));
    return [`model: ${model} via ${endpoint.id}${tried.ok ? "" : ", which did not respond"}`];
  }
}

async function chosenSource(
  person: Person,
  { config }: ModelDeps,
  local: LocalServer | undefined,
): Promise<ModelSource> {
  const rows = listModelSources(config);
  const set = config.get(MODEL_PROVIDER);
  const usual =
    rows.find(({ name }) => name === set) ??
    (local === undefined ? undefined : rows.find(({ kind }) => kind === "address"));
  return pickRow(person, "Provider", { rows, usual });
}

async function storeNone({ keep }: ModelDeps): Promise<readonly string[]> {
  await keep([{ key: "model.provider", text: "offline" }]);
  return ["model: offline, the built-in rule-based assistant"];
}

/** An endpoint with where its key comes from. */
export interface KeyedEndpoint extends ServerEndpoint {
  /** Variable that holds its key; undefined: without a key, or the settings hold it. */
  readonly variable?: string | undefined;
  /** The key was typed now and has to be stored. */
  readonly typed: boolean;
}

async function endpointOf(
  person: Person,
  source: ModelSource,
  { deps, local }: { readonly deps: ModelDeps; readonly local: LocalServer | undefined },
): Promise<KeyedEndpoint> {
  const { config, env } = deps;
  const id = source.name;
  const baseUrl = source.baseUrl ?? (await addressOf(person, config.get(MODEL_BASE_URL) || local?.baseUrl));
  const set = source.keyVariables.find((name) => (env(name) ?? "") !== "");
  const variable = set ?? source.keyVariables[0] ?? `${id.replaceAll(/\W/g, "_").toUpperCase()}_API_KEY`;
  const known = set === undefined ? writtenKey(source, deps) : env(set);
  const kept = known !== undefined ? "set" : mayLackKey(baseUrl) ? "none" : undefined;
  const problem = (text: string) => (/\s/.test(text) ? "A key cannot contain spaces." : undefined);
  const typed = await askUntilValid(person, { ask: `Key (${variable}, hidden)`, kept, hidden: true, problem });
  if (typed !== undefined) return { id, baseUrl, key: typed, variable, typed: true };
  return { id, baseUrl, key: known, variable: set, typed: false };
}

/** A key that the settings file holds. */
function writtenKey(source: ModelSource, { config, env }: ModelDeps): string | undefined {
  if (source.kind === "address") return config.get(MODEL_API_KEY) || undefined;
  return credentials(readProviderEntries(config).get(source.name) ?? {}, env)[0];
}

async function addressOf(person: Person, known: string | undefined): Promise<string> {
  return (await askUntilValid(person, { ask: "Address", kept: known, problem: addressProblem })) ?? known ?? "";
}

/** Undefined: start over with address and key. */
async function chosenModel(
  person: Person,
  endpoint: KeyedEndpoint,
  { endpoints, config }: ModelDeps,
): Promise<string | undefined> {
  const listed = await endpoints.models(endpoint);
  if (!listed.ok) {
    await person.say(`Failed to list the models: ${listed.problem}`);
    if (!(await askYesNo(person, "Enter a model name anyway?", false))) return undefined;
  }
  const ids = listed.ok ? listed.value : [];
  for (const id of ids.slice(0, SHOWN)) await person.say(`  ${id}`);
  if (ids.length > SHOWN) await person.say(`  and ${ids.length - SHOWN} more`);
  const usual = proposeModel(ids, defaultModel(config));
  const meant = (text: string) => {
    const begun = ids.filter((id) => id.startsWith(text));
    return ids.includes(text) || begun.length !== 1 ? text : (begun[0] ?? text);
  };
  const problem = (text: string) => {
    const many = ids.includes(text) ? [] : ids.filter((id) => id.startsWith(text));
    return many.length > 1 ? `Ambiguous: ${many.slice(0, 6).join(", ")}.` : undefined;
  };
  const answer = await askUntilValid(person, { ask: "Model", kept: usual, problem });
  return answer === undefined ? usual : meant(answer);
}

/** A key goes to `.env`, everything else to config.yaml, which names the variable. */
function changesFor(
  source: ModelSource,
  asked: KeyedEndpoint,
  { model, config }: { readonly model: string; readonly config: Config },
): SettingChange[] {
  return [
    ...providerChanges(source, asked, config),
    { key: "model.provider", text: asked.id },
    { key: "model.default", text: model },
  ];
}

/** What makes a provider known to the settings, whatever model is used. */
export function providerChanges(
  source: Pick<ModelSource, "kind">,
  asked: KeyedEndpoint,
  config: Config,
): SettingChange[] {
  const { key, variable, typed } = asked;
  const plain = typeof config.raw("model") === "string" ? [{ key: "model" }] : [];
  const secret = typed && key !== undefined && variable !== undefined ? [{ key: variable, text: key }] : [];
  return [...plain, ...secret, ...(source.kind === "address" ? addressChanges(asked) : entryChanges(asked, config))];
}

const addressChanges = ({ baseUrl, variable }: KeyedEndpoint): SettingChange[] => [
  { key: "model.base_url", text: baseUrl },
  ...(variable === undefined ? [] : [{ key: "model.api_key", text: `\${${variable}}` }]),
];

function entryChanges({ id, baseUrl, variable, typed }: KeyedEndpoint, config: Config): SettingChange[] {
  const has = (name: string) => config.raw(`providers.${id}.${name}`) !== undefined;
  return [
    ...(has("base_url") ? [] : [{ key: `providers.${id}.base_url`, text: baseUrl }]),
    ...(variable === undefined || has("key_env") ? [] : [{ key: `providers.${id}.key_env`, text: variable }]),
    ...["api_key", "api_keys"].filter((name) => typed && has(name)).map((name) => ({ key: `providers.${id}.${name}` })), // they would win
  ];
}
