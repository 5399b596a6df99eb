import * as z from "zod";
import type { NewTask } from "../../../contracts/board/api.js";
import { taskShape } from "../../../contracts/wire/shapes/records.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, boardToChange, DASHBOARD } from "../request/asked.js";
import { runtime, withoutNulls } from "./given.js";
import { toWarning } from "./place.js";
import { toEtagHeader } from "./precondition.js";

const text = z.string().nullish();
const flag = z.boolean().nullish();
const count = z.int().nullish();

const body = z.object({
  title: z.string().describe("At most 300 characters."),
  body: text,
  assignee: text,
  external: flag,
  tenant: text,
  priority: count,
  workspace_kind: z.enum(["scratch", "dir", "worktree"]).nullish(),
  workspace_path: text,
  branch_name: text,
  base_name: text,
  parents: z.array(z.string()).nullish().describe("Full ids of tasks that must be done first."),
  triage: flag,
  auto_decompose: flag,
  idempotency_key: text,
  max_runtime_seconds: count,
  max_runtime: runtime.nullish(),
  max_retries: count,
  skills: z.array(z.string()).nullish(),
  model_override: text,
  goal_mode: flag,
  goal_max_turns: count,
  scheduled_at: count.describe("Unix seconds; the task waits until then."),
  initial_status: z.enum(["normal", "blocked"]).nullish(),
});

/** Make a task. The same idempotency key gives the same task. */
export const createTask = defineEndpoint({
  method: "POST",
  path: "/tasks",
  summary: "Create a task.",
  tag: "tasks",
  query: boardQuery,
  body,
  answer: z.object({ task: taskShape, created: z.boolean(), warning: z.string().exactOptional() }),
  errors: [404, 413],
  run: async ({ query, body: given }, parts: KanbanParts) => {
    const board = await boardToChange(parts, query);
    const made = await parts.board.create(board, wanted(given), DASHBOARD);
    return {
      json: { task: made.task, created: made.created, ...toWarning(made.warnings) },
      headers: toEtagHeader(made.task),
    };
  },
});

function wanted({ max_runtime, ...given }: z.output<typeof body>): NewTask {
  const { max_runtime_seconds = max_runtime ?? undefined, ...rest } = withoutNulls(given);
  return { ...rest, title: given.title, max_runtime_seconds };
}
