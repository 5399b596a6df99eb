import { AppError, ambiguousName, toAppError } from "../base/errors.js";
import { isRecord } from "../base/json/record.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { Config } from "../contracts/config/config.js";
import type { ModelName, ModelsApi, OfferedModels } from "../contracts/models/models-api.js";
import { MODEL_BASE_URL } from "./keys.js";
import type { Models } from "./select.js";
import { isKnownProvider, listedProviders, parseModelName, readProviderEntries } from "./targets.js";

/** How long a list of models is believed. */
const KEEP_MS: Ms = 300_000;
const ASK_MS: Ms = 5_000;

export interface OfferedDeps {
  readonly models: () => Promise<Models>;
  readonly config: Config;
  readonly clock: Clock;
  readonly env: (name: string) => string | undefined;
  /** What to do about a model that no provider of the settings lists; undefined: nothing better than to list them. */
  readonly suggest?: (model: string) => string | undefined;
}

/** Lists of models, and what a name among them means. */
export function createOffered(deps: OfferedDeps): Pick<ModelsApi, "offered" | "resolve"> {
  const { config, clock } = deps;
  let kept: { at: Ms; list: Promise<readonly OfferedModels[]> } | undefined;
  config.onChange(() => {
    kept = undefined;
  });
  const offered = (refresh: boolean) => {
    if (refresh || kept === undefined || clock.mono() - kept.at > KEEP_MS) kept = { at: clock.mono(), list: ask(deps) };
    return kept.list;
  };
  return {
    offered,
    resolve: async ({ model, provider, own }) => {
      const ofPlugins = await (await deps.models()).ofPlugins();
      const named = parseModelName(config, { model, provider }, ofPlugins);
      if (named.provider !== undefined && !isKnownProvider(config, named.provider, ofPlugins))
        throw new AppError("E_NOT_FOUND", `unknown provider ${named.provider}`, {
          hint: "/model lists the available models",
        });
      return match({ ...named, own }, await offered(false), deps);
    },
  };
}

interface Named {
  readonly model: string;
  readonly provider: string | undefined;
  readonly baseUrl: string | undefined;
  /** Provider in use: it wins where several offer the model. */
  readonly own: string | undefined;
}

/** A listed id, else a unique beginning of one; an unlisted one is believed when its provider lists nothing. */
function match(
  wanted: Named,
  all: readonly OfferedModels[],
  { config, suggest }: Pick<OfferedDeps, "config" | "suggest">,
): ModelName {
  const { model, provider, baseUrl, own } = wanted;
  if (baseUrl !== undefined) return { provider: provider ?? "custom", model, base_url: baseUrl };
  const lists = all.filter((one) => provider === undefined || one.provider === provider);
  const rows = lists.flatMap((one) =>
    one.models.map((id) => ({ provider: one.provider, model: id, base_url: one.base_url })),
  );
  const exact = oneOf(
    rows.filter((row) => row.model === model),
    own,
  );
  if (exact.one !== undefined) return exact.one;
  if (exact.rows.length > 1) throw offeredBySeveral(model, exact.rows);
  const begun = rows.filter((row) => row.model.toLowerCase().startsWith(model.toLowerCase()));
  const sameModel = begun.every((row) => row.model === begun[0]?.model);
  const { one } = oneOf(begun, sameModel ? own : undefined);
  if (one !== undefined) return one;
  if (begun.length > 1) {
    const candidates = begun.map((row) => `${row.provider}:${row.model}`);
    throw ambiguousName(`${model} is ambiguous: ${candidates.slice(0, 12).join(", ")}`, {
      candidates,
      hint: "type more characters",
    });
  }
  const silent = lists.find((one) => one.models.length === 0);
  if (silent) return { provider: silent.provider, model, base_url: silent.base_url };
  if (provider !== undefined)
    return { provider, model, ...(lists[0] === undefined ? {} : { base_url: lists[0].base_url }) };
  const hint = suggest?.(model) ?? "type /model to see the available models, or add the provider with `agent auth add`";
  throw new AppError("E_NOT_FOUND", `no provider offers ${model}`, {
    model,
    hint,
    providers: [...readProviderEntries(config).keys()],
  });
}

/** The sole row, or that of the provider in use. */
function oneOf(
  rows: readonly ModelName[],
  own: string | undefined,
): { readonly one?: ModelName; readonly rows: readonly ModelName[] } {
  const [first, ...more] = rows;
  if (first !== undefined && more.length === 0) return { one: first, rows };
  const mine = rows.find((row) => row.provider === own);
  return mine === undefined ? { rows } : { one: mine, rows };
}

function offeredBySeveral(model: string, rows: readonly ModelName[]): AppError {
  const providers = rows.map((row) => row.provider);
  const [first = ""] = providers;
  return ambiguousName(`several providers offer ${model}: ${providers.join(", ")}`, {
    candidates: providers.map((provider) => `${provider}:${model}`),
    hint: `name one, as in /model ${first}:${model}`,
  });
}

async function ask({ models, config }: OfferedDeps): Promise<readonly OfferedModels[]> {
  const custom = config.get(MODEL_BASE_URL).trim() === "" ? [] : ["custom"];
  const all = await models();
  const ids = new Set([...custom, ...listedProviders(config), ...(await all.ofPlugins())]);
  return Promise.all([...ids].map((id) => askOne(all, config, id)));
}

async function askOne(models: Models, config: Config, id: string): Promise<OfferedModels> {
  const written = writtenModels(config, id);
  try {
    const provider = await models.provider(id);
    const listed = await provider.models(AbortSignal.timeout(ASK_MS));
    const all = [...new Set([...written, ...listed])];
    return {
      provider: id,
      base_url: provider.baseUrl,
      models: all,
      ...(all.length === 0 ? { problem: "it lists no models" } : {}),
    };
  } catch (error) {
    return { provider: id, base_url: "", models: written, problem: toAppError(error).message };
  }
}

/** Models that the entry of a provider describes. */
function writtenModels(config: Config, id: string): readonly string[] {
  const models = readProviderEntries(config).get(id)?.["models"];
  return isRecord(models) ? Object.keys(models) : [];
}
