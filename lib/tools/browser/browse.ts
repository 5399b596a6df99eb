import type { BrowserAnswer, BrowserCommand } from "../../contracts/browser/browser.js";
import type { DeclaredRisk, PermissionAnswer, ToolContext, ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toolPermission } from "../run/permission.js";
import { toRefusalResult } from "../run/scope.js";
import { toBrowserPlace } from "./place.js";

const NO_BROWSER = "this conversation has no browser: install Chromium, or set browser.cdp_url";

/** Run one command in the browser of the conversation. */
export async function browse(ctx: ToolContext, command: BrowserCommand): Promise<BrowserAnswer> {
  const { browser } = ctx.ports;
  if (browser === undefined) return { value: { success: false, error: NO_BROWSER } };
  const place = toBrowserPlace(ctx);
  // It goes with the lineage: when its conversations are deleted, and not before.
  ctx.state.entry("browser", () => ({ empty: () => false, close: () => browser.release(place.lineage) }));
  return browser.run(place, command, ctx.signal);
}

/** The answer as the model reads it. */
export const resultOf = ({ value }: BrowserAnswer): ToolResult => ({
  text: jsonResult(value),
  ...(value["success"] === false ? { status: "error" as const } : {}),
});

export const browseResult = async (ctx: ToolContext, command: BrowserCommand): Promise<ToolResult> =>
  resultOf(await browse(ctx, command));

/** What a call does in a page, as a person reads it. */
export interface Acting {
  readonly tool: string;
  readonly preview: string;
  readonly reads?: readonly string[];
  /** Asked about wherever the browser is. */
  readonly declared?: DeclaredRisk;
}

const OWN_BROWSER: DeclaredRisk = {
  class: "tool-risk",
  text: "acts in your own browser, where you may be logged in",
};

/**
 * Act on a page. A browser of the agent's own is logged in nowhere, so that only rules decide; in one that a person has connected, a click acts in
 * that person's name and is asked about.
 */
export async function act(ctx: ToolContext, acting: Acting, command: BrowserCommand): Promise<ToolResult> {
  const answer = await permitAct(ctx, acting);
  return answer.allowed ? browseResult(ctx, command) : toRefusalResult(answer, { success: false });
}

async function permitAct(ctx: ToolContext, { tool, preview, reads = [], declared }: Acting): Promise<PermissionAnswer> {
  const attached = (await ctx.ports.browser?.status())?.kind === "attached";
  const risk = declared ?? (attached ? OWN_BROWSER : undefined);
  const permission = toolPermission({ tool, preview }, reads, ctx);
  return ctx.permit(risk === undefined ? permission : { ...permission, declared: risk });
}
