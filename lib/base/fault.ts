import { AppError } from "./errors.js";

/**
 * Named points at which a test build can end the process with SIGKILL: `AGENT_FAULT=name:n` at the nth passage.
 * A build without `AGENT_FAULTS` keeps only an empty function.
 */
const FAULT_POINTS = [
  "store.append.before",
  "store.append.after",
  "store.sync.after",
  "store.checkpoint.written",
  "store.checkpoint.renamed",
  "store.migrate.backed-up",
  "claim.committed",
  "worker.started",
  "worker.bound",
  "worker.exit-recorded",
  "stop.fenced",
  "stop.termed",
  "stop.killed",
  "decompose.answered",
  "notify.sending",
  "notify.handed",
  "turn.opened",
  "turn.streaming",
  "turn.calls-committed",
  "tool.ran",
  "turn.ended",
  "compaction.started",
  "compaction.summarised",
  "compaction.committed",
  "inbox.committed",
  "inbox.running",
  "outbox.sending",
  "outbox.called",
  "outbox.settled",
  "cron.due-recorded",
  "owner.draining",
  "tree.emptied",
  "workspace.made",
  "worktree.removed",
  "gc.workspace-gone",
  "gc.files-gone",
  "gc.events-gone",
  "directory.moving",
  "directory.moved",
  "board.created",
  "board.asked",
  "request.noted",
  "request.done",
  "checkpoint.contents-written",
  "checkpoint.contents-there",
  "checkpoint.manifest-there",
  "checkpoint.there",
  "checkpoint.collecting",
  "rollback.planned",
  "rollback.file-done",
  "file.drafted",
  "swap.staging",
  "swap.staged",
  "swap.decided",
  "swap.moved",
  "swap.placed",
  "swap.cleaning",
  "logins.locked",
  "logins.written",
  "skill.drafted",
  "skill.begun",
  "skill.recorded",
  "skill.file-done",
  "skill.settling",
  "curator.backup-archived",
  "curator.backed-up",
  "curator.backup-removing",
  "curator.rollback-planned",
  "curator.rollback-moving",
  "curator.rollback-moved",
  "curator.proposed",
  "curator.change-begun",
  "curator.skills-changed",
  "curator.jobs-rewritten",
  "curator.change-applied",
  "curator.undo-begun",
  "curator.undo-done",
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

declare const AGENT_FAULTS: boolean | undefined;
const enabled = typeof AGENT_FAULTS !== "undefined" && AGENT_FAULTS === true;
const wanted = enabled ? (process.env["AGENT_FAULT"] ?? "") : "";
const [wantedName, wantedCount] = wanted.split(":");
let passages = 0;

/** @param of Narrows the point: `AGENT_FAULT=request.done/turn.submit:1` counts only passages with this word */
export function faultPoint(name: FaultPoint, of?: string): void {
  if (!enabled || (name !== wantedName && `${name}/${of}` !== wantedName)) return;
  passages += 1;
  if (passages === Number(wantedCount ?? "1")) process.kill(process.pid, "SIGKILL");
}

/** Points of a start at which a test build can fail with an error, as `AGENT_FAIL=name`. Each stands where the step after it may fail for a reason of its own. */
export const FAIL_POINTS = ["start.verified", "start.opened", "start.boards", "start.served", "start.gateway"] as const;

export type FailPoint = (typeof FAIL_POINTS)[number];

const failing = enabled ? process.env["AGENT_FAIL"] : undefined;

/** @throws E_STATE where a test build is to fail here */
export function failPoint(name: FailPoint): void {
  if (enabled && name === failing) throw new AppError("E_STATE", `injected start failure at ${name}`);
}

/** Fault state for a thread of this process; undefined in the product. */
export function faultEnvironment(): Record<string, string> {
  return wanted === "" ? {} : { AGENT_FAULT: wanted };
}
