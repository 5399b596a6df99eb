import type { Tx } from "../../../storage/store.js";
import type { TaskPatch } from "../../../storage/tables/board/rows.js";
import { updateTask } from "../../../storage/tables/board/tasks.js";
import { AppError, assert } from "../../base/errors.js";
import { type EpochMs, type TaskId, toUnix } from "../../base/units.js";
import type { Status } from "../../contracts/board/board.js";
import { withLine } from "./line-payload.js";

export type Guard =
  | "settled"
  | "open"
  | "below limit"
  | "at limit"
  | "has time"
  | "blocked at birth"
  | "triage"
  | "children idle";

export interface Transition {
  /** Row of board part 3.3. */
  readonly row: number;
  readonly from: readonly (Status | "new")[];
  readonly on: Trigger;
  readonly guard?: Guard;
  readonly to: Status;
  readonly emits: readonly string[];
}

const ANY = ["triage", "todo", "ready", "running", "blocked", "scheduled", "done"] as const;

/** Every way in which a status changes. No other code sets one; diagram, help and tests are made from this table. */
export const TRANSITIONS = [
  { row: 1, from: ["new"], on: "create", guard: "triage", to: "triage", emits: ["created"] },
  { row: 4, from: ["new"], on: "create", guard: "blocked at birth", to: "blocked", emits: ["created", "blocked"] },
  { row: 5, from: ["new"], on: "create", guard: "has time", to: "scheduled", emits: ["created", "scheduled"] },
  { row: 2, from: ["new"], on: "create", guard: "settled", to: "ready", emits: ["created"] },
  { row: 3, from: ["new"], on: "create", guard: "open", to: "todo", emits: ["created"] },
  { row: 6, from: ["triage"], on: "specify", to: "todo", emits: ["specified"] },
  { row: 7, from: ["triage"], on: "decompose", to: "todo", emits: ["decomposed"] },
  { row: 9, from: ["todo"], on: "promotion", guard: "settled", to: "ready", emits: ["promoted"] },
  { row: 10, from: ["ready"], on: "claim", guard: "settled", to: "running", emits: ["claimed", "spawned"] },
  { row: 10, from: ["ready"], on: "claim", guard: "open", to: "todo", emits: ["claim_rejected"] },
  { row: 11, from: ["running"], on: "worker complete", to: "done", emits: ["completed"] },
  { row: 12, from: ["ready", "running", "blocked"], on: "complete", to: "done", emits: ["completed"] },
  { row: 13, from: ["running"], on: "worker block", to: "blocked", emits: ["blocked"] },
  { row: 14, from: ["todo", "ready", "running"], on: "block", to: "blocked", emits: ["blocked"] },
  { row: 15, from: ["running"], on: "worker wait", to: "scheduled", emits: ["scheduled"] },
  {
    row: 16,
    from: ["todo", "ready", "running", "blocked", "scheduled"],
    on: "schedule",
    to: "scheduled",
    emits: ["scheduled"],
  },
  { row: 17, from: ["scheduled"], on: "due", guard: "settled", to: "ready", emits: ["due"] },
  { row: 17, from: ["scheduled"], on: "due", guard: "open", to: "todo", emits: ["due"] },
  { row: 18, from: ["blocked", "scheduled"], on: "unblock", guard: "settled", to: "ready", emits: ["unblocked"] },
  { row: 18, from: ["blocked", "scheduled"], on: "unblock", guard: "open", to: "todo", emits: ["unblocked"] },
  {
    row: 19,
    from: ["todo", "blocked", "scheduled"],
    on: "promote",
    guard: "settled",
    to: "ready",
    emits: ["promoted_manual"],
  },
  { row: 20, from: ["running"], on: "reclaim", to: "ready", emits: ["reclaimed"] },
  { row: 22, from: ["running"], on: "stale", to: "ready", emits: ["stale"] },
  { row: 23, from: ["running"], on: "crashed", guard: "below limit", to: "ready", emits: ["crashed"] },
  { row: 24, from: ["running"], on: "timed_out", guard: "below limit", to: "ready", emits: ["timed_out"] },
  { row: 25, from: ["running"], on: "spawn_failed", guard: "below limit", to: "ready", emits: ["spawn_failed"] },
  { row: 26, from: ["running"], on: "crashed", guard: "at limit", to: "blocked", emits: ["crashed", "gave_up"] },
  { row: 26, from: ["running"], on: "timed_out", guard: "at limit", to: "blocked", emits: ["timed_out", "gave_up"] },
  {
    row: 26,
    from: ["running"],
    on: "spawn_failed",
    guard: "at limit",
    to: "blocked",
    emits: ["spawn_failed", "gave_up"],
  },
  { row: 27, from: ["running"], on: "protocol_violation", to: "blocked", emits: ["protocol_violation"] },
  { row: 28, from: ["running"], on: "rate_limited", to: "ready", emits: ["rate_limited"] },
  { row: 29, from: ["running"], on: "token budget", to: "blocked", emits: ["blocked"] },
  { row: 30, from: ["done"], on: "reopen", guard: "children idle", to: "todo", emits: ["reopened"] },
  { row: 30, from: ["done"], on: "reopen to triage", guard: "children idle", to: "triage", emits: ["reopened"] },
  { row: 31, from: ANY, on: "archive", to: "archived", emits: ["archived"] },
  { row: 32, from: ["archived"], on: "unarchive to done", to: "done", emits: ["unarchived"] },
  { row: 32, from: ["archived"], on: "unarchive to triage", to: "triage", emits: ["unarchived"] },
  { row: 32, from: ["archived"], on: "unarchive to blocked", to: "blocked", emits: ["unarchived"] },
  { row: 32, from: ["archived"], on: "unarchive to scheduled", to: "scheduled", emits: ["unarchived"] },
  { row: 32, from: ["archived"], on: "unarchive", to: "todo", emits: ["unarchived"] },
  { row: 34, from: ["ready"], on: "parent opened", guard: "open", to: "todo", emits: ["status"] },
  { row: 35, from: ["triage"], on: "write ready", guard: "settled", to: "ready", emits: ["status"] },
  {
    row: 35,
    from: ["triage", "ready", "running", "blocked", "scheduled"],
    on: "write todo",
    to: "todo",
    emits: ["status"],
  },
  {
    row: 35,
    from: ["todo", "ready", "running", "blocked", "scheduled"],
    on: "write triage",
    to: "triage",
    emits: ["status"],
  },
  { row: 30, from: ["running"], on: "parent opened", guard: "open", to: "todo", emits: ["status"] },
] as const satisfies readonly TransitionShape[];

interface TransitionShape {
  readonly row: number;
  readonly from: readonly (Status | "new")[];
  readonly on: string;
  readonly guard?: Guard;
  readonly to: Status;
  readonly emits: readonly string[];
}

export type Trigger = (typeof TRANSITIONS)[number]["on"];

/** What the guards look at. A guard whose fact is missing does not hold. */
export type GuardFacts = Partial<Record<Guard, boolean>>;

/** The row that applies, or undefined: this status does not move on this trigger. */
export function transition(from: Status | "new", on: Trigger, facts: GuardFacts = {}): Transition | undefined {
  const rows: readonly Transition[] = TRANSITIONS;
  return rows.find(
    (row) => row.on === on && row.from.includes(from) && (row.guard === undefined || facts[row.guard] === true),
  );
}

export interface TaskMove {
  readonly at: EpochMs;
  /** Kind of the actor, for the event. */
  readonly actor: string;
  /** Key of the command line that asked for it. */
  readonly line?: string | undefined;
  readonly run?: number | null | undefined;
  readonly facts?: GuardFacts;
  readonly patch?: TaskPatch;
  readonly payload?: Readonly<Record<string, unknown>>;
}

/**
 * Change the status of a task: the only place where that happens. Writes the row's columns and its first event with `from` and `to`.
 *
 * @returns the new status
 * @throws E_STATE when no row of the table applies
 */
export async function changeStatus(
  tx: Tx,
  task: { readonly id: TaskId; readonly status: Status },
  on: Trigger,
  how: TaskMove,
): Promise<Status> {
  const row = transition(task.status, on, how.facts);
  if (row === undefined)
    throw new AppError("E_STATE", `cannot ${on} ${task.id}: status is ${task.status}`, { status: task.status });
  const changed = await updateTask(tx, task.id, {
    from: task.status,
    to: row.to,
    patch: how.patch ?? {},
    at: toUnix(how.at),
  });
  assert(changed, "a task that was read in this transaction still has its status");
  const [kind] = row.emits;
  assert(kind !== undefined, "every transition has an event");
  tx.emit({
    kind,
    at: how.at,
    task: task.id,
    ...(how.run == null ? {} : { run: how.run }),
    actor: how.actor,
    payload: withLine(how, { ...how.payload, from: task.status, to: row.to }),
  });
  return row.to;
}

/** Change columns of a task without moving it. */
export async function updateTaskColumns(
  tx: Tx,
  task: { readonly id: TaskId; readonly status: Status },
  at: EpochMs,
  patch: TaskPatch = {},
): Promise<void> {
  const changed = await updateTask(tx, task.id, { from: task.status, to: task.status, patch, at: toUnix(at) });
  assert(changed, "a task that was read in this transaction still has its status");
}

/** Status of a new task. */
export function initialStatus(facts: GuardFacts): Status {
  const row = transition("new", "create", facts);
  assert(row !== undefined, "the facts of a new task name a status");
  return row.to;
}
