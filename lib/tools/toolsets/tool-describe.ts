import * as z from "zod";
import { defineTool } from "../core/define.js";
import { repairName } from "../core/repair.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";

export default defineTool({
  name: "tool_describe",
  toolset: "tool_search",
  description: "Show the whole description and the parameters of a tool that tool_search found.",
  params: z.object({ name: z.string().min(1).describe("Name of the tool.") }),
  risk: "read",
  effects: () => ({ reads: [], writes: [] }),
  limits: { ms: 5_000, chars: 100_000 },
  preview: ({ name }) => name,
  run: async ({ name }, ctx) => {
    const tools = ctx.deferred ?? [];
    const known = repairName(
      name,
      tools.map((tool) => tool.name),
    );
    const found = tools.find((tool) => tool.name === known);
    if (found === undefined)
      return toFailureResult(`there is no tool ${name} to look up; tool_search finds those that there are`);
    return { text: jsonResult({ name: found.name, description: found.description, parameters: found.schema }) };
  },
});
