import { type SafeText, sanitize, sanitizeLine } from "../draw/sanitize.js";
import { type Data, number, text } from "../model/data.js";
import { dataRows, isData, numberOrNull } from "./wire.js";

export interface Brief {
  readonly id: SafeText;
  readonly title: SafeText;
  readonly status: SafeText;
}

export interface DetailRun {
  readonly id: number;
  readonly profile: SafeText;
  readonly state: SafeText;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly summary: SafeText;
  readonly error: SafeText;
}

/** Everything about one task as the drawer shows it. All texts are cleaned. */
export interface TaskDetail {
  readonly title: SafeText;
  readonly body: SafeText;
  readonly status: SafeText;
  readonly version: number;
  /** Name and value, in the order in which they are shown. */
  readonly fields: readonly (readonly [name: string, value: SafeText])[];
  /** Why it does not move, and what helps. */
  /** Why it stands where it does. `settled`: it is done, and nothing is left to do about it. */
  readonly reasons: readonly { readonly text: SafeText; readonly settled: boolean }[];
  readonly parents: readonly Brief[];
  readonly children: readonly Brief[];
  readonly result: SafeText;
  readonly summary: SafeText;
  readonly comments: readonly {
    readonly author: SafeText;
    readonly kind: string;
    readonly at: number;
    readonly text: SafeText;
  }[];
  readonly attachments: readonly { readonly name: SafeText; readonly size: number }[];
  readonly events: readonly {
    readonly kind: SafeText;
    readonly actor: SafeText;
    readonly at: number;
    readonly what: SafeText;
  }[];
  /** Newest first. */
  readonly runs: readonly DetailRun[];
}

const EVENTS = 20; // workspace part, 6.1

/** What `kanban.show` answers. */
export function toDetail(answer: unknown): TaskDetail {
  const view: Data = isData(answer) ? answer : {};
  const given = view["task"];
  const task: Data = isData(given) ? given : {};
  return {
    title: sanitizeLine(text(task, "title")),
    body: sanitize(text(task, "body")),
    status: sanitizeLine(text(task, "status")),
    version: number(task, "version"),
    fields: fieldsOf(task, view),
    reasons: dataRows(view["reasons"]).map((row) => ({
      text: sanitizeLine([text(row, "text"), text(row, "action")].filter((part) => part !== "").join(" — ")),
      settled: text(row, "code") === "done" && text(row, "action") === "",
    })),
    parents: dataRows(view["parents"]).map(toBrief),
    children: dataRows(view["children"]).map(toBrief),
    result: sanitize(text(task, "result")),
    summary: sanitize(text(view, "latest_summary")),
    comments: dataRows(view["comments"]).map((row) => ({
      author: sanitizeLine(text(row, "author")),
      kind: text(row, "author_kind"),
      at: number(row, "created_at"),
      text: sanitize(text(row, "text")),
    })),
    attachments: dataRows(view["attachments"]).map((row) => ({
      name: sanitizeLine(text(row, "filename")),
      size: number(row, "size"),
    })),
    events: dataRows(view["events"]).slice(-EVENTS).toReversed().map(toEvent),
    runs: dataRows(view["runs"]).toReversed().map(toRun),
  };
}

const toBrief = (row: Data): Brief => ({
  id: sanitizeLine(text(row, "id")),
  title: sanitizeLine(text(row, "title")),
  status: sanitizeLine(text(row, "status")),
});

const toRun = (row: Data): DetailRun => ({
  id: number(row, "id"),
  profile: sanitizeLine(text(row, "profile")),
  state: sanitizeLine(text(row, "status")),
  startedAt: number(row, "started_at"),
  endedAt: numberOrNull(row, "ended_at"),
  summary: sanitizeLine(text(row, "summary")),
  error: sanitizeLine(text(row, "error")),
});

const toEvent = (row: Data) => {
  const payload = row["payload"];
  const facts: Data = isData(payload) ? payload : {};
  const moved = text(facts, "to") === "" ? "" : `${text(facts, "from")} → ${text(facts, "to")}`;
  const what = [
    moved,
    text(facts, "reason"),
    text(facts, "note"),
    text(facts, "assignee"),
    linkText(facts),
    fieldsText(facts),
  ].find((part) => part !== "");
  return {
    kind: sanitizeLine(text(row, "kind")),
    actor: sanitizeLine(text(row, "actor")),
    at: number(row, "created_at"),
    what: sanitizeLine(what ?? ""),
  };
};

const linkText = (facts: Data): string =>
  text(facts, "parent") === "" ? "" : `${text(facts, "parent")} → ${text(facts, "child")}`;

const fieldsText = ({ fields }: Data): string => (Array.isArray(fields) ? fields.join(", ") : "");

const HIDDEN_WORKSPACE = "scratch";

function fieldsOf(task: Data, view: Data): TaskDetail["fields"] {
  const workspace = text(task, "workspace_kind");
  const skills = task["skills"];
  const worktree = view["workspace"];
  const dirty = isData(worktree) && worktree["dirty"] === true ? " (changed)" : "";
  const rows: readonly (readonly [string, string])[] = [
    ["assignee", text(task, "assignee") || "-"],
    ["priority", number(task, "priority") === 0 ? "" : String(number(task, "priority"))],
    ["tenant", text(task, "tenant")],
    ["blocked", text(task, "block_reason")],
    ["scheduled", timeText(number(task, "scheduled_at"))],
    ["skills", Array.isArray(skills) ? skills.join(", ") : ""],
    ["model", text(task, "model_override")],
    ["workspace", workspace === HIDDEN_WORKSPACE ? "" : `${workspace} ${text(task, "workspace_path")}${dirty}`],
    ["branch", text(task, "branch_name")],
    ["failures", failuresText(task)],
    ["verdict", text(task, "verdict") === "rejected" ? "rejected" : ""],
    ["usage", usageText(task["usage"])],
    ["created", `${timeText(number(task, "created_at"))} by ${text(task, "created_by")}`],
  ];
  return rows.filter(([, value]) => value.trim() !== "").map(([name, value]) => [name, sanitizeLine(value)]);
}

function failuresText(task: Data): string {
  const count = number(task, "consecutive_failures");
  return count === 0 ? "" : `${count}: ${text(task, "last_failure_error") || text(task, "last_failure_class")}`;
}

function usageText(usage: unknown): string {
  if (!isData(usage)) return "";
  const cost = numberOrNull(usage, "cost_usd");
  const tokens = `↑${number(usage, "input_tokens")} ↓${number(usage, "output_tokens")} tokens`;
  return cost === null ? tokens : `${tokens}, $${cost.toFixed(2)}`;
}

/** `2026-11-20 09:41`, UTC, as the command line has it; empty for no time. */
const timeText = (unix: number): string =>
  unix === 0 ? "" : `${new Date(unix * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
