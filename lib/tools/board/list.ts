import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  assignee: z.string().optional().describe("Only tasks of this assignee."),
  status: z
    .array(z.string())
    .optional()
    .describe("Only these statuses: triage, todo, ready, running, blocked, scheduled, done, archived."),
  tenant: z.string().optional().describe("Only this namespace."),
  include_archived: z.boolean().optional().describe("Archived tasks too."),
  limit: z.number().int().min(1).max(200).default(50).describe("At most so many."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_list",
  toolset: "kanban",
  description: "List tasks of the board, highest priority first.",
  params,
  risk: "read",
  core: false,
  secrets: "refused",
  effects: () => ({ reads: ["board"], writes: [] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => (given.status?.join(",") ?? "all").slice(0, 120),
  run: (given, ctx) => runBoardTool("list", given, ctx),
});
