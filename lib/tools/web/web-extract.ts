import * as z from "zod";
import type { WebPage } from "../../contracts/web/web.js";
import { defineTool, type ToolContext } from "../core/define.js";
import { hostOf, hostsIn } from "../core/effects.js";
import { keepResult } from "../core/spill.js";
import { markToolResult } from "../core/untrusted.js";
import { jsonResult } from "../run/execute.js";
import { toolPermission } from "../run/permission.js";
import { toFailureResult } from "../run/scope.js";

const NAME = "web_extract";
const URLS = 5;

const params = z.object({
  urls: z.array(z.string().trim().min(1).max(8_000)).min(1).max(URLS).describe("Addresses, each with https://."),
});

export default defineTool({
  name: NAME,
  toolset: "web",
  description:
    "Read web pages as Markdown: articles, documentation, PDFs, JSON, feeds. Each address succeeds or fails on its own. A page with more than 5,000 " +
    "characters comes as a summary, with the path of a file that has all of it. Scripts of a page are not run.",
  params,
  risk: "read",
  effects: ({ urls }) => ({ reads: ["net", ...urls.flatMap(hostOf)], writes: [] }),
  limits: { ms: 600_000, chars: 60_000 },
  secrets: "refused",
  preview: ({ urls }) => urls.join(" "),
  run: async ({ urls }, ctx) => {
    const { web } = ctx.ports;
    if (web === undefined) return toFailureResult("web pages cannot be read here");
    const pages = await web.extract(urls, {
      signal: ctx.signal,
      progress: (text) => ctx.progress(text),
      used: async (use) => ctx.addSideUse?.(use),
      refuse: ruledElsewhere(urls, ctx),
    });
    const results = await Promise.all(pages.map((page, index) => resultOf(page, index, ctx)));
    return {
      text: jsonResult({ results }),
      ...(pages.every(({ error }) => error !== undefined) && { status: "error" }),
    };
  },
});

/** A page may lead to a host that the call did not name: rules of the conversation are asked about it as they were about the others. */
function ruledElsewhere(urls: readonly string[], ctx: ToolContext): (url: URL) => Promise<string | undefined> {
  const asked = new Set(urls.flatMap(hostOf));
  return async ({ href }) => {
    const hosts = hostOf(href);
    if (hosts.every((host) => asked.has(host))) return undefined;
    const answer = await ctx.permit(toolPermission({ tool: NAME, preview: href }, [], ctx, hostsIn(hosts)));
    return answer.allowed ? undefined : answer.message;
  };
}

async function resultOf(page: WebPage, index: number, ctx: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const { url, finalUrl, title, content, error, truncated, note } = page;
  const path = await keptAt(page, index, ctx);
  const more = path === undefined ? note : `${note ?? "cut"}; all of it is in ${path}: read_file, search_files`;
  return {
    url,
    final_url: finalUrl,
    title,
    content,
    ...(error === undefined ? {} : { error }),
    ...(truncated === undefined ? {} : { truncated }),
    ...(more === undefined ? {} : { note: more }),
  };
}

/** A file with all of a long page. It is marked as data of others inside: read_file does not mark what it reads. */
async function keptAt({ whole }: WebPage, index: number, ctx: ToolContext): Promise<string | undefined> {
  if (whole === undefined || ctx.resultDir === undefined) return undefined;
  const spill = { dir: ctx.resultDir, now: () => ctx.ports.clock.now() };
  return await keepResult(spill, `${ctx.callId}-page-${index + 1}`, markToolResult(NAME, ctx.redact(whole)));
}
