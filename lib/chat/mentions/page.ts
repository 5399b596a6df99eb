import type { ToolContext } from "../../tools/core/define.js";
import { hostOf, hostsIn } from "../../tools/core/effects.js";
import { markToolResult } from "../../tools/core/untrusted.js";
import { toolPermission } from "../../tools/run/permission.js";
import type { MentionResult } from "./define.js";
import { inLabel, renderFencedBlock } from "./fenced.js";

const MOST_BYTES = 2 << 20;
/** Whose rules hold for it. */
const TOOL = "web_extract";

/** The text of a web page, which is data of others whatever it says. The guard of addresses is inside the network, at every redirect and socket. */
export async function pageAt(url: string, ctx: ToolContext): Promise<MentionResult> {
  const { web } = ctx.ports;
  if (web === undefined) return { why: "web pages cannot be read here" };
  const answer = await ctx.permit(toolPermission({ tool: TOOL, preview: url }, [], ctx, hostsIn(hostOf(url))));
  if (!answer.allowed) return { why: answer.message };
  const page = await web.page(url, { signal: ctx.signal, maxBytes: MOST_BYTES });
  if (!page.ok) return { why: withRemedy(page.why) };
  const { finalUrl, title, text } = page;
  const from = finalUrl === url ? "" : ` (answered by ${inLabel(finalUrl)})`;
  const about = title === "" ? `${text.length} characters` : inLabel(title).slice(0, 50);
  const label = `@url ${inLabel(url)}${from}: ${about}`;
  return { text: renderFencedBlock(label, markToolResult(TOOL, text)), taken: () => ctx.readUntrusted?.() };
}

/** What a person who mentions it does about it. */
function withRemedy(why: string): string {
  if (/^it is [\w.+-]+\/[\w.+-]+, not text$/.test(why)) return `${why}; save it to a file and mention that with @file:`;
  if (why.startsWith("it exceeds ")) return `${why}; save it to a file and mention lines of it with @file:PATH:1-200`;
  return why;
}
