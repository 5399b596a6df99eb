import { AppError, toAppError } from "../base/errors.js";
import { isRecord } from "../base/json/record.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { Config } from "../contracts/config/config.js";
import type { ModelName, ModelsApi, OfferedModels } from "../contracts/models/models-api.js";
import { MODEL_BASE_URL } from "./keys.js";
import type { Models } from "./select.js";
import { isKnownProvider, parseModelName, readProviderEntries } from "./targets.js";

/** How long a list of models is believed. */
const KEEP_MS: Ms = 300_000;
const ASK_MS: Ms = 5_000;

export interface OfferedDeps {
  readonly models: () => Promise<Models>;
  readonly config: Config;
  readonly clock: Clock;
  readonly env: (name: string) => string | undefined;
  /** What to do about a model that no provider of the settings lists; undefined: there is no better advice than to list them. */
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
    resolve: async ({ model, provider }) => {
      const named = parseModelName(config, { model, provider });
      if (named.provider !== undefined && !isKnownProvider(config, named.provider))
        throw new AppError("E_NOT_FOUND", `unknown provider ${named.provider}`, { hint: "/model lists what there is" });
      return match(named, await offered(false), deps);
    },
  };
}

/** A listed id, else a unique beginning of one; what nobody lists is believed when its provider lists nothing. */
function match(
  wanted: { readonly model: string; readonly provider: string | undefined; readonly baseUrl: string | undefined },
  all: readonly OfferedModels[],
  { config, suggest }: Pick<OfferedDeps, "config" | "suggest">,
): ModelName {
  const { model, provider, baseUrl } = wanted;
  if (baseUrl !== undefined) return { provider: provider ?? "custom", model, base_url: baseUrl };
  const lists = all.filter((one) => provider === undefined || one.provider === provider);
  const rows = lists.flatMap((one) =>
    one.models.map((id) => ({ provider: one.provider, model: id, base_url: one.base_url })),
  );
  const exact = rows.filter((row) => row.model === model);
  if (exact[0] && (exact.length === 1 || provider === undefined)) return exact[0]; // the first provider in their order
  const begun = rows.filter((row) => row.model.toLowerCase().startsWith(model.toLowerCase()));
  if (begun.length === 1 && begun[0]) return begun[0];
  if (begun.length > 1) {
    const candidates = begun.map((row) => `${row.provider}:${row.model}`);
    throw new AppError("E_AMBIGUOUS", `${model} may be ${candidates.slice(0, 12).join(", ")}`, {
      candidates,
      hint: "write more of it",
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

async function ask({ models, config }: OfferedDeps): Promise<readonly OfferedModels[]> {
  const ids = [...(config.get(MODEL_BASE_URL).trim() === "" ? [] : ["custom"]), ...readProviderEntries(config).keys()];
  return Promise.all(ids.map(async (id) => askOne(await models(), config, id)));
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
