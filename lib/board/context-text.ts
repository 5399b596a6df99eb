import { toIso, type UnixSeconds } from "../base/units.js";
import type { Comment, Run, Task } from "../proto/board.js";

/** A file of a task, with the place where it lies. */
export interface FilePart {
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
  readonly path: string;
}

export interface ParentPart {
  readonly task: Task;
  readonly summary: string | null;
  readonly metadata: Record<string, unknown> | null;
  readonly artifacts: readonly string[];
}

/** Everything that a worker's context is made from. */
export interface ContextParts {
  readonly task: Task;
  /** Failures at which the task is blocked. */
  readonly limit: number;
  /** Seconds; null without a cap on the runtime. */
  readonly terminalTimeout: number | null;
  readonly attachments: readonly FilePart[];
  readonly rootFiles: readonly FilePart[];
  /** Closed runs, oldest first. */
  readonly attempts: readonly Run[];
  readonly parents: readonly ParentPart[];
  /** Task that this one was split from. */
  readonly root: Task | undefined;
  readonly recent: readonly { readonly task_id: string; readonly title: string; readonly summary: string | null }[];
  readonly comments: readonly Comment[];
}

const MAX = 96_000;
const COMMENTS = 30;
const ATTEMPTS = 10;

/** How much of each section is shown; shrunk step by step until the whole fits. */
interface Budget {
  readonly recent: boolean;
  /** Comments that are left out: ids. */
  readonly dropped: ReadonlySet<number>;
  readonly attempts: number;
  readonly parentMetadata: boolean;
  readonly parentChars: number;
  readonly root: boolean;
}

const FULL: Budget = { recent: true, dropped: new Set(), attempts: ATTEMPTS, parentMetadata: true, parentChars: 4096, root: true };

/** Markdown of at most 96,000 characters. Sections shrink in a fixed order, each with a line that says so. */
export function renderContext(parts: ContextParts): string {
  let budget = FULL;
  for (const shrink of shrinkSteps(parts)) {
    const text = render(parts, budget);
    if (text.length <= MAX) return text;
    budget = shrink(budget);
  }
  return cut(render(parts, budget), MAX - 60);
}

function shrinkSteps(parts: ContextParts): readonly ((budget: Budget) => Budget)[] {
  const shown = parts.comments.slice(-COMMENTS);
  const drop = (comment: Comment) => (budget: Budget) => ({ ...budget, dropped: new Set([...budget.dropped, comment.id]) });
  return [
    (budget) => ({ ...budget, recent: false }),
    ...shown.filter((comment) => comment.author_kind !== "human").map(drop),
    (budget) => ({ ...budget, attempts: 1 }),
    (budget) => ({ ...budget, parentMetadata: false }),
    (budget) => ({ ...budget, parentChars: 1024 }),
    (budget) => ({ ...budget, root: false }),
    ...shown.filter((comment) => comment.author_kind === "human").map(drop),
    (budget) => budget,
  ];
}

function render(parts: ContextParts, budget: Budget): string {
  const sections = [
    head(parts),
    body(parts),
    files(parts),
    attempts(parts, budget),
    parents(parts, budget),
    original(parts, budget),
    recent(parts, budget),
    thread(parts, budget),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function head({ task, limit, terminalTimeout, attempts: closed }: ContextParts): string {
  const lines = [
    `# Kanban task ${task.id}: ${oneLine(task.title)}`,
    "",
    `Assignee: ${task.assignee ?? "(unassigned)"}`,
    `Status: ${task.status}`,
    ...(task.tenant === null ? [] : [`Tenant: ${oneLine(task.tenant)}`]),
    `Workspace: ${task.workspace_kind} @ ${task.workspace_path ?? "(unresolved)"}`,
    ...(task.branch_name === null
      ? []
      : [`Branch: ${task.branch_name} from ${task.base_name ?? "HEAD"} (${task.base_commit ?? "unresolved"})`]),
    ...(task.max_runtime_seconds === null ? [] : [`Max runtime: ${task.max_runtime_seconds} s`]),
    ...(terminalTimeout === null ? [] : [`Terminal timeout: ${terminalTimeout} s`]),
    `Attempt ${closed.length + 1}, blocked after ${limit} failures in a row`,
  ];
  return lines.join("\n");
}

const body = ({ task }: ContextParts): string => `## Body\n\n${task.body === null ? "(no body)" : quoted(task.body, 8192)}`;

function files({ task, attachments, rootFiles }: ContextParts): string {
  if (attachments.length + rootFiles.length === 0) return "";
  const line = (file: FilePart) => `- ${oneLine(file.filename)} (${file.content_type}, ${Math.ceil(file.size / 1024)} KB): ${file.path}`;
  const inherited = rootFiles.length === 0 ? [] : ["", `From ${task.decomposed_from}:`, ...rootFiles.map(line)];
  return ["## Attachments", "", ...attachments.map(line), ...inherited].join("\n");
}

function attempts({ attempts: all }: ContextParts, budget: Budget): string {
  if (all.length === 0) return "";
  const shown = all.slice(-budget.attempts);
  const hidden = all.length - shown.length;
  const told = shown.map((run, at) =>
    [
      `### Attempt ${hidden + at + 1} — ${run.outcome} (${run.profile}, ${iso(run.ended_at ?? run.started_at)})`,
      ...(run.summary === null ? [] : [quoted(run.summary, 4096)]),
      ...(run.error === null ? [] : [`_error_: ${quoted(run.error, 4096)}`]),
      ...(run.metadata === null ? [] : [`_metadata_: \`${cut(sortedJson(run.metadata), 4096)}\``]),
    ].join("\n"),
  );
  const note = hidden === 0 ? [] : [`(${hidden} older ${hidden === 1 ? "attempt" : "attempts"} not shown)`];
  return ["## Prior attempts on this task", ...note, ...told].join("\n\n");
}

function parents({ parents: all }: ContextParts, budget: Budget): string {
  if (all.length === 0) return "";
  const told = all.map(({ task, summary, metadata, artifacts }) =>
    [
      `### ${task.id}: ${oneLine(task.title)}`,
      ...(task.verdict === "rejected" ? ["_verdict_: rejected"] : []),
      summary === null ? "(no result recorded)" : quoted(summary, budget.parentChars),
      ...(metadata === null || !budget.parentMetadata ? [] : [`_metadata_: \`${cut(sortedJson(metadata), 4096)}\``]),
      ...(task.workspace_path === null ? [] : [`_workspace_: ${task.workspace_path}`]),
      ...(artifacts.length === 0 ? [] : [`_artifacts_: ${artifacts.join(", ")}`]),
    ].join("\n"),
  );
  const note = budget.parentMetadata ? [] : ["(metadata left out for length)"];
  return ["## Parent task results", ...note, ...told].join("\n\n");
}

function original({ root }: ContextParts, budget: Budget): string {
  if (root === undefined) return "";
  if (!budget.root) return "## Original request\n\n(left out for length)";
  return `## Original request\n\n${root.id}: ${oneLine(root.title)}\n\n${root.body === null ? "(no body)" : quoted(root.body, 2048)}`;
}

function recent({ task, recent: work }: ContextParts, budget: Budget): string {
  if (work.length === 0) return "";
  const heading = `## Recent work by @${task.assignee}`;
  if (!budget.recent) return `${heading}\n\n(left out for length)`;
  const first = (text: string | null) => cut(oneLine((text ?? "").split("\n")[0] ?? ""), 200);
  return [heading, "", ...work.map((one) => `- ${one.task_id} ${oneLine(one.title)}: ${first(one.summary)}`)].join("\n");
}

function thread({ comments }: ContextParts, budget: Budget): string {
  if (comments.length === 0) return "";
  const shown = comments.slice(-COMMENTS).filter((comment) => !budget.dropped.has(comment.id));
  const hidden = comments.length - shown.length;
  const note = hidden === 0 ? [] : [`(${hidden} ${hidden === 1 ? "comment" : "comments"} not shown)`];
  const told = shown.map((comment) => {
    const author = comment.author.replaceAll("`", "");
    return `comment from ${comment.author_kind} \`${oneLine(author)}\` at ${iso(comment.created_at)}:\n${quoted(comment.text, 2048)}`;
  });
  return ["## Comment thread", ...note, ...told].join("\n\n");
}

/** Text of somebody, cut to `max`; headings in it are indented so that they cannot pose as sections. */
const quoted = (text: string, max: number): string => cut(text.replace(/^(\s{0,3})(#{1,6}\s|={3,}\s*$|-{3,}\s*$)/gm, "    $2"), max);

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const iso = (at: UnixSeconds): string => toIso(at * 1000).replace(".000Z", "Z");

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")}… [truncated, ${text.length - max} chars omitted]`;
}

/** JSON with sorted keys and one space after `:` and `,`. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}: ${sortedJson(inner)}`).join(", ")}}`;
}
