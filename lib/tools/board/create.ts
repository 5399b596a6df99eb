import * as z from "zod";
import { defineTool } from "../core/define.js";
import { runBoardTool } from "./board-call.js";

const params = z.object({
  title: z.string().describe("What is to be done, at most 300 characters."),
  assignee: z.string().describe("Profile that works it."),
  body: z.string().optional().describe("Markdown with all that the worker needs."),
  parents: z.array(z.string()).optional().describe("Tasks that must be done first."),
  skills: z.array(z.string()).optional().describe("Skills for the worker."),
  tenant: z.string().optional().describe("Namespace."),
  priority: z.number().int().optional().describe("Higher first."),
  workspace_kind: z.enum(["scratch", "dir", "worktree"]).optional().describe("Where it is worked."),
  workspace_path: z.string().optional().describe("Absolute path for dir, repository for worktree."),
  triage: z.boolean().optional().describe("Put it into triage."),
  auto_decompose: z.boolean().optional().describe("False: never decomposed automatically."),
  external: z.boolean().optional().describe("Worked by something outside."),
  idempotency_key: z.string().optional().describe("The same key never makes a second task."),
  max_runtime_seconds: z.number().int().min(1).optional().describe("Longest run in seconds."),
  max_retries: z.number().int().min(1).optional().describe("Failures before it is blocked."),
  model: z.string().optional().describe("Model for the worker."),
  initial_status: z.enum(["normal", "blocked"]).optional().describe("blocked: waits for a person."),
  scheduled_at: z.number().int().optional().describe("Unix seconds before which it does not start."),
  goal_mode: z.boolean().optional().describe("Work until the goal is met."),
  goal_max_turns: z.number().int().min(1).optional().describe("Turns of a goal task."),
  board: z.string().optional().describe("Board, when it is not the current one."),
});

export default defineTool({
  name: "kanban_create",
  toolset: "kanban",
  description:
    "Make a task for a profile. With parents it waits until they are done. An idempotency_key that a task has already returns that task.",
  params,
  risk: "write",
  core: false,
  secrets: "refused",
  effects: () => ({ reads: [], writes: ["board"] }),
  limits: { ms: 60_000, chars: 100_000 },
  preview: (given) => given.title.slice(0, 120),
  run: (given, ctx) => runBoardTool("create", given, ctx),
});
