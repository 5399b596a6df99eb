import { AppError } from "../../../base/errors.js";
import type { BoardSlug, TaskId } from "../../../base/units.js";
import type { Task } from "../../../contracts/board/board.js";
import type { KanbanParts } from "../../core/parts.js";

/** The tag of a task's version. */
const tagOf = (task: Pick<Task, "version">): string => `"${task.version}"`;

/** Header that tells the version of the task in the answer. */
export const toEtagHeader = (task: Pick<Task, "version">): Readonly<Record<string, string>> => ({ etag: tagOf(task) });

/** Which task a request is about. */
export interface TaskPlace {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

interface Asked {
  header(name: string): string | undefined;
}

/**
 * Hold a change to the version in `If-Match`: the version that the change must still meet when it is written, undefined without the header.
 *
 * @throws E_NOT_FOUND, E_CONFLICT as 412 when the task has another version
 */
export async function expectedVersion(
  { board: api }: KanbanParts,
  { board, id }: TaskPlace,
  request: Asked,
): Promise<number | undefined> {
  const wanted = request.header("if-match");
  if (wanted === undefined) return undefined;
  const task = await api.task(board, id);
  const tags = wanted.split(",").map((tag) => tag.trim());
  if (tags.includes(tagOf(task)) || wanted.trim() === "*") return task.version;
  throw stale(`${id} has changed: its version is ${task.version}, not ${wanted.slice(0, 40)}`, task.version);
}

/** Run a change that looks at the version again when it writes: what came in between is answered like what came before. @throws as `change` */
export async function unlessStale<T>(expected: number | undefined, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    const version = error instanceof AppError && error.code === "E_CONFLICT" ? error.data["version"] : undefined;
    if (expected === undefined || typeof version !== "number" || !(error instanceof AppError)) throw error;
    throw stale(error.message, version);
  }
}

const stale = (message: string, version: number) => new AppError("E_CONFLICT", message, { http: 412, version });
