import type { AppOptions } from "../config/app-options.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import { API_MAX_RETRIES, STREAM_RETRIES } from "../models/keys.js";
import type { Models } from "../models/select.js";

const never = new AbortController().signal;

/** Side work of this process: the models are built when the first question comes. */
export function buildAux(
  options: Pick<AppOptions, "clock" | "ids" | "config" | "net">,
  models: () => Promise<Models>,
): AuxClient {
  const { clock, ids, config, net } = options;
  return {
    state: async (slot) => {
      const { kind } = await (await models()).auxFound(slot);
      return kind === "found" ? "usable" : kind;
    },
    ask: async ({ slot, system, user, images, temperature, maxOutputTokens }, signal = never) => {
      const { createAuxiliary } = await import("../models/auxiliary-ask.js");
      const retries = {
        attempts: config.get(API_MAX_RETRIES),
        streamRetries: config.get(STREAM_RETRIES),
        rebuild: () => net.rebuild(),
      };
      const ask = createAuxiliary({ models: await models(), clock, ids, random: Math.random, ...retries });
      const answer = await ask(
        slot,
        { system, user, temperature, maxTokens: maxOutputTokens, ...(images === undefined ? {} : { images }) },
        signal,
      );
      if (answer.ok) {
        const { text, model, provider, usage } = answer;
        return { ok: true, text, used: { model, provider, usage } };
      }
      return answer.why === "no client" ? { ok: false, why: "none" } : answer;
    },
  };
}
