import * as z from "zod";
import { toAppError } from "../../../base/errors.js";
import type { ModelName } from "../../../contracts/models/models-api.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { switchOf } from "../../../http/query.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "models";
const named = { provider: z.string(), model: z.string(), base_url: z.string().exactOptional() };

/** Which model new sessions begin with. */
export const MODEL_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/model/info",
    summary: "Read the model of new sessions, its capabilities, and its fallback models.",
    tag,
    answer: z.object({
      ...named,
      window: z.int().nullable().describe("tokens; null: unknown"),
      fast: z.boolean(),
      problem: z.string().nullable().describe("why it is not available"),
      fallbacks: z.array(
        z.object({ ...named, key_env: z.string().exactOptional(), has_key: z.boolean(), known: z.boolean() }),
      ),
    }),
    run: async (_request, { models }: DashboardParts) => {
      const { primary, entries } = await models.chain();
      return { json: { ...primary, ...(await fitness({ models }, primary)), fallbacks: entries } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/model/options",
    summary: "List the models of the configured providers.",
    tag,
    query: z.object({ refresh: switchOf("refresh the lists") }),
    answer: z.object({
      current: z.object(named),
      providers: z.array(
        z.object({
          provider: z.string(),
          base_url: z.string(),
          models: z.array(z.string()),
          problem: z.string().exactOptional(),
        }),
      ),
    }),
    run: async ({ query, signal }, { command }: DashboardParts) => ({
      json: await command("model", { refresh: query.refresh }, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/model/set",
    summary: "Choose the model of new sessions.",
    tag,
    body: z.object({ model: z.string().min(1).max(300), provider: z.string().min(1).max(100).optional() }),
    answer: z.object({ ok: z.boolean(), ...named, window: z.int(), global: z.boolean(), changed: z.boolean() }),
    errors: [404],
    run: async ({ body, signal }, { command }: DashboardParts) => {
      const { model: name, provider } = body;
      return {
        json: await command("model", { name, global: true, ...(provider === undefined ? {} : { provider }) }, signal),
      };
    },
  }),
];

async function fitness({ models }: Pick<DashboardParts, "models">, primary: ModelName) {
  if (primary.model === "")
    return { window: null, fast: false, problem: "no model is set; the first available one is used" };
  try {
    return { ...(await models.check(primary)), problem: null };
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    if (code === "E_INTERNAL") throw thrown;
    return { window: null, fast: false, problem: message };
  }
}
