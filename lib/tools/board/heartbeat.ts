import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  note: z.string().optional().describe("What you are doing."),
  task_id: z.string().optional().describe("Your own task; may be left out."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_heartbeat",
  toolset: "kanban",
  description: "Say that you are still working, during long operations at least once an hour.",
  params,
  risk: "write",
  secrets: "refused",
  effects: () => ({ reads: [], writes: ["board"] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => (given.note ?? "").slice(0, 120),
  run: (given, ctx) => runBoardTool("heartbeat", given, ctx),
});
