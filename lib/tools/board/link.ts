import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  parent_id: z.string().describe("Task that comes first."),
  child_id: z.string().describe("Task that waits."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_link",
  toolset: "kanban",
  description: "Make one task wait for another: the child does not start before the parent is done.",
  params,
  risk: "write",
  core: false,
  secrets: "refused",
  effects: () => ({ reads: [], writes: ["board"] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => `${given.parent_id} -> ${given.child_id}`.slice(0, 120),
  run: (given, ctx) => runBoardTool("link", given, ctx),
});
