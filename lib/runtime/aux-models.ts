import { toAppError } from "../base/errors.js";
import type { AppOptions } from "../config/app-options.js";
import type { AuxAnswer, AuxClient, AuxSlotName } from "../contracts/models/auxiliary.js";
import type { NamedModels } from "../contracts/models/named-models.js";
import { type AuxChoice, auxWanted } from "../models/auxiliary.js";
import type { AuxRequest } from "../models/auxiliary-ask.js";
import { API_MAX_RETRIES, STREAM_RETRIES } from "../models/keys.js";
import type { Models } from "../models/select.js";

const never = new AbortController().signal;

/** Side work of this process: the models are built when the first question comes. */
export function buildAux(
  options: Pick<AppOptions, "clock" | "ids" | "config" | "net">,
  models: () => Promise<Models>,
): AuxClient {
  return {
    state: async (slot) => {
      const { kind } = await (await models()).auxFound(slot);
      return kind === "found" ? "usable" : kind;
    },
    ask: async ({ slot, model, system, user, images, temperature, maxOutputTokens }, signal = never) => {
      const request = { system, user, temperature, maxTokens: maxOutputTokens };
      return askOf(options, {
        models: model === undefined ? await models() : { aux: (of) => namedFor(options, models, model, of) },
        slot,
        request: { ...request, ...(images === undefined ? {} : { images }) },
        signal,
      });
    },
  };
}

/** Another model for a slot, with the slot's time. */
async function namedFor(
  { config }: AskingOptions,
  models: () => Promise<Models>,
  model: string,
  slot: AuxSlotName,
): Promise<AuxChoice | undefined> {
  const choice = await (await models()).choose({ model });
  return choice.provider.id === "offline" ? undefined : { ...choice, timeoutMs: auxWanted(config, slot).timeoutMs };
}

interface Asking {
  /** Chooses the model of the question. */
  readonly models: Pick<Models, "aux">;
  readonly slot: AuxSlotName;
  readonly request: AuxRequest;
  readonly signal: AbortSignal;
}

type AskingOptions = Pick<AppOptions, "clock" | "ids" | "config" | "net">;

async function askOf({ clock, ids, config, net }: AskingOptions, asking: Asking): Promise<AuxAnswer> {
  const { createAuxiliary } = await import("../models/auxiliary-ask.js");
  const retries = {
    attempts: config.get(API_MAX_RETRIES),
    streamRetries: config.get(STREAM_RETRIES),
    rebuild: () => net.rebuild(),
  };
  const ask = createAuxiliary({ models: asking.models, clock, ids, random: Math.random, ...retries });
  const answer = await ask(asking.slot, asking.request, asking.signal);
  if (answer.ok) {
    const { text, model, provider, usage } = answer;
    return { ok: true, text, used: { model, provider, usage } };
  }
  return answer.why === "no client" ? { ok: false, why: "none" } : answer;
}

/** Models that settings name, asked as side work is: with the same keys, retries and limits. */
export function namedModels(options: AskingOptions, models: () => Promise<Models>): NamedModels {
  const choose = async (name: string) => (await models()).choose(name === "" ? {} : { model: name });
  return {
    find: async (name) => {
      try {
        const { provider, model, price } = await choose(name);
        if (provider.id === "offline") return { ok: false, why: "no model is set up for it" };
        return { ok: true, provider: provider.id, model, ...(price === undefined ? {} : { price }) };
      } catch (error) {
        return { ok: false, why: toAppError(error).message };
      }
    },
    ask: async ({ model, timeoutMs, system, user, temperature, maxOutputTokens }, signal) => {
      const aux = async () => {
        const choice = await choose(model);
        // The stand-in answers people, by rules.
        return choice.provider.id === "offline" ? undefined : { ...choice, timeoutMs };
      };
      const request = { system, user, temperature, maxTokens: maxOutputTokens };
      return askOf(options, { models: { aux }, slot: "monitor", request, signal });
    },
  };
}
