import * as z from "zod";
import type { Run } from "../../../contracts/board/board.js";
import { runShape } from "../../../contracts/wire/shapes/records.js";
import { runId, seconds, taskId } from "../../../contracts/wire/shapes/values.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, boardToChange, boardToRead, DASHBOARD, fullRunId } from "../request/asked.js";

const tag = "runs";
const params = z.object({ id: z.string().describe("run") });
const number = z.number().nullable();

const inspected = z.union([
  z.object({
    run_id: runId,
    alive: z.literal(true),
    pid: z.int(),
    cpu_percent: number,
    memory_rss_bytes: number,
    num_threads: number,
    num_fds: number,
    status: z.string().nullable(),
    create_time: seconds.nullable(),
    cmdline: z.array(z.string()),
  }),
  z.object({ run_id: runId, alive: z.literal(false), reason: z.string() }),
]);

/** Attempts at tasks, and the processes that make them. */
export const RUN_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/runs/:id",
    summary: "Read a run of a task.",
    tag,
    params,
    query: boardQuery,
    answer: z.object({ run: runShape }),
    errors: [404],
    run: async (request, parts: KanbanParts) => {
      const board = await boardToRead(parts, request.query);
      return { json: { run: await parts.board.run(board, fullRunId(request.params.id)) } };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/runs/:id/inspect",
    summary: "Read the state of the worker's process; `alive` false with a reason if it is not running.",
    tag,
    params,
    query: boardQuery,
    answer: inspected,
    errors: [404],
    run: async (request, parts: KanbanParts) => {
      const board = await boardToRead(parts, request.query);
      return { json: await inspect(parts, await parts.board.run(board, fullRunId(request.params.id))) };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/runs/:id/terminate",
    summary: "Stop the worker and release its task.",
    tag,
    params,
    query: boardQuery,
    body: z.object({ reason: z.string().max(4_096).optional() }),
    answer: z.object({ ok: z.boolean(), run_id: runId, task_id: taskId }),
    errors: [404, 409],
    run: async (request, parts: KanbanParts) => {
      const board = await boardToChange(parts, request.query);
      const run_id = fullRunId(request.params.id);
      const { task } = await parts.board.endRun(board, run_id, request.body.reason, DASHBOARD);
      return { json: { ok: true, run_id, task_id: task.id } };
    },
  }),
];

async function inspect(
  parts: KanbanParts,
  { id, ended_at, status, worker_pid, worker_start, boot_id }: Run,
): Promise<z.output<typeof inspected>> {
  const gone = (reason: string) => ({ run_id: id, alive: false as const, reason });
  if (ended_at !== null) return gone(`the run has ended: ${status}`);
  if (worker_pid === null) return gone("no known process: not started yet, or external");
  const facts = await parts.processFacts({ pid: worker_pid, start: worker_start ?? "", boot: boot_id ?? "" });
  if (facts === undefined) return gone(`process ${worker_pid} has exited, or is not on this machine`);
  return { run_id: id, alive: true, pid: worker_pid, ...facts, cmdline: [...facts.cmdline] };
}
