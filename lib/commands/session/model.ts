import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { ModelName, OfferedModels } from "../../contracts/models/models-api.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

export default defineCommand({
  path: "model",
  summary: "Show the current model and alternatives, or choose another.",
  topic: "models",
  params: z.object({
    name: z.string().optional().describe("model id or unique prefix, provider:model, or alias"),
    provider: z.string().optional().describe("limit to this provider"),
    global: z.boolean().default(false).describe("also for new sessions (always so outside a conversation)"),
    refresh: z.boolean().default(false).describe("refresh the providers' model lists"),
  }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  busy: "idle",
  run: async ({ name, provider, global, refresh }, ctx) => {
    const asked = name ?? (typeof ctx.globals["model"] === "string" ? ctx.globals["model"] : undefined);
    const from = provider ?? (typeof ctx.globals["provider"] === "string" ? ctx.globals["provider"] : undefined);
    if (asked === undefined) return listed(ctx, from, refresh);
    if (asked.trim() === "")
      throw new AppError("E_USAGE", "empty model name", { hint: "agent model lists the available models" });
    if (refresh) await ctx.models.offered(true);
    const { provider: own } = await current(ctx);
    const chosen = await ctx.models.resolve({ model: asked, own, ...(from === undefined ? {} : { provider: from }) });
    return choose(ctx, chosen, global || ctx.session === undefined);
  },
});

async function choose(ctx: CommandContext, chosen: ModelName, global: boolean): Promise<CommandResult> {
  const { window } = await ctx.models.check(chosen);
  const { session } = ctx;
  const before = await current(ctx);
  const same = before.model === chosen.model && before.provider === chosen.provider;
  const own = chosen.provider === "custom" ? (chosen.base_url ?? null) : null;
  if (session !== undefined)
    await ctx.chat.setModel(session, { provider: chosen.provider, model: chosen.model, base_url: own });
  if (global) await ctx.models.setDefault(chosen);
  const lines = [
    `${same ? "Still" : "Now"} ${chosen.model} via ${chosen.provider}, window ${window} tokens.`,
    ...(global ? ["New sessions use it too."] : []),
    ...(session === undefined || same
      ? []
      : ["The next message rebuilds the system prompt; the provider's prompt cache is lost."]),
  ];
  const lists = (await ctx.models.offered(false)).find((one) => one.provider === chosen.provider)?.models ?? [];
  const warnings =
    lists.length > 0 && !lists.includes(chosen.model) ? [`${chosen.provider} does not list ${chosen.model}`] : [];
  return { text: lines.join("\n"), warnings, data: { ok: true, ...chosen, window, global, changed: !same } };
}

/** The model of the conversation, else that of new sessions. */
async function current(ctx: CommandContext): Promise<ModelName> {
  const { primary } = await ctx.models.chain();
  if (ctx.session === undefined) return primary;
  const own = await ctx.chat.modelOf(ctx.session);
  const stored = await ctx.chat.get(ctx.session);
  return {
    provider: own.provider ?? (stored?.provider || primary.provider),
    model: own.model ?? (stored?.model || primary.model),
  };
}

async function listed(ctx: CommandContext, provider: string | undefined, refresh: boolean): Promise<CommandResult> {
  const now = await current(ctx);
  const all = await ctx.models.offered(refresh);
  const wanted = provider === undefined ? all : all.filter((one) => one.provider === provider);
  if (provider !== undefined && wanted.length === 0)
    throw new AppError("E_NOT_FOUND", `unknown provider ${provider}`, {
      hint: `add providers.${provider}.base_url to config.yaml`,
    });
  const head = `Model: ${now.model === "" ? "first available" : now.model} via ${now.provider}`;
  const lists =
    wanted.length === 0
      ? ["No provider configured. agent setup model adds one."]
      : wanted.map((one) => listOf(one, now));
  return {
    text: [head, ...lists, "/model NAME selects one for this conversation; --global for new ones too."].join("\n"),
    data: { current: now, providers: wanted },
  };
}

const SHOWN = 30;

function listOf({ provider, models, problem }: OfferedModels, now: ModelName): string {
  const names = models
    .slice(0, SHOWN)
    .map((id) => `  ${id === now.model && provider === now.provider ? "*" : " "} ${id}`);
  const more = models.length > SHOWN ? [`    and ${models.length - SHOWN} more`] : [];
  return [`${provider}:${problem === undefined ? "" : ` (${problem})`}`, ...names, ...more].join("\n");
}
