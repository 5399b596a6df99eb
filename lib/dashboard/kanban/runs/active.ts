import * as z from "zod";
import { toUnix } from "../../../base/units.js";
import type { Run, Task } from "../../../contracts/board/board.js";
import { usageShape } from "../../../contracts/wire/shapes/records.js";
import { runId, seconds, status, taskId } from "../../../contracts/wire/shapes/values.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, boardToRead } from "../request/asked.js";

const worker = z.object({
  run_id: runId,
  task_id: taskId,
  task_title: z.string(),
  task_status: status,
  task_assignee: z.string().nullable(),
  profile: z.string(),
  worker_pid: z.int().nullable(),
  started_at: seconds,
  claim_lock: z.string().nullable(),
  claim_expires: seconds.nullable(),
  last_heartbeat_at: seconds,
  max_runtime_seconds: z.int().nullable(),
  usage: usageShape.nullable(),
});

/** Who works on the board at this moment. */
export const ACTIVE_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/workers/active",
    summary: "List open runs, oldest first.",
    tag: "runs",
    query: boardQuery,
    answer: z.object({ workers: z.array(worker), count: z.int(), checked_at: seconds }),
    errors: [404],
    run: async ({ query }, parts: KanbanParts) => {
      const board = await boardToRead(parts, query);
      const running = await parts.board.list(board, { status: ["running"] });
      const workers = [];
      for (const { task } of running) {
        const open = (await parts.board.runs(board, task.id)).findLast((run) => run.ended_at === null);
        if (open !== undefined) workers.push(rowOf(task, open));
      }
      workers.sort((a, b) => a.started_at - b.started_at || a.run_id - b.run_id);
      return { json: { workers, count: workers.length, checked_at: toUnix(parts.clock.now()) } };
    },
  }),
];

const rowOf = (task: Task, run: Run): z.output<typeof worker> => ({
  run_id: run.id,
  task_id: task.id,
  task_title: task.title,
  task_status: task.status,
  task_assignee: task.assignee,
  profile: run.profile,
  worker_pid: run.worker_pid,
  started_at: run.started_at,
  claim_lock: run.claim_lock,
  claim_expires: run.claim_expires,
  last_heartbeat_at: run.last_heartbeat_at,
  max_runtime_seconds: run.max_runtime_seconds,
  usage: run.usage,
});
