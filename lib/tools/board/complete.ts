import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  summary: z.string().optional().describe("What was done, one to three sentences; summary or result is required."),
  result: z.string().optional().describe("Short result line."),
  metadata: z.record(z.string(), z.unknown()).optional().describe("Facts for programs."),
  outcome: z.enum(["accepted", "rejected"]).optional().describe("Default accepted."),
  artifacts: z.array(z.string()).optional().describe("Paths of files to keep."),
  created_cards: z.array(z.string()).optional().describe("Ids of tasks that you created."),
  task_id: z.string().optional().describe("Your own task; may be left out."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_complete",
  toolset: "kanban",
  description:
    "Finish your task. Give a summary of one to three sentences, or a short result. Files named in artifacts must lie in the workspace; they are kept with the task. outcome rejected: the check that you were asked for did not pass.",
  params,
  risk: "write",
  secrets: "refused",
  effects: () => ({ reads: [], writes: ["board"] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => (given.summary ?? given.result ?? "").slice(0, 120),
  run: (given, ctx) => runBoardTool("complete", given, ctx),
});
