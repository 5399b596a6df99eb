import type { Diagnostic, DiagnosticAction, Severity, TaskDiagnostics } from "../../../../contracts/board/explain.js";

/** One thing that needs attention, with the task that it is about. */
export interface AttentionItem {
  readonly key: string;
  /** Null: the board itself. */
  readonly taskId: string | null;
  readonly taskTitle: string | null;
  readonly diagnostic: Diagnostic;
}

const WEIGHT: Readonly<Record<Severity, number>> = { critical: 2, error: 1, warning: 0 };

/** Every finding by itself: the worst first, then the newest. */
export function ranked(all: readonly TaskDiagnostics[]): readonly AttentionItem[] {
  const findings = all.flatMap(({ task_id, title, diagnostics }) =>
    diagnostics.map(
      (diagnostic): AttentionItem => ({
        key: `${task_id ?? ""} ${diagnostic.kind}`,
        taskId: task_id,
        taskTitle: title,
        diagnostic,
      }),
    ),
  );
  return findings.toSorted(
    ({ diagnostic: a }, { diagnostic: b }) =>
      WEIGHT[b.severity] - WEIGHT[a.severity] || b.last_seen_at - a.last_seen_at,
  );
}

/** How many there are of each severity, the worst first: `1 critical, 3 warnings`. */
export function tally(findings: readonly AttentionItem[]): string {
  const words: readonly (readonly [severity: Severity, one: string, many: string])[] = [
    ["critical", "critical", "critical"],
    ["error", "error", "errors"],
    ["warning", "warning", "warnings"],
  ];
  return words
    .flatMap(([severity, one, many]) => {
      const count = findings.filter(({ diagnostic }) => diagnostic.severity === severity).length;
      return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
    })
    .join(", ");
}

/** What is tried first stands first. */
export const actionsOf = ({ actions }: Diagnostic): readonly DiagnosticAction[] =>
  actions.toSorted((a, b) => Number(b.suggested) - Number(a.suggested));

/** The task that an action is for: its own, else that of the finding. */
export function findActionTask(action: DiagnosticAction, finding: Pick<AttentionItem, "taskId">): string | null {
  const named = action.payload["task_id"];
  return typeof named === "string" ? named : finding.taskId;
}

/** The command that a hint shows. */
export function commandOf({ kind, label, payload }: DiagnosticAction): string | undefined {
  if (kind !== "cli_hint") return undefined;
  return typeof payload["command"] === "string" ? payload["command"] : label;
}
