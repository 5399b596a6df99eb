import { readTailText } from "../../base/fs/text-file.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Core } from "../core/core.js";
import { portsOf } from "../core/ports.js";

const LOG_LINES = 10;
const LOG_BYTES = 16 * 1024;

/** Last lines that workers of a task wrote to its log; empty without a log. */
export function logTail(core: Core, board: BoardSlug, task: TaskId): readonly string[] {
  const lines = readTailText(core.places(board).log(task), LOG_BYTES).split("\n");
  const written = lines.map((line) => line.trimEnd()).filter((line) => line !== "" && !line.startsWith("=== run "));
  return written.slice(-LOG_LINES).map((line) => core.redact(line));
}

/** Why no model can decompose a task; undefined when one can. May look for a local model server. */
export async function noClientFor(core: Core): Promise<string | undefined> {
  const slots = await portsOf(core).auxiliary();
  return slots.find((one) => one.slot === "kanban_decomposer")?.problem;
}
