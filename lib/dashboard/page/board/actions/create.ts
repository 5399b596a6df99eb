import type { Task } from "../../../../contracts/board/board.js";
import type { BoardDesk } from "../desk.js";

interface Made {
  readonly task: Task;
  readonly created: boolean;
  readonly warning?: string;
}

/** Make a task; it is on the page when this resolves. */
export async function sendNewTask(desk: BoardDesk, fields: Readonly<Record<string, unknown>>): Promise<Task> {
  const { task, warning } = await desk.board.send<Made>("POST", "/tasks", fields);
  if (warning !== undefined) desk.services.tell("told", warning);
  await desk.board.refresh([task.id]);
  return task;
}
