import { toIso, type UnixSeconds } from "../../base/units.js";
import type { Comment, Run, Task } from "../../contracts/board/board.js";
import { foldToLine, inTicks, quoted, sortedJson, truncateText } from "../core/quote.js";

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
  /** The newest closed runs, oldest first; `older`: how many there are before them. */
  readonly attempts: readonly Run[];
  readonly older: number;
  readonly parents: readonly ParentPart[];
  /** Task that this one was split from. */
  readonly root: Task | undefined;
  readonly recent: readonly { readonly task_id: string; readonly title: string; readonly summary: string | null }[];
  /** The newest comments, oldest first; `hiddenComments`: how many there are before them. */
  readonly comments: readonly Comment[];
  readonly hiddenComments: number;
}

const MAX = 96_000;
/** How many comments and attempts are shown at most. */
export const SHOWN = { comments: 30, attempts: 10 } as const;

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

const FULL: Budget = {
  recent: true,
  dropped: new Set(),
  attempts: SHOWN.attempts,
  parentMetadata: true,
  parentChars: 4096,
  root: true,
};

/** Texts as they are shown, made once for all tries. */
interface Shown {
  quoted(text: string, max: number): string;
  metadata(value: Readonly<Record<string, unknown>>): string;
  /** A section, by a name that says all that it depends on. */
  once(name: string, make: () => string): string;
}

type Drawn = ContextParts & { readonly as: Shown };

/** Markdown of at most 96,000 characters. Sections shrink in a fixed order, each with a line that says so. */
export function renderContext(parts: ContextParts): string {
  const drawn: Drawn = { ...parts, as: shownOnce() };
  let budget = FULL;
  for (const shrink of shrinkSteps(parts)) {
    const text = render(drawn, budget);
    if (text.length <= MAX) return text;
    budget = shrink(budget);
  }
  return truncateText(render(drawn, budget), MAX - 60);
}

function shownOnce(): Shown {
  const texts = new Map<number, Map<string, string>>();
  const metadata = new Map<object, string>();
  const sections = new Map<string, string>();
  return {
    once: (name, make) => {
      const section = sections.get(name) ?? make();
      sections.set(name, section);
      return section;
    },
    quoted: (text, max) => {
      const known = texts.get(max) ?? new Map<string, string>();
      texts.set(max, known);
      const shown = known.get(text) ?? quoted(text, max);
      known.set(text, shown);
      return shown;
    },
    metadata: (value) => {
      const shown = metadata.get(value) ?? inTicks(truncateText(sortedJson(value), 4096));
      metadata.set(value, shown);
      return shown;
    },
  };
}

function shrinkSteps(parts: ContextParts): readonly ((budget: Budget) => Budget)[] {
  const { comments } = parts;
  const drop = (comment: Comment) => (budget: Budget) => ({
    ...budget,
    dropped: new Set([...budget.dropped, comment.id]),
  });
  return [
    (budget) => ({ ...budget, recent: false }),
    ...comments.filter((comment) => comment.author_kind !== "human").map(drop),
    (budget) => ({ ...budget, attempts: 1 }),
    (budget) => ({ ...budget, parentMetadata: false }),
    (budget) => ({ ...budget, parentChars: 1024 }),
    (budget) => ({ ...budget, root: false }),
    ...comments.filter((comment) => comment.author_kind === "human").map(drop),
    (budget) => budget,
  ];
}

/** A try differs from the one before in one section; the others are taken as they were. */
function render(parts: Drawn, budget: Budget): string {
  const { once } = parts.as;
  const sections = [
    once("head", () => head(parts)),
    once("body", () => body(parts)),
    once("files", () => files(parts)),
    once(`attempts ${budget.attempts}`, () => attempts(parts, budget)),
    once(`parents ${budget.parentMetadata} ${budget.parentChars}`, () => parents(parts, budget)),
    once(`original ${budget.root}`, () => original(parts, budget)),
    once(`recent ${budget.recent}`, () => recent(parts, budget)),
    once(`thread ${budget.dropped.size}`, () => thread(parts, budget)),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function head({ task, limit, terminalTimeout, attempts: closed, older }: Drawn): string {
  const lines = [
    `# Kanban task ${task.id}: ${foldToLine(task.title)}`,
    "",
    `Assignee: ${task.assignee ?? "(unassigned)"}`,
    `Status: ${task.status}`,
    ...(task.tenant === null ? [] : [`Tenant: ${foldToLine(task.tenant)}`]),
    `Workspace: ${task.workspace_kind} @ ${foldToLine(task.workspace_path ?? "(unresolved)")}`,
    ...(task.branch_name === null
      ? []
      : [
          `Branch: ${foldToLine(task.branch_name)} from ${foldToLine(task.base_name ?? "HEAD")} (${task.base_commit ?? "unresolved"})`,
        ]),
    ...(task.max_runtime_seconds === null ? [] : [`Max runtime: ${task.max_runtime_seconds} s`]),
    ...(terminalTimeout === null ? [] : [`Terminal timeout: ${terminalTimeout} s`]),
    `Attempt: ${older + closed.length + 1}`,
    `Failures in a row: ${task.consecutive_failures} of ${limit}`,
  ];
  return lines.join("\n");
}

const body = ({ task, as }: Drawn): string =>
  `## Body\n\n${task.body === null ? "(no body)" : as.quoted(task.body, 8192)}`;

function files({ task, attachments, rootFiles }: Drawn): string {
  if (attachments.length + rootFiles.length === 0) return "";
  const line = (file: FilePart) =>
    `- ${foldToLine(file.filename)} (${foldToLine(file.content_type)}, ${Math.ceil(file.size / 1024)} KB): ${foldToLine(file.path)}`;
  const inherited = rootFiles.length === 0 ? [] : ["", `From ${task.decomposed_from}:`, ...rootFiles.map(line)];
  return ["## Attachments", "", ...attachments.map(line), ...inherited].join("\n");
}

function attempts({ attempts: all, older, as }: Drawn, budget: Budget): string {
  if (all.length === 0) return "";
  const shown = all.slice(-budget.attempts);
  const hidden = older + all.length - shown.length;
  const told = shown.map((run, at) =>
    [
      `### Attempt ${hidden + at + 1} — ${run.outcome} (${run.profile}, ${iso(run.ended_at ?? run.started_at)})`,
      ...(run.summary === null ? [] : [as.quoted(run.summary, 4096)]),
      ...(run.error === null ? [] : [`_error_: ${as.quoted(run.error, 4096)}`]),
      ...(run.metadata === null ? [] : [`_metadata_: ${as.metadata(run.metadata)}`]),
    ].join("\n"),
  );
  const note = hidden === 0 ? [] : [`(${counted(hidden, "older attempt")} omitted)`];
  return ["## Prior attempts on this task", ...note, ...told].join("\n\n");
}

function parents({ parents: all, as }: Drawn, budget: Budget): string {
  if (all.length === 0) return "";
  const told = all.map(({ task, summary, metadata, artifacts }) =>
    [
      `### ${task.id}: ${foldToLine(task.title)}`,
      ...(task.verdict === "rejected" ? ["_verdict_: rejected"] : []),
      summary === null ? "(no result recorded)" : as.quoted(summary, budget.parentChars),
      ...(metadata === null || !budget.parentMetadata ? [] : [`_metadata_: ${as.metadata(metadata)}`]),
      ...(task.workspace_path === null ? [] : [`_workspace_: ${foldToLine(task.workspace_path)}`]),
      ...(artifacts.length === 0 ? [] : [`_artifacts_: ${artifacts.map(foldToLine).join(", ")}`]),
    ].join("\n"),
  );
  const note = [
    ...(budget.parentMetadata ? [] : ["(metadata left out for length)"]),
    ...(budget.parentChars < FULL.parentChars
      ? [`(summaries cut to ${budget.parentChars} characters for length)`]
      : []),
  ];
  return ["## Parent task results", ...note, ...told].join("\n\n");
}

function original({ root, as }: Drawn, budget: Budget): string {
  if (root === undefined) return "";
  if (!budget.root) return "## Original request\n\n(left out for length)";
  return `## Original request\n\n${root.id}: ${foldToLine(root.title)}\n\n${root.body === null ? "(no body)" : as.quoted(root.body, 2048)}`;
}

function recent({ task, recent: work }: Drawn, budget: Budget): string {
  if (work.length === 0) return "";
  const heading = `## Recent work by @${task.assignee}`;
  if (!budget.recent) return `${heading}\n\n(left out for length)`;
  const first = (text: string | null) => truncateText(foldToLine((text ?? "").split("\n")[0] ?? ""), 200);
  return [heading, "", ...work.map((one) => `- ${one.task_id} ${foldToLine(one.title)}: ${first(one.summary)}`)].join(
    "\n",
  );
}

function thread({ comments, hiddenComments, as }: Drawn, budget: Budget): string {
  if (comments.length === 0) return "";
  const shown = comments.filter((comment) => !budget.dropped.has(comment.id));
  const left = comments.length - shown.length;
  const note = [
    ...(hiddenComments === 0 ? [] : [`(${counted(hiddenComments, "older comment")} omitted)`]),
    ...(left === 0 ? [] : [`(${counted(left, "comment")} left out for length)`]),
  ];
  const told = shown.map((comment) => {
    const author = foldToLine(comment.author.replaceAll("`", ""));
    return `comment from ${comment.author_kind} \`${author}\` at ${iso(comment.created_at)}:\n${as.quoted(comment.text, 2048)}`;
  });
  return ["## Comment thread", ...note, ...told].join("\n\n");
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const iso = (at: UnixSeconds): string => toIso(at * 1000).replace(".000Z", "Z");
