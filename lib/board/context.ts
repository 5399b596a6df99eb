import type { BoardSlug, TaskId } from "../base/units.js";
import type { Core } from "./core.js";
import { show } from "./read.js";

/** What a worker needs to know about its task, as markdown (board part, 18). */
export async function context(core: Core, board: BoardSlug, id: TaskId): Promise<string> {
  const { task } = await show(core, board, id);
  return `# Kanban task ${task.id}: ${task.title}\n\n## Body\n\n${task.body ?? ""}\n`;
}
