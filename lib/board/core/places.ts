import { join, resolve } from "node:path";
import type { BoardSlug, TaskId } from "../../base/units.js";

/** Where the files of one board lie (board part, 2.1). Pure. */
export interface BoardPlaces {
  readonly store: string;
  readonly workspaces: string;
  readonly logs: string;
  readonly attachments: string;
  readonly runs: string;
  scratch(task: TaskId): string;
  log(task: TaskId): string;
  claim(task: TaskId, run: number): string;
  exit(task: TaskId, run: number): string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Places of `board` under `root`; `AGENT_KANBAN_WORKSPACES_ROOT` and `AGENT_KANBAN_ATTACHMENTS_ROOT` in `env` move two of them, a relative path being below `root`. */
export function boardPlaces(root: string, board: BoardSlug | string, env: Env = {}): BoardPlaces {
  const dir = boardDir(root, board);
  const workspaces = resolve(root, env["AGENT_KANBAN_WORKSPACES_ROOT"] || join(dir, "workspaces"));
  const logs = join(dir, "logs");
  const runs = join(dir, "runs");
  return {
    store: storePath(root, board),
    workspaces,
    logs,
    attachments: resolve(root, env["AGENT_KANBAN_ATTACHMENTS_ROOT"] || join(dir, "attachments")),
    runs,
    scratch: (task) => join(workspaces, task),
    log: (task) => join(logs, `${task}.log`),
    claim: (task, run) => join(runs, `${task}.${run}.claim`),
    exit: (task, run) => join(runs, `${task}.${run}.exit`),
  };
}

/** Directory of a board's files beside its store. */
export function boardDir(root: string, board: string): string {
  return board === "default" ? join(root, "kanban") : join(root, "kanban", "boards", board);
}

/** Path of a board's store. */
export function storePath(root: string, board: string): string {
  return board === "default" ? join(root, "kanban.db") : join(root, "kanban", "boards", board, "kanban.db");
}

/** File that holds the slug of the current board. */
export const currentPath = (root: string): string => join(root, "kanban", "current");

/** Directory of the boards that were removed and may be restored. */
export const archivedRoot = (root: string): string => join(root, "kanban", "boards", "_archived");
