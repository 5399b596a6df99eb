import type { TaskId } from "../../base/units.js";
import { formatElapsed } from "../../commands/render/times.js";

/** What a message is made from. */
export interface NoticeSource {
  readonly board: string;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly task: { readonly id: TaskId; readonly title: string; readonly assignee: string | null } | undefined;
  /** Children that go on waiting; looked at for a rejected task. */
  readonly held: number;
  /** A reply differs from another message on this platform. */
  readonly replies: boolean;
  /** Names of declared files that are not sent along. */
  readonly leftOut: readonly string[];
}

const TITLE = 120;
const SUMMARY = 300;
const REASON = 160;
const ERROR = 200;

/** The message about an event, as board part 13.1 words it. Characters are counted as people see them: code points. */
export function renderTaskNotice(told: NoticeSource): string {
  const { task } = told;
  if (task === undefined) return `• Kanban board ${told.board}: ${words(told.kind)}`;
  return [
    ...(TEXTS[told.kind] ?? other)(told, { ...task, title: clipped(oneLine(task.title), TITLE), who: whoOf(task) }),
    ...leftOut(told),
  ].join("\n");
}

interface Named {
  readonly id: TaskId;
  readonly title: string;
  /** `@name `, or nothing. */
  readonly who: string;
}

type Lines = (told: NoticeSource, task: Named) => readonly string[];

const whoOf = ({ assignee }: { assignee: string | null }): string => (assignee === null ? "" : `@${assignee} `);
const words = (kind: string): string => kind.replaceAll("_", " ");
const other: Lines = ({ kind }, { who, id, title }) => [`• ${who}Kanban ${id} ${words(kind)} — ${title}`];

const TEXTS: Readonly<Record<string, Lines>> = {
  completed: (told, task) => (told.payload["verdict"] === "rejected" ? rejected(told, task) : accepted(told, task)),
  blocked: ({ payload, replies }, { who, id }) => [
    `⏸ ${who}Kanban ${id} blocked: ${clipped(oneLine(text(payload["reason"])), REASON) || "(no reason given)"}`,
    ...(replies ? ["Reply to this message to answer and unblock."] : []),
  ],
  protocol_violation: (_told, { who, id }) => [
    `⏸ ${who}Kanban ${id} blocked: the worker stopped without completing or blocking the task`,
  ],
  gave_up: ({ payload }, { who, id }) => [
    `✖ ${who}Kanban ${id} gave up after ${number(payload["failures"])} failed attempts (last: ${LAST[text(payload["trigger_outcome"])] ?? "unknown"})`,
    ...filled(clipped(oneLine(text(payload["error"])), ERROR)),
  ],
  crashed: ({ payload }, { who, id }) => [
    `✖ ${who}Kanban ${id} worker crashed (${exitOf(payload)}); ${nextOf(payload)}`,
  ],
  timed_out: ({ payload }, { who, id }) => [`⏱ ${who}Kanban ${id} ${timeOf(payload)}; ${nextOf(payload)}`],
  archived: ({ payload }, { id, title }) => [
    `— Kanban ${id} archived${payload["from"] === "done" ? "" : " unfinished"} — ${title}`,
  ],
  stuck: ({ payload }, { id }) => [`⚠ Kanban ${id}: worker process ${number(payload["pid"])} cannot be stopped`],
};

const accepted: Lines = ({ payload }, { who, id, title }) => [
  `✔ ${who}Kanban ${id} done — ${title}`,
  ...filled(opening(text(payload["summary"]), SUMMARY)),
];

const rejected: Lines = ({ payload, held }, { who, id, title }) => [
  `✖ ${who}Kanban ${id} rejected — ${title}`,
  ...filled(opening(text(payload["summary"]), SUMMARY)),
  held === 1 ? "1 task stays held." : `${held} tasks stay held.`,
];

const LAST: Readonly<Record<string, string>> = {
  crashed: "crash",
  timed_out: "timeout",
  spawn_failed: "failed to start",
};

function exitOf(payload: NoticeSource["payload"]): string {
  if (payload["signal"] != null) return `signal ${text(payload["signal"])}`;
  return payload["exit_code"] == null ? "unknown" : `exit ${number(payload["exit_code"])}`;
}

function timeOf(payload: NoticeSource["payload"]): string {
  if (payload["cause"] === "iteration_budget") {
    return `used up its turn budget (${number(payload["budget_used"])}/${number(payload["budget_max"])})`;
  }
  return `timed out after ${formatElapsed(Number(payload["elapsed_seconds"] ?? 0))}`;
}

/** The last failure is sent by itself only to those who did not ask for what follows from it. */
const nextOf = (payload: NoticeSource["payload"]): string => (payload["to"] === "blocked" ? "blocked" : "will retry");

const leftOut = (told: NoticeSource): readonly string[] =>
  told.leftOut.length === 0 ? [] : [`Stored with the task: ${told.leftOut.join(", ")}`];

const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "");
const number = (value: unknown): string => (typeof value === "number" ? String(value) : "?");
const filled = (line: string): readonly string[] => (line === "" ? [] : [line]);
const oneLine = (given: string): string => given.replace(/\s+/g, " ").trim();

/** At most `max` characters; what is cut ends with `…`. */
function clipped(given: string, max: number): string {
  const points = [...given];
  return points.length <= max
    ? given
    : `${points
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}

/** The beginning of a text, whole sentences or lines while they fit; where not even one does, as much as fits. */
export function opening(given: string, max: number): string {
  const points = [...given];
  if (points.length <= max) return given;
  const head = points.slice(0, max).join("");
  // The character after the cut tells whether a full stop at its end ends a sentence.
  const next = points[max] ?? "";
  const ends = [...`${head}${next}`.matchAll(/\n|[.!?\u2026](?=\s)/g)].map(
    (found) => found.index + (found[0] === "\n" ? 0 : 1),
  );
  const end = ends.filter((at) => at <= head.length && head.slice(0, at).trim() !== "").at(-1);
  return end === undefined ? clipped(given, max) : head.slice(0, end).trimEnd();
}
