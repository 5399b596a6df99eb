import type { Query } from "../../../storage/store.js";
import { childrenOf } from "../../../storage/tables/board/links.js";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Status } from "../../contracts/board/board.js";
import type { LegalMove } from "../../contracts/board/screen.js";
import { type Core, mustTask, unknownTask } from "../core/core.js";
import { waitingOf } from "./promote-reopen.js";

/** In the order of the columns. */
const TARGETS = [
  "triage",
  "todo",
  "ready",
  "blocked",
  "done",
  "scheduled",
  "archived",
] as const satisfies readonly Status[];
type Target = (typeof TARGETS)[number];

/** What a status write (board part, 14.5) would do with the task as it is now, without doing it. */
export async function moves(core: Core, board: BoardSlug, id: TaskId): Promise<readonly LegalMove[]> {
  const store = await core.reading(board);
  if (store === undefined) throw unknownTask(id);
  return store.read(async (q) => {
    const facts = await factsOf(q, await mustTask(q, id));
    return TARGETS.map((to) => ({ to, ...judge(facts, to) }));
  });
}

interface MoveFacts {
  readonly task: TaskRow;
  /** Unsettled parents. */
  readonly waiting: readonly TaskId[];
  /** Children at work, which a parent that is taken up again would overtake. */
  readonly working: readonly TaskId[];
}

async function factsOf(q: Query, task: TaskRow): Promise<MoveFacts> {
  const settled = task.status === "done" || task.status === "archived";
  const children = settled ? await childrenOf(q, task.id) : [];
  const working = children.filter((child) => child.status === "running").map((child) => child.id);
  return { task, waiting: await waitingOf(q, task.id), working };
}

interface Verdict {
  readonly legal: boolean;
  readonly text: string;
}

const no = (text: string): Verdict => ({ legal: false, text });
const yes = (text = ""): Verdict => ({ legal: true, text });

function judge(facts: MoveFacts, to: Target): Verdict {
  const { status } = facts.task;
  if (status === to && to !== "scheduled") return no("it is there");
  if (to === "archived") return yes(status === "running" ? "its worker is stopped" : "");
  if (status === "archived") return outOfArchive(facts, to);
  return JUDGES[to](facts);
}

const JUDGES: Readonly<Record<Exclude<Target, "archived">, (facts: MoveFacts) => Verdict>> = {
  done: ({ task }) => only(task, ["ready", "running", "blocked"], "complete"),
  blocked: ({ task }) => only(task, ["todo", "ready", "running"], "block"),
  scheduled: ({ task }) => only(task, ["todo", "ready", "running", "blocked", "scheduled"], "schedule"),
  ready: toReady,
  todo: toTodo,
  triage: (facts) => (facts.task.status === "done" ? reopened(facts, "") : stopping(facts.task)),
};

const stopping = ({ status }: TaskRow, text = ""): Verdict =>
  yes([...(status === "running" ? ["its worker is stopped"] : []), ...(text === "" ? [] : [text])].join("; "));

function only(task: TaskRow, from: readonly Status[], verb: string): Verdict {
  if (from.includes(task.status)) return stopping(task);
  return no(`cannot ${verb}: it is ${task.status}, not ${from.slice(0, -1).join(", ")} or ${from.at(-1) ?? ""}`);
}

function toReady(facts: MoveFacts): Verdict {
  if (facts.task.status === "running") return stopping(facts.task, "it starts again when there is a free slot");
  if (facts.waiting.length > 0) return no(waits(facts));
  return facts.task.status === "done" ? reopened(facts, "") : yes();
}

function toTodo(facts: MoveFacts): Verdict {
  const free = facts.waiting.length === 0;
  if (facts.task.status === "done") return reopened(facts, free ? "it becomes ready at once" : "");
  if (facts.task.status === "triage") return yes(free ? "it becomes ready at once" : "");
  return stopping(facts.task, free ? "held until it is made ready" : "");
}

function reopened(facts: MoveFacts, text: string): Verdict {
  return facts.working.length > 0 ? no(`its child ${facts.working.join(", ")} is running`) : yes(text);
}

const waits = ({ waiting }: MoveFacts): string => `waits for ${waiting.join(", ")}`;

/** Out of the archive a task goes to where it was. */
function outOfArchive(facts: MoveFacts, to: Target): Verdict {
  const back = restored(facts);
  if (back !== to) return no(`unarchived, it becomes ${back}`);
  const settles = back === "done" && facts.task.verdict !== "rejected";
  return settles ? yes() : reopened(facts, "");
}

function restored({ task, waiting }: MoveFacts): Status {
  const from = task.archived_from;
  if (from === "done" || from === "triage" || from === "blocked" || from === "scheduled") return from;
  return waiting.length === 0 ? "ready" : "todo";
}
