import type { SideUse } from "../../contracts/chat/compact.js";
import type { MediaCaller, MediaEnvelope } from "../../contracts/media/media.js";
import { NO_USAGE } from "../../contracts/models/model.js";
import type { ToolContext, ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";

/** Most time of a generation with its download, and some more. */
export const GENERATION_MS = 1_200_000;

/** The call as the makers of media know it; `slot` names its costs. */
export const mediaCallerOf = (ctx: ToolContext, slot: string): MediaCaller => ({
  session: ctx.session,
  progress: ctx.progress,
  spent: ({ provider, model, usd }) =>
    addUse(ctx, { slot, provider, model, usage: { ...NO_USAGE, costUsd: usd, estimated: true } }),
  signal: ctx.signal,
});

/** What cannot be counted was spent anyway: the result is not lost for it. */
export async function addUse(ctx: ToolContext, use: SideUse): Promise<void> {
  try {
    await ctx.addSideUse?.(use);
  } catch (error) {
    ctx.log.warning("failed to add the cost of a call", { slot: use.slot, error: String(error) });
  }
}

export const envelopeResult = (envelope: MediaEnvelope): ToolResult => ({
  text: jsonResult(envelope),
  ...(envelope.success ? {} : { status: "error" }),
});
