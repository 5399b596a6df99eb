import type { AuditEvent, AuditTask } from "../../../storage/tables/board/audit.js";
import type { TaskId } from "../../base/units.js";
import { TRANSITIONS } from "../core/states.js";

/** Moves that the table of transitions has, as `from>to`. */
const MOVES: ReadonlySet<string> = new Set(
  TRANSITIONS.flatMap((row) => row.from.map((from) => `${from === "new" ? "null" : from}>${row.to}`)),
);

const FAILURES = new Set(["crashed", "timed_out", "spawn_failed", "protocol_violation"]);
/** Events after which the count of failures may be another one. */
const RESETTING = new Set([
  "completed",
  "unblocked",
  "due",
  "promoted_manual",
  "reopened",
  "assigned",
  "edited",
  "status",
  "reclaimed",
  "unarchived",
  "specified",
  "decomposed",
  "archived",
]);

interface Trail {
  readonly status: string | undefined;
  /** Failures that the newest failure counted, when nothing has cleared them since. */
  readonly failures: number | undefined;
}

/** Follows events of a board, all or the newest: are the moves legal, and do they lead to what the tasks say? */
export interface BoardHistory {
  follow(event: AuditEvent): void;
  /** Tasks that the events name: those to compare with. */
  named(): readonly TaskId[];
  /** One sentence for each thing that is wrong. */
  wrongMoves(tasks: readonly AuditTask[]): readonly string[];
  wrongCounts(tasks: readonly AuditTask[]): readonly string[];
  /** Decompositions that are there in part. */
  wrongGraphs(tasks: readonly AuditTask[]): readonly string[];
}

/** An empty history; events come in order. */
export function createHistory(): BoardHistory {
  const trails = new Map<TaskId, Trail>();
  const graphs: Graphs = { childOf: new Map(), deleted: new Set() };
  const wrong: string[] = [];
  return {
    follow: (event) => {
      const payload = JSON.parse(event.payload) as Payload; // written as a JSON object
      if (event.kind === "deleted" && payload.task_id !== undefined) graphs.deleted.add(payload.task_id);
      if (event.task_id === null) return;
      if (event.kind === "decomposed") for (const id of payload.child_ids ?? []) graphs.childOf.set(id, event.task_id);
      const trail = trails.get(event.task_id) ?? { status: undefined, failures: undefined };
      const problem = moveProblem(event, payload, trail.status);
      if (problem !== undefined) wrong.push(problem);
      trails.set(event.task_id, {
        status: payload.to ?? trail.status,
        failures: failuresAfter(event.kind, payload, trail.failures),
      });
    },
    named: () => [...new Set([...trails.keys(), ...graphs.childOf.keys()])],
    wrongMoves: (tasks) => [...wrong, ...tasks.flatMap((task) => statusProblem(task, trails.get(task.id)))],
    wrongCounts: (tasks) => tasks.flatMap((task) => countProblem(task, trails.get(task.id))),
    wrongGraphs: (tasks) => graphProblems(graphs, tasks),
  };
}

interface Graphs {
  /** Root of each child that a decomposition named. */
  readonly childOf: Map<TaskId, TaskId>;
  readonly deleted: Set<TaskId>;
}

interface Payload {
  readonly child_ids?: readonly TaskId[];
  readonly task_id?: TaskId;
  readonly from?: string | null;
  readonly to?: string;
  readonly failures?: number;
}

function moveProblem(event: AuditEvent, { from, to }: Payload, status: string | undefined): string | undefined {
  if (to === undefined) return undefined;
  const was = String(from ?? null);
  if (status !== undefined && was !== status)
    return `${event.task_id}: ${event.kind} from ${was}, but it was ${status}`;
  return MOVES.has(`${was}>${to}`)
    ? undefined
    : `${event.task_id}: ${event.kind} from ${was} to ${to} is not a valid transition`;
}

function failuresAfter(kind: string, { failures }: Payload, before: number | undefined): number | undefined {
  if (FAILURES.has(kind)) return failures;
  return RESETTING.has(kind) ? undefined : before;
}

function statusProblem(task: AuditTask, trail: Trail | undefined): readonly string[] {
  if (trail?.status === undefined || trail.status === task.status) return [];
  return [`${task.id} is ${task.status}, its events say ${trail.status}`];
}

function countProblem(task: AuditTask, trail: Trail | undefined): readonly string[] {
  if (trail?.failures === undefined || trail.failures === task.consecutive_failures) return [];
  return [`${task.id} has ${task.consecutive_failures} failures, its events show ${trail.failures}`];
}

/** Old events of a root that is done may be gone, so a child without its event is not a finding; a child that is gone is one. */
function graphProblems({ childOf, deleted }: Graphs, tasks: readonly AuditTask[]): readonly string[] {
  const there = new Map(tasks.map((task) => [task.id, task]));
  return [...childOf].flatMap(([child, root]) => {
    if (deleted.has(child)) return [];
    const found = there.get(child);
    if (found === undefined) return [`${root}: child ${child} is missing`];
    return found.decomposed_from === root ? [] : [`${child} does not refer to its root ${root}`];
  });
}
