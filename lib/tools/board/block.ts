import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  reason: z.string().describe("What is needed, for a person to read."),
  until: z.number().int().optional().describe("Unix seconds at which the task goes on by itself."),
  task_id: z.string().optional().describe("Your own task; may be left out."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_block",
  toolset: "kanban",
  description:
    "Stop working because only a person, or time, can bring the task forward. Says why; with until the task goes on by itself at that time.",
  params,
  risk: "write",
  secrets: "refused",
  effects: () => ({ reads: [], writes: ["board"] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => given.reason.slice(0, 120),
  run: (given, ctx) => runBoardTool("block", given, ctx),
});
