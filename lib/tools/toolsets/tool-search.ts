import * as z from "zod";
import { type DeferredTool, defineTool } from "../core/define.js";
import { TOOL_SEARCH } from "../core/keys.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";

export default defineTool({
  name: "tool_search",
  toolset: "tool_search",
  description:
    "Find tools that are not listed here, by what they do. Answers names and one line each; tool_describe shows the parameters of one, tool_call calls it.",
  params: z.object({
    query: z.string().min(1).describe("Words for what the tool should do."),
    limit: z.number().int().min(1).optional().describe("How many to show."),
  }),
  risk: "read",
  effects: () => ({ reads: [], writes: [] }),
  limits: { ms: 5_000, chars: 20_000 },
  preview: ({ query }) => query,
  run: async ({ query, limit }, ctx) => {
    const tools = ctx.deferred ?? [];
    if (tools.length === 0) return toFailureResult("every tool of this conversation is listed already");
    const found = ranked(tools, query);
    const shown = Math.min(limit ?? ctx.config.get(TOOL_SEARCH.limit), ctx.config.get(TOOL_SEARCH.most));
    const rows = found
      .slice(0, shown)
      .map(({ name, toolset, description }) => ({ name, toolset, description: firstSentence(description) }));
    const hint =
      rows.length === 0
        ? { hint: `no tool fits; the sets are ${[...new Set(tools.map(({ toolset }) => toolset))].join(", ")}` }
        : {};
    return { text: jsonResult({ tools: rows, matches: found.length, searched: tools.length, ...hint }) };
  },
});

/** Tools that share a word with the query, best first: a word in the name counts most, a word in the parameters least. */
function ranked(tools: readonly DeferredTool[], query: string): readonly DeferredTool[] {
  const asked = words(query);
  const score = (tool: DeferredTool) => {
    const name = words(tool.name);
    const set = words(tool.toolset);
    const about = words(tool.description);
    const params = words(Object.keys((tool.schema["properties"] as object | undefined) ?? {}).join(" ")); // JSON Schema: an object where it is there
    const of = (word: string) =>
      (has(name, word) ? 4 : 0) + (has(set, word) ? 2 : 0) + (has(about, word) ? 2 : 0) + (has(params, word) ? 1 : 0);
    return asked.reduce((sum, word) => sum + of(word), 0);
  };
  return tools
    .map((tool) => ({ tool, score: score(tool) }))
    .filter((one) => one.score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map((one) => one.tool);
}

const words = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** `issue` finds `issues` and the other way round. */
const has = (list: readonly string[], word: string): boolean =>
  list.some(
    (one) => one === word || (word.length > 3 && one.startsWith(word)) || (one.length > 3 && word.startsWith(one)),
  );

const firstSentence = (text: string): string => (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text).slice(0, 200);
