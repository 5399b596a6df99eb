import { AppError } from "../../base/errors.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { Diagnostic, DiagnosticFilter, TaskDiagnostics } from "../../contracts/board/explain.js";
import { type Core, mustTask } from "../core/core.js";
import { hint } from "./cases.js";
import { gather } from "./gather.js";
import { diagnoseBoard, diagnoseTask, toDiagnostic, weigh } from "./rules.js";

/** What needs attention on a board, worst first (board part, 19.3). @throws E_NOT_FOUND for an unknown task */
export async function diagnostics(
  core: Core,
  board: BoardSlug,
  filter: DiagnosticFilter = {},
): Promise<readonly TaskDiagnostics[]> {
  const least = filter.severity === undefined ? 0 : weigh({ severity: filter.severity });
  const rows = await allOf(core, board, filter.task);
  const shown = rows.map((row) => ({ ...row, diagnostics: row.diagnostics.filter((one) => weigh(one) >= least) }));
  return shown
    .filter((row) => row.diagnostics.length > 0)
    .toSorted((a, b) => byWorst(a.diagnostics[0], b.diagnostics[0]));
}

function byWorst(a: Diagnostic | undefined, b: Diagnostic | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return weigh(b) - weigh(a) || a.first_seen_at - b.first_seen_at;
}

async function allOf(core: Core, board: BoardSlug, task: TaskId | undefined): Promise<readonly TaskDiagnostics[]> {
  try {
    const found = await gather(core, board, { task });
    if (task !== undefined) await (await core.store(board, task)).read((q) => mustTask(q, task));
    if (found === undefined) return [];
    const rows = found.tasks.map((one) => ({ ...briefOf(one.task), diagnostics: diagnoseTask(one, found) }));
    return task === undefined ? [{ ...NOBODY, diagnostics: diagnoseBoard(found) }, ...rows] : rows;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "E_STORE")) throw error;
    return [{ ...NOBODY, diagnostics: [storeFailed(core, board, error)] }];
  }
}

const NOBODY = { task_id: null, title: null, status: null, assignee: null } as const;

const briefOf = ({
  id,
  title,
  status,
  assignee,
}: Omit<TaskDiagnostics, "task_id" | "diagnostics"> & { id: TaskId }) => ({
  task_id: id,
  title,
  status,
  assignee,
});

/** Findings about one task, for `show` and the cards. */
export async function diagnosticsOf(core: Core, board: BoardSlug, task: TaskId): Promise<readonly Diagnostic[]> {
  const found = await gather(core, board, { task });
  const [one] = found?.tasks ?? [];
  return found === undefined || one === undefined ? [] : diagnoseTask(one, found);
}

/** Findings about some tasks: costs what these are, however many others the board has. */
export async function diagnosticsOfSome(
  core: Core,
  board: BoardSlug,
  tasks: readonly TaskId[],
): Promise<ReadonlyMap<TaskId, readonly Diagnostic[]>> {
  const found = tasks.length === 0 ? undefined : await gather(core, board, { tasks });
  if (found === undefined) return new Map();
  return new Map(found.tasks.map((one) => [one.task.id, diagnoseTask(one, found)]));
}

function storeFailed(core: Core, board: BoardSlug, error: AppError): Diagnostic {
  const now = toUnix(core.clock.now());
  const { store } = core.places(board);
  return toDiagnostic(
    "board_store",
    {
      severity: "critical",
      title: `Cannot open the store of board ${board}`,
      detail: error.message,
      actions: [hint(`agent kanban --board ${board} doctor`, true), hint("agent kanban boards list")],
      first: now,
      data: { store, code: error.code },
    },
    now,
  );
}
