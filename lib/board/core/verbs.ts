import { AppError } from "../../base/errors.js";
import type { Actor, Status } from "../../contracts/board/board.js";

/** `move`: allowed and moves; `ok`: allowed without a move; `state`, `running`: refused with that error. */
export type VerbCell = "move" | "ok" | "state" | "running";

type Row = Readonly<Record<Status, VerbCell>>;

/** Cells in the order triage, todo, ready, running, blocked, scheduled, done, archived. */
const row = (
  ...[triage, todo, ready, running, blocked, scheduled, done, archived]: readonly [
    VerbCell,
    VerbCell,
    VerbCell,
    VerbCell,
    VerbCell,
    VerbCell,
    VerbCell,
    VerbCell,
  ]
): Row => ({
  triage,
  todo,
  ready,
  running,
  blocked,
  scheduled,
  done,
  archived,
});

/** Verb by status (board part, 3.5). */
const VERBS = {
  specify: row("move", "state", "state", "state", "state", "state", "state", "state"),
  decompose: row("move", "state", "state", "state", "state", "state", "state", "state"),
  promote: row("state", "move", "state", "state", "move", "move", "state", "state"),
  claim: row("state", "state", "move", "state", "state", "state", "state", "state"),
  complete: row("state", "state", "move", "move", "move", "state", "state", "state"),
  block: row("state", "move", "move", "move", "state", "state", "state", "state"),
  schedule: row("state", "move", "move", "move", "move", "move", "state", "state"),
  unblock: row("state", "state", "state", "state", "move", "move", "state", "state"),
  reclaim: row("state", "state", "state", "move", "state", "state", "state", "state"),
  heartbeat: row("state", "state", "state", "ok", "state", "state", "state", "state"),
  reopen: row("state", "state", "state", "state", "state", "state", "move", "state"),
  archive: row("move", "move", "move", "move", "move", "move", "move", "state"),
  unarchive: row("state", "state", "state", "state", "state", "state", "state", "move"),
  assign: row("ok", "ok", "ok", "running", "ok", "ok", "ok", "state"),
  edit: row("ok", "ok", "ok", "ok", "ok", "ok", "ok", "state"),
  link: row("ok", "ok", "ok", "running", "ok", "ok", "ok", "state"),
  reassign: row("ok", "ok", "ok", "running", "ok", "ok", "ok", "state"),
  delete: row("state", "state", "state", "state", "state", "state", "state", "move"),
  attach: row("ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok"),
  comment: row("ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok"),
} as const satisfies Record<string, Row>;

export type Verb = keyof typeof VERBS;

/** Verbs that a worker may use on its own task, on any task of its board, or (by configuration) to extend the graph. */
const WORKER_VERBS = { complete: "own", block: "own", heartbeat: "own", comment: "any" } as const;

/** @throws E_STATE, E_RUNNING when the verb does not apply to the status */
export function checkVerb(verb: Verb, task: { readonly id: string; readonly status: Status }): void {
  const cell = VERBS[verb][task.status];
  if (cell === "running")
    throw new AppError("E_RUNNING", runningText(verb, task.id), { status: task.status, ...runningHint(verb, task.id) });
  if (cell === "state") throw new AppError("E_STATE", stateText(verb, task), { status: task.status });
}

/** @throws E_NOT_OWNER when a worker acts outside its task */
export function checkActor(verb: Verb, id: string, by: Actor): void {
  if (by.kind !== "worker") return;
  const scope = verb in WORKER_VERBS ? WORKER_VERBS[verb as keyof typeof WORKER_VERBS] : "none"; // `in` proves the membership
  if (scope === "any" || (scope === "own" && by.claim.task === id)) return;
  const advice =
    scope === "own" ? `your task is ${by.claim.task}; comment on ${id} instead` : "a worker may not do this";
  throw new AppError("E_NOT_OWNER", `cannot ${verb} ${id}: ${advice}`, { task: by.claim.task });
}

/** A way on where there is a better one than waiting. */
function runningHint(verb: Verb, id: string): { hint?: string } {
  if (verb === "assign")
    return { hint: `agent kanban reassign ${id} <profile> --reclaim stops the worker and reassigns the task` };
  return verb === "reassign" ? { hint: "--reclaim stops the worker first" } : {};
}

function runningText(verb: Verb, id: string): string {
  if (verb === "assign" || verb === "reassign") return `cannot reassign ${id}: currently running`;
  if (verb === "link") return `cannot add a parent to ${id}: currently running`;
  return `cannot ${verb} ${id}: currently running`;
}

function stateText(verb: Verb, task: { readonly id: string; readonly status: Status }): string {
  if (verb === "delete") return `cannot delete ${task.id}: not archived`;
  if (verb === "unblock") return `cannot unblock ${task.id} (not blocked/scheduled?): status is ${task.status}`;
  return `cannot ${verb} ${task.id}: status is ${task.status}`;
}
