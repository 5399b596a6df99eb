import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  task_id: z.string().optional().describe("Task; default: your own."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_show",
  toolset: "kanban",
  description:
    "Show a task with its comments, runs and links, and `worker_context`: what a worker needs to know. Without task_id: your own task.",
  params,
  risk: "read",
  core: false,
  secrets: "refused",
  effects: () => ({ reads: ["board"], writes: [] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => (given.task_id ?? "current task").slice(0, 120),
  run: (given, ctx) => runBoardTool("show", given, ctx),
});
