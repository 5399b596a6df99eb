import * as z from "zod";
import type { KanbanParts } from "../../core/parts.js";
import { boardToChange, boardToRead, fullTaskId } from "../request/asked.js";
import type { TaskPlace } from "./precondition.js";

/** Path of everything that is about one task. */
export const taskPath = z.object({ id: z.string().describe("Full id of a task.") });

interface Asked {
  readonly params: { readonly id: string };
  readonly query: { readonly board?: string | undefined };
}

/** The task that a request looks at. @throws E_BAD_BOARD, E_BOARD_NOT_FOUND, E_NOT_FOUND */
export async function taskToRead(parts: KanbanParts, { params, query }: Asked): Promise<TaskPlace> {
  return { board: await boardToRead(parts, query), id: fullTaskId(params.id) };
}

/** The task that a request changes. @throws E_BAD_BOARD, E_BOARD_NOT_FOUND, E_NOT_FOUND */
export async function taskToChange(parts: KanbanParts, { params, query }: Asked): Promise<TaskPlace> {
  return { board: await boardToChange(parts, query), id: fullTaskId(params.id) };
}

/** Several warnings as the one text of `warning`; nothing without any. */
export const toWarning = (warnings: readonly string[]): { readonly warning?: string } =>
  warnings.length === 0 ? {} : { warning: warnings.join("; ") };
