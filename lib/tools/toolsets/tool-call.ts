import * as z from "zod";
import { defineTool } from "../core/define.js";
import { toFailureResult } from "../run/scope.js";

/** Stands in requests only: the pipeline puts the call that it holds in its place, which then goes through everything under its own name. */
export default defineTool({
  name: "tool_call",
  toolset: "tool_search",
  description: "Call a tool that tool_search found, with the arguments that tool_describe shows.",
  params: z.object({
    name: z.string().min(1).describe("Name of the tool."),
    arguments: z.record(z.string(), z.unknown()).default({}).describe("Its arguments."),
  }),
  risk: "external",
  effects: () => ({ reads: [], writes: ["world"] }),
  limits: { ms: 5_000, chars: 20_000 },
  preview: ({ name }) => name,
  run: async ({ name }) => toFailureResult(`there is no tool ${name} to call; tool_search finds those that there are`),
});
