import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  task_id: z.string().describe("Task."),
  reason: z.string().optional().describe("Why, kept as a comment."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_unblock",
  toolset: "kanban",
  description: "Set a blocked or scheduled task free. It becomes ready, or todo while parents are open.",
  params,
  risk: "write",
  core: false,
  secrets: "refused",
  effects: () => ({ reads: [], writes: ["board"] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => given.task_id.slice(0, 120),
  run: (given, ctx) => runBoardTool("unblock", given, ctx),
});
