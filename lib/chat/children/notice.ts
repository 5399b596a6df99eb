import type { SessionId } from "../../base/units.js";
import { headText } from "../../safety/redact/text.js";
import type { ChildResult, ChildTask } from "../../tools/core/delegate-port.js";

const GOAL_CHARS = 2_000;
const SUMMARY_CHARS = 20_000;

/** The message that tells a conversation of the end of a child that worked in its background (core part, 25.2). */
export function renderChildNotice(id: SessionId, { goal, context }: ChildTask, result: ChildResult): string {
  const files = result.files_changed.length === 0 ? [] : [`Files changed: ${result.files_changed.join(", ")}`];
  return [
    `[Background task ${id} ended: ${result.status}${result.error === undefined ? "" : ` (${result.error})`}.`,
    `Task: ${headText(goal, GOAL_CHARS)}`,
    ...(context === undefined ? [] : [`Context: ${headText(context, GOAL_CHARS)}`]),
    ...files,
    `Result: ${result.summary === "" ? "none" : headText(result.summary, SUMMARY_CHARS)}]`,
  ].join("\n");
}
