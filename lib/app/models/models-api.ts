import type { AppOptions } from "../../config/app-options.js";
import { editSettings } from "../../config/edit-settings.js";
import type { ModelName, ModelsApi } from "../../contracts/models/models-api.js";
import { createOffered } from "../../models/offered.js";
import { OFFLINE_MODEL } from "../../models/offline/provider.js";
import type { Models } from "../../models/select.js";
import { resolveTarget } from "../../models/targets.js";
import { suggestSetup } from "../../setup/provider-picker.js";
import { createChain } from "./fallback-chain.js";

/** The models of this home for commands: the chain in the settings file, and what the providers offer. */
export function createModelsApi({ home, config, clock }: AppOptions, models: () => Promise<Models>): ModelsApi {
  const env = (name: string) => config.env[name];
  const primary = (): ModelName => {
    const resolved = resolveTarget(config, { env }, {});
    if (resolved.kind === "offline") return { provider: "offline", model: OFFLINE_MODEL };
    if (resolved.kind === "search") return { provider: "auto", model: resolved.model ?? "" };
    const { id, model = "", baseUrl } = resolved.target;
    return { provider: id, model, base_url: baseUrl };
  };
  const offered = createOffered({ models, config, clock, env, suggest: (model) => suggestSetup(config, model) });
  return {
    ...createChain({ home, config }, primary),
    ...offered,
    check: async ({ provider, model, base_url: baseUrl }) => {
      const own = provider === "custom" && baseUrl !== undefined ? { baseUrl } : {};
      const choice = await (await models()).choose({ provider, model, exact: true, ...own });
      return { window: choice.window, fast: choice.provider.traits?.fast === true };
    },
    setDefault: async ({ provider, model, base_url: baseUrl }) => {
      if (typeof config.raw("model") === "string") await editSettings(home.config, "model", undefined);
      await editSettings(home.config, "model.provider", provider);
      await editSettings(home.config, "model.default", model);
      if (provider === "custom" && baseUrl !== undefined) await editSettings(home.config, "model.base_url", baseUrl);
      await config.reload();
    },
  };
}
