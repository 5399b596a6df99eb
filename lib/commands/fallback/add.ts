import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { shownChain } from "./text.js";

export default defineCommand({
  path: "fallback add",
  summary: "Append a model to the fallback chain.",
  topic: "models",
  params: z.object({
    provider: z.string().optional().describe("a provider from the settings, or any name with --base-url"),
    model: z.string().optional().describe("model id of that provider"),
    base_url: z.string().optional().describe("base URL, unless the provider is configured"),
    key_env: z.string().optional().describe("variable with the key"),
  }),
  surfaces: ["cli", "rpc"],
  access: "write",
  self: "settings",
  run: async (params, ctx) => {
    const { provider, model, base_url, key_env } = params;
    if (provider === undefined || model === undefined) {
      const missing = provider === undefined ? "--provider" : "--model";
      throw new AppError("E_USAGE", `missing ${missing}; cannot prompt without a terminal`, {
        hint: "agent fallback add --provider <name> --model <model>",
      });
    }
    const chain = await ctx.models.addFallback({
      provider,
      model,
      ...(base_url === undefined ? {} : { base_url }),
      ...(key_env === undefined ? {} : { key_env }),
    });
    const added = chain.entries.at(-1);
    const warnings = [
      ...(added?.known === false
        ? [`provider ${provider} is not configured; skipped until providers.${provider}.base_url is set`]
        : []),
      ...(key_env !== undefined && ctx.env[key_env] === undefined && added?.has_key === false
        ? [`${key_env} is not set`]
        : []),
    ];
    return { text: `Added ${model} via ${provider}.\n${shownChain(chain)}`, data: { ok: true, ...chain }, warnings };
  },
});
