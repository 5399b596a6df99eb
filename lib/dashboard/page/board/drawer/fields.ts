import type { Run, Task } from "../../../../contracts/board/board.js";
import type { Card } from "../../../../contracts/board/explain.js";
import { parseLocalTime, toLocalFieldTime } from "../../words/time.js";

/** How a field is shown and filled in. */
export type FieldKind = "line" | "markdown" | "number" | "words" | "choice" | "flag" | "time" | "json";

/** What a field is read from: the task, and its newest completed run for what is stored there. */
export interface FieldSource {
  readonly task: Card;
  readonly handoff: Run | undefined;
}

export interface FieldRow {
  /** Its name in a change (board part, 14.5). */
  readonly key: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly hint?: string;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** Offer the names that tasks are assigned to. */
  readonly roster?: true;
  /** The field means something in this state. */
  fits?(shown: FieldSource): boolean;
  read(shown: FieldSource): unknown;
}

/** A text as a change sends it, or what is wrong with it. */
export type ParsedField =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

const of =
  (key: keyof Task) =>
  ({ task }: FieldSource): unknown =>
    task[key];
const worktree = ({ task }: FieldSource): boolean => task.workspace_kind === "worktree";
/** What is there is shown in any status; what is not there is written once the task is done. */
const left =
  (read: (shown: FieldSource) => unknown) =>
  (shown: FieldSource): boolean =>
    shown.task.status === "done" || (read(shown) ?? null) !== null;
const summaryOf = ({ handoff }: FieldSource): unknown => handoff?.summary ?? null;
const metadataOf = ({ handoff }: FieldSource): unknown => handoff?.metadata ?? null;

const KINDS = ["scratch", "dir", "worktree"].map((value) => ({ value, label: value }));
const VERDICTS = ["accepted", "rejected"].map((value) => ({ value, label: value }));

/** Title and text of a task stand above its other fields. */
export const TITLE: FieldRow = { key: "title", label: "Title", kind: "line", read: of("title") };
export const BODY: FieldRow = { key: "body", label: "Description", kind: "markdown", read: of("body") };

/** The fields in a list, in the order of how often they are changed. */
export const PROPERTIES: readonly FieldRow[] = [
  {
    key: "assignee",
    label: "Assignee",
    kind: "line",
    roster: true,
    hint: "A profile, or the name of someone or something external. Empty: unassigned.",
    read: of("assignee"),
  },
  { key: "priority", label: "Priority", kind: "number", hint: "Higher goes first.", read: of("priority") },
  { key: "tenant", label: "Tenant", kind: "line", read: of("tenant") },
  { key: "skills", label: "Skills", kind: "words", hint: "Comma-separated names.", read: of("skills") },
  {
    key: "model_override",
    label: "Model",
    kind: "line",
    hint: "For its worker. Empty: the profile's model.",
    read: of("model_override"),
  },
  { key: "workspace_kind", label: "Workspace", kind: "choice", options: KINDS, read: of("workspace_kind") },
  {
    key: "workspace_path",
    label: "Directory",
    kind: "line",
    hint: "An absolute path. Empty: created at the first start.",
    read: of("workspace_path"),
  },
  { key: "branch_name", label: "Branch", kind: "line", fits: worktree, read: of("branch_name") },
  {
    key: "max_runtime_seconds",
    label: "Time limit (s)",
    kind: "number",
    hint: "Empty: no limit.",
    read: of("max_runtime_seconds"),
  },
  {
    key: "max_retries",
    label: "Failure limit",
    kind: "number",
    hint: "Empty: the board's default.",
    read: of("max_retries"),
  },
  {
    key: "goal_mode",
    label: "Goal",
    kind: "flag",
    hint: "After each turn a judge checks whether the goal is met.",
    read: of("goal_mode"),
  },
  {
    key: "goal_max_turns",
    label: "Turns for the goal",
    kind: "number",
    fits: ({ task }) => task.goal_mode,
    read: of("goal_max_turns"),
  },
  { key: "auto_decompose", label: "Auto-decompose", kind: "flag", read: of("auto_decompose") },
  { key: "external", label: "External", kind: "flag", hint: "The dispatcher never starts it.", read: of("external") },
  { key: "hold", label: "Held", kind: "flag", hint: "Stays in todo until made ready manually.", read: of("hold") },
  {
    key: "scheduled_at",
    label: "Scheduled for",
    kind: "time",
    hint: "Empty: until made ready manually.",
    fits: ({ task }) => task.status === "scheduled",
    read: of("scheduled_at"),
  },
];

/** What a finished task leaves behind; these can be changed once it is done. */
export const OUTCOME: readonly FieldRow[] = [
  { key: "result", label: "Result", kind: "line", fits: left(of("result")), read: of("result") },
  {
    key: "verdict",
    label: "Verdict",
    kind: "choice",
    options: VERDICTS,
    fits: left(of("verdict")),
    read: of("verdict"),
  },
  { key: "summary", label: "Summary", kind: "markdown", fits: left(summaryOf), read: summaryOf },
  { key: "metadata", label: "Metadata", kind: "json", fits: left(metadataOf), read: metadataOf },
];

/** A value as the editor holds it. */
export function toEdited(kind: FieldKind, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (kind === "words") return Array.isArray(value) ? value.join(", ") : String(value);
  if (kind === "json") return JSON.stringify(value, undefined, 2);
  return kind === "time" && typeof value === "number" ? toLocalFieldTime(value) : String(value);
}

/** What the editor holds as a change sends it; an empty text clears. */
export function fromEdited({ kind, label }: Pick<FieldRow, "kind" | "label">, text: string): ParsedField {
  const trimmed = text.trim();
  switch (kind) {
    case "flag":
      return { ok: true, value: trimmed === "true" };
    case "words":
      return { ok: true, value: [...new Set(trimmed.split(/[,\s]+/).filter((word) => word !== ""))] };
    case "number":
      return whole(label, trimmed);
    case "time":
      return moment(label, trimmed);
    case "json":
      return record(label, trimmed);
    case "markdown":
      return { ok: true, value: trimmed === "" ? null : text };
    case "line":
    case "choice":
      return { ok: true, value: trimmed === "" ? null : trimmed };
  }
}

function whole(label: string, text: string): ParsedField {
  if (text === "") return { ok: true, value: null };
  return /^[-+]?\d{1,15}$/.test(text)
    ? { ok: true, value: Number(text) }
    : { ok: false, problem: `${label} must be a whole number.` };
}

function moment(label: string, text: string): ParsedField {
  if (text === "") return { ok: true, value: null };
  const at = parseLocalTime(text);
  return at === undefined ? { ok: false, problem: `${label} must be a date and time.` } : { ok: true, value: at };
}

function record(label: string, text: string): ParsedField {
  if (text === "") return { ok: true, value: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ok: true, value };
    return { ok: false, problem: `${label} must be a JSON object.` };
  } catch (error) {
    return { ok: false, problem: `${label} is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** A change of one field as it is sent. Assignee, title and number fields have their own word for nothing. */
export function toFieldChange(row: FieldRow, value: unknown): Readonly<Record<string, unknown>> {
  if (row.key === "assignee" && value === null) return { assignee: "" };
  if (row.key === "priority" && value === null) return { priority: 0 };
  return { [row.key]: value };
}
