import type { Query } from "../../../storage/store.js";
import { type CandidateRow, candidateById, candidates, startable } from "../../../storage/tables/board/queue.js";
import { toRun } from "../../../storage/tables/board/rows.js";
import type { OpenRunRow } from "../../../storage/tables/board/runs.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import type { Candidate, OpenRun, WorkerIdentity } from "./kernel.js";

/** An open run as the supervisor looks at it. */
export function toOpenRun(board: BoardSlug, row: OpenRunRow): OpenRun {
  return {
    ...toRun({ ...row, summary: null, metadata: null }),
    board,
    assignee: row.assignee,
    external: row.external === 1,
    workspace_kind: row.workspace_kind as Task["workspace_kind"], // the column holds nothing else
    workspace_path: row.workspace_path,
    stuck: row.stuck === 1,
  };
}

/** Ready tasks in dispatch order. */
export async function readCandidates(q: Query, limit: number): Promise<readonly Candidate[]> {
  return (await candidates(q, limit)).map(toCandidate);
}

/** One ready task; undefined when it is not ready. */
export async function readCandidate(q: Query, id: TaskId): Promise<Candidate | undefined> {
  const row = await candidateById(q, id);
  return row === undefined ? undefined : toCandidate(row);
}

/** Ready tasks that may start, in dispatch order. */
export async function readStartable(
  q: Query,
  assignees: readonly (string | null)[],
  limit: number,
): Promise<readonly Candidate[]> {
  return (await startable(q, assignees, limit)).map(toCandidate);
}

function toCandidate(row: CandidateRow): Candidate {
  const { worker_pid, worker_start, boot_id, host_id, ...rest } = row;
  return { ...rest, external: row.external === 1, last_worker: lastWorker(row) };
}

function lastWorker(row: CandidateRow): WorkerIdentity | null {
  if (row.worker_pid === null) return null;
  return { pid: row.worker_pid, start: row.worker_start ?? "", boot: row.boot_id ?? "", host: row.host_id ?? "" };
}
