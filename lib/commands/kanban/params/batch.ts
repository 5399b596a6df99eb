import { AppError, toAppError, toWireError, type WireError } from "../../../base/errors.js";
import type { BoardSlug, TaskId } from "../../../base/units.js";
import type { Actor, Task } from "../../../contracts/board/board.js";
import type { CommandContext, CommandResult } from "../../define.js";
import { actorFor, boardFor, type Caller } from "../../params/board-target.js";

/** One id of a batch: what became of it. */
interface Row {
  readonly task_id: string;
  readonly ok: boolean;
  readonly status: string | null;
  readonly error: Pick<WireError, "code" | "message"> | null;
  readonly [more: string]: unknown;
}

export interface Done {
  /** Null: it is gone. */
  readonly task: Pick<Task, "status"> | null;
  /** Line for people. */
  readonly line: string;
  /** More keys of the JSON row. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
}

export interface TaskBatch {
  readonly verb: string;
  readonly ids: readonly string[];
  readonly caller?: Caller;
  /** Only whole ids will do: what cannot be undone does not happen to a task that was not named. */
  readonly whole?: boolean;
  readonly each: (board: BoardSlug, id: TaskId, by: Actor) => Promise<Done>;
  /** Words of a refusal when the verb has its own. */
  readonly refusal?: (id: string, error: AppError) => string;
}

/** Do one verb to several tasks, each by itself, in the order given (board part, 10.1). */
export async function runBatch(ctx: CommandContext, batch: TaskBatch): Promise<CommandResult> {
  if (batch.ids.length === 0) throw new AppError("E_USAGE", `${batch.verb} needs a task id`);
  const { board, warnings: notes } = await boardFor(ctx, "write");
  const rows: Row[] = [];
  const lines: string[] = [];
  const warnings: string[] = [...notes];
  for (const given of batch.ids) {
    let id: TaskId | undefined;
    try {
      id = await findFor(ctx, board, given, batch);
      const done = await batch.each(board, id, await actorFor(ctx, { ...batch.caller, task: id }));
      rows.push({ task_id: id, ok: true, status: done.task?.status ?? null, error: null, ...done.more });
      lines.push(done.line);
      warnings.push(...(done.warnings ?? []));
    } catch (thrown) {
      const error = toAppError(thrown);
      // What was done to those before is reported anyway.
      if (rows.length === 0 && (error.code === "E_USAGE" || error.code === "E_INTERNAL")) throw error;
      const message = batch.refusal?.(given, error) ?? error.message;
      const status = id === undefined ? null : await statusOf(ctx, board, id, error);
      rows.push({ task_id: id ?? given, ok: false, status, error: { code: error.code, message } });
      if (!ctx.json) warnings.push(message, ...(batch.ids.length === 1 ? [toWireError(error).hint] : []));
    }
  }
  const failed = rows.some((row) => !row.ok);
  return {
    ...(lines.length > 0 ? { text: lines.join("\n") } : {}),
    data: { results: rows },
    exit: failed ? 1 : 0,
    warnings,
  };
}

async function findFor(
  ctx: CommandContext,
  board: BoardSlug,
  given: string,
  { verb, whole }: TaskBatch,
): Promise<TaskId> {
  if (whole === true && !/^t_[0-9a-f]{8}$/.test(given))
    throw new AppError("E_INVALID", `cannot ${verb} ${given}: full id required`);
  try {
    return await ctx.board.find(board, given);
  } catch (error) {
    if (error instanceof AppError && error.code === "E_NOT_FOUND")
      throw new AppError("E_NOT_FOUND", `cannot ${verb} ${given}: unknown id`);
    throw error;
  }
}

/** The status that the refusal was about, else the one that the task has. Null: unknown. */
async function statusOf(ctx: CommandContext, board: BoardSlug, id: TaskId, { data }: AppError): Promise<string | null> {
  if (typeof data["status"] === "string") return data["status"];
  try {
    return (await ctx.board.task(board, id)).status;
  } catch {
    return null; /* ok to lose: the store that refused the verb may refuse the look, and the row tells why. */
  }
}
