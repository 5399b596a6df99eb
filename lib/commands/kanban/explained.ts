import type { Diagnostic, NextTask, TaskDiagnostics, WaitReason } from "../../proto/board-explain.js";
import { plain } from "./plain.js";
import { stamp } from "./times.js";

/** A reason for people: the sentence, last lines of the log, and what to do. */
export function reasonLines(reason: WaitReason): readonly string[] {
  return [
    plain(reason.text),
    ...(reason.log ?? []).map((line) => `    | ${plain(line)}`),
    ...(reason.action === undefined ? [] : [`    → ${plain(reason.action)}`]),
  ];
}

const MARKS = { warning: "⚠", error: "!!", critical: "!!!" } as const;

/** A diagnostic for people: mark and title, what it is about, and the actions with the suggested one first. */
export function diagnosticLines(one: Diagnostic): readonly string[] {
  const times = one.count > 1 ? ` (${one.count} times since ${stamp(one.first_seen_at)} UTC)` : "";
  const suggested = one.actions.filter((action) => action.suggested);
  const others = one.actions.filter((action) => !action.suggested).map((action) => plain(action.label));
  return [
    `${MARKS[one.severity]} ${one.kind}: ${plain(one.title)}${times}`,
    ...(one.detail === "" ? [] : [`    ${plain(one.detail)}`]),
    ...suggested.map((action) => `    → ${plain(action.label)}${others.length === 0 ? "" : `; or: ${others.join("; ")}`}`),
  ];
}

/** `diagnostics` for people. */
export function diagnosticsText(rows: readonly TaskDiagnostics[]): string {
  if (rows.length === 0) return "No active diagnostics on this board.";
  return rows.flatMap((row) => [headOf(row), ...row.diagnostics.flatMap(diagnosticLines).map((line) => `  ${line}`)]).join("\n");
}

function headOf(row: TaskDiagnostics): string {
  if (row.task_id === null) return "The board";
  return `${row.task_id}  ${plain(row.title ?? "")}  (${row.status}, ${row.assignee === null ? "unassigned" : plain(row.assignee)})`;
}

/** One line of `next`. */
export function nextLine(row: NextTask): string {
  const until = row.until === undefined ? "" : ` until ${stamp(row.until)} UTC`;
  const verdict = row.verdict === "start" ? "start" : `${row.code}${until}`;
  return `${row.task_id}  ${plain(row.assignee ?? "(unassigned)").padEnd(20)}  ${verdict.padEnd(20)}  ${plain(row.title)}`;
}
