import type {
  Diagnostic,
  DiagnosticAction,
  NextTask,
  TaskDiagnostics,
  WaitReason,
} from "../../../contracts/board/explain.js";
import { plain } from "../../render/plain.js";
import { stamp } from "../../render/times.js";

/** A reason for people: the sentence, last lines of the log, and what to do. */
export function reasonLines(reason: WaitReason): readonly string[] {
  return [
    plain(reason.text),
    ...(reason.log ?? []).map((line) => `    | ${plain(line)}`),
    ...(reason.action === undefined ? [] : [`    → ${plain(reason.action)}`]),
  ];
}

const MARKS = { warning: "⚠", error: "!!", critical: "!!!" } as const;

/** A diagnostic for people: mark and title, what it is about, and what to type, with the suggested action first. */
export function diagnosticLines(one: Diagnostic): readonly string[] {
  const times = one.count > 1 && one.first_seen_at < one.last_seen_at ? ` (since ${stamp(one.first_seen_at)} UTC)` : "";
  const suggested = one.actions.filter((action) => action.suggested).map(commandOf);
  const others = one.actions.filter((action) => !action.suggested).map(commandOf);
  return [
    `${MARKS[one.severity]} ${one.kind}: ${plain(one.title)}${times}`,
    ...(one.detail === "" ? [] : [`    ${plain(one.detail)}`]),
    ...suggested.map((command) => `    → ${plain(command)}`),
    ...(others.length === 0 ? [] : [`    or ${others.map(plain).join("; ")}`]),
  ];
}

/** What to type for an action. */
function commandOf({ kind, label, payload }: DiagnosticAction): string {
  const id = String(payload["task_id"] ?? "");
  switch (kind) {
    case "cli_hint":
      return label;
    case "open_docs":
      return `agent help ${String(payload["topic"] ?? "")}`;
    case "reassign":
      return `agent kanban reassign ${id} ${String(payload["profile"] ?? "PROFILE")}`;
    case "comment":
      return `agent kanban comment ${id} TEXT`;
    case "edit":
      return `agent kanban edit ${id} ${payload["external"] === true ? "--external" : "--body TEXT"}`;
    case "promote":
      return `agent kanban promote ${id}${payload["force"] === true ? " --force" : ""}`;
    case "reclaim":
    case "unblock":
      return `agent kanban ${kind} ${id}`;
  }
}

/** `diagnostics` for people. */
export function diagnosticsText(rows: readonly TaskDiagnostics[]): string {
  if (rows.length === 0) return "No active diagnostics on this board.";
  return rows
    .flatMap((row) => [headOf(row), ...row.diagnostics.flatMap(diagnosticLines).map((line) => `  ${line}`)])
    .join("\n");
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
