import type { BoardSlug } from "../../../base/units.js";
import type { ListedTask, TaskView } from "../../../contracts/board/api.js";
import type { BoardEvent, Run, RunUsage, Status, Task } from "../../../contracts/board/board.js";
import type { WorkspaceState } from "../../../contracts/board/workspace.js";
import { plain, plainLines } from "../../render/plain.js";
import { formatElapsed, stamp } from "../../render/times.js";
import { attachmentLine } from "./attachments.js";
import { eventText } from "./event-text.js";
import { diagnosticLines, reasonLines } from "./explained.js";

/** Mark behind a path where nothing is any more. */
const markMissing = ({ path, exists }: WorkspaceState): string => (path !== null && !exists ? " (missing)" : "");

/** State of a worktree in one line; null for anything else. */
function changesText(state: WorkspaceState): string | null {
  if (state.kind !== "worktree" || state.head === null) return null;
  const { ahead, dirty, merged, files_changed: files, insertions, deletions, base_commit: base } = state;
  return [
    `${ahead ?? "?"} commit(s) since ${(base ?? "?").slice(0, 10)}`,
    ...(files === null ? [] : [`${files} file(s) +${insertions ?? 0} -${deletions ?? 0}`]),
    ...(dirty === true ? ["uncommitted changes"] : []),
    ...(merged === true && ahead !== 0 ? ["merged"] : []),
  ].join(", ");
}

export { plain, plainLines } from "../../render/plain.js";

const ICONS: Record<Status, string> = {
  triage: "✎",
  todo: "◻",
  ready: "▶",
  running: "●",
  scheduled: "⏱",
  blocked: "⊘",
  done: "✓",
  archived: "—",
};

const iconOf = (task: Task): string =>
  task.status === "done" && task.verdict === "rejected" ? "✗" : ICONS[task.status];

/** One line of `list`. */
export function listLine({ task, wait_note }: ListedTask): string {
  const who = (task.assignee ?? "(unassigned)").padEnd(20);
  const tenant = task.tenant === null ? "" : ` [${plain(task.tenant)}]`;
  const wait = wait_note === null ? "" : `  (${wait_note})`;
  return `${iconOf(task)} ${task.id}  ${task.status.padEnd(9)}  ${who}${tenant}  ${plain(task.title)}${wait}`;
}

/** Lines above a list: other boards, a pause. */
export function bannerLines(
  board: BoardSlug,
  banner: { others: number; paused: boolean; reason: string | null },
): readonly string[] {
  const boards = banner.others === 1 ? "1 other board" : `${banner.others} other boards`;
  const head = banner.others === 0 ? [] : [`Board: ${board} (${boards} — \`agent kanban boards list\`)`, ""];
  return banner.paused
    ? [...head, `Board is paused${banner.reason === null ? "" : `: ${plain(banner.reason)}`}`]
    : head;
}

/** `[YYYY-MM-DD HH:MM] [run N] kind payload` */
function eventLine(event: BoardEvent): string {
  const run = event.run_id === null ? "" : ` [run ${event.run_id}]`;
  return `[${stamp(event.created_at)}]${run} ${event.kind} ${eventText(event)}`.trimEnd();
}

const clip = (text: string, max: number): string => {
  const one = plain(text);
  return one.length <= max ? one : `${one.slice(0, max - 1)}…`;
};

/** Lines of one run: `#id outcome @profile elapsed started`, then summary and error. */
export function runLines(
  run: Run,
  now: number,
  mark: { summary: string; error: string; max: number },
): readonly string[] {
  const time = formatElapsed((run.ended_at ?? now) - run.started_at);
  const reason = run.end_reason === null ? "" : ` (${run.end_reason})`;
  return [
    `#${run.id} ${run.outcome ?? "running"}${reason} @${run.profile} ${time} ${stamp(run.started_at)}`,
    ...(run.summary === null ? [] : [`    ${mark.summary} ${clip(run.summary, mark.max)}`]),
    ...(run.error === null ? [] : [`    ${mark.error} ${clip(run.error, mark.max)}`]),
    ...(run.session_id === null ? [] : [`    session ${run.session_id} (agent sessions show ${run.session_id})`]),
  ];
}

const field = (name: string, value: string | number | null | undefined): readonly string[] =>
  value === null || value === undefined || value === "" ? [] : [`  ${`${name}:`.padEnd(14)} ${plain(String(value))}`];

/** `show` for people. */
export function showText(view: TaskView, now: number): string {
  const { task } = view;
  return [
    `Task ${task.id}: ${plain(task.title)}`,
    ...fields(view),
    ...section("Diagnostics", view.diagnostics.flatMap(diagnosticLines)),
    ...section("Why", view.reasons.flatMap(reasonLines)),
    ...section("Parents", view.parents.map(briefLine)),
    ...section("Children", view.children.map(briefLine)),
    ...block("Body", task.body),
    ...block(task.result === null ? "Latest summary" : "Result", task.result ?? view.latest_summary),
    ...section("Attachments", view.attachments.map(attachmentLine)),
    ...section(
      "Comments",
      view.comments.map(
        (c) =>
          `[${stamp(c.created_at)}] ${plain(c.author)} (${c.author_kind}): ${plainLines(c.text).replaceAll("\n", "\n    ")}`,
      ),
    ),
    ...section("Events", view.events.slice(-20).map(eventLine)),
    ...section(
      "Runs",
      view.runs.flatMap((run) => runLines(run, now, { summary: "→", error: "!", max: 160 })),
    ),
  ].join("\n");
}

function fields({ task, workspace, failure_limit: limit }: TaskView): readonly string[] {
  const source = limit.source === "config" ? "config kanban.failure_limit" : limit.source;
  return [
    ...field("status", task.status === "done" && task.verdict !== null ? `done (${task.verdict})` : task.status),
    ...field("assignee", task.assignee ?? "(unassigned)"),
    ...field("priority", task.priority),
    ...field("tenant", task.tenant),
    ...field("workspace", `${workspace.kind} @ ${workspace.path ?? "(unresolved)"}${markMissing(workspace)}`),
    ...field("branch", task.branch_name),
    ...field("changes", changesText(workspace)),
    ...field("skills", task.skills.join(", ")),
    ...field("model", task.model_override),
    ...field("max-runtime", task.max_runtime_seconds === null ? null : formatElapsed(task.max_runtime_seconds)),
    ...field("max-retries", `${limit.limit} (${source})`),
    ...field(
      "failures",
      task.consecutive_failures === 0 ? null : `${task.consecutive_failures}: ${task.last_failure_error ?? ""}`,
    ),
    ...field("created", `${stamp(task.created_at)} by ${task.created_by}`),
    ...field("started", task.started_at === null ? null : stamp(task.started_at)),
    ...field("completed", task.completed_at === null ? null : stamp(task.completed_at)),
    ...field("tokens", task.usage === null ? null : usageText(task.usage)),
    ...field("run", task.current_run_id),
    ...field("worker", task.worker_pid === null ? null : `pid ${task.worker_pid}`),
    ...field("external", task.external ? "yes" : null),
    ...field("held", task.hold ? "yes" : null),
  ];
}

/** Tokens, requests and money. An unknown price is never shown as 0. */
export function usageText(usage: RunUsage): string {
  const cost = usage.cost_usd === null ? "cost unknown" : `$${usage.cost_usd.toFixed(4)}`;
  return `${usage.input_tokens} in, ${usage.output_tokens} out, ${usage.api_calls} calls, ${cost}`;
}

const briefLine = (brief: TaskView["parents"][number]): string =>
  `${brief.id}  ${brief.status.padEnd(9)}  ${plain(brief.title)}${brief.verdict === "rejected" ? "  (rejected)" : ""}`;

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];

const block = (title: string, text: string | null): readonly string[] =>
  text === null || text === "" ? [] : section(title, plainLines(text).split("\n"));
