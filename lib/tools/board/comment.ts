import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  text: z.string().optional().describe("The comment."),
  body: z.string().optional().describe("The same as text."),
  task_id: z.string().optional().describe("Task; default: your own."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_comment",
  toolset: "kanban",
  description: "Comment on a task, your own or another one of the board.",
  params,
  risk: "write",
  secrets: "refused",
  effects: () => ({ reads: [], writes: ["board"] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => (given.text ?? given.body ?? "").slice(0, 120),
  run: (given, ctx) => runBoardTool("comment", { ...given, text: given.text ?? given.body ?? "" }, ctx),
});
