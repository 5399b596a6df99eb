import { tailText } from "../../base/text-file.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Core } from "../core.js";
import { KANBAN } from "../keys.js";
import { portsOf } from "./ports.js";

const LOG_LINES = 10;
const LOG_BYTES = 16 * 1024;

/** Last lines that workers of a task wrote to its log; empty when there is none. */
export function logTail(core: Core, board: BoardSlug, task: TaskId): readonly string[] {
  const lines = tailText(core.places(board).log(task), LOG_BYTES).split("\n");
  const written = lines.map((line) => line.trimEnd()).filter((line) => line !== "" && !line.startsWith("=== run "));
  return written.slice(-LOG_LINES).map((line) => core.redact(line));
}

/** Why no model can decompose a task; undefined when one can. May look for a local model server. */
export async function noClientFor(core: Core): Promise<string | undefined> {
  const slots = await portsOf(core).auxiliary();
  return slots.find((one) => one.slot === "kanban_decomposer")?.problem;
}

/** Who gets a ready task without an assignee (board part, 6.5). */
export function defaultAssignee(core: Core): string {
  const named = core.config.get(KANBAN.defaultAssignee);
  return named !== "" && core.profiles.exists(named) ? named : "default";
}

/** A number of the configuration, or what holds without it. */
export function numberAt(core: Core, key: string, missing: number): number {
  const value = core.config.raw(key);
  return typeof value === "number" ? value : missing;
}
