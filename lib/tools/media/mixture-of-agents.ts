import * as z from "zod";
import { MOA } from "../../contracts/media/mixture.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { addUse, envelopeResult } from "./caller.js";

const params = z.object({
  user_prompt: z.string().max(200_000).describe("The whole question: the models see nothing else."),
});

export default defineTool({
  name: "mixture_of_agents",
  toolset: "moa",
  description:
    "Ask several models the same hard question at once and get one answer joined from theirs. " +
    "Costs several times as much as an answer of your own: only for what is hard and matters.",
  params,
  risk: "external",
  core: false,
  secrets: "refused",
  available: ({ config }) => config.get(MOA.models).length > 0 || "moa.models names no models (agent help media)",
  effects: () => ({ reads: ["net"], writes: [] }),
  // Each request has a limit of its own, moa.timeout_seconds.
  limits: { ms: 2 * 3_600_000, chars: 100_000 },
  preview: ({ user_prompt }) => user_prompt.slice(0, 120),
  run,
});

async function run({ user_prompt }: z.output<typeof params>, ctx: ToolContext): Promise<ToolResult> {
  const { mixture } = ctx.ports;
  if (mixture === undefined)
    return envelopeResult({
      success: false,
      error: "other models cannot be asked here",
      error_type: "no_provider_configured",
    });
  const caller = {
    progress: ctx.progress,
    used: (use: Parameters<typeof addUse>[1]) => addUse(ctx, use),
    signal: ctx.signal,
  };
  return envelopeResult(await mixture.ask(user_prompt, caller));
}
