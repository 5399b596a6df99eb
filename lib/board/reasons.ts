import type { Parent } from "../../storage/tables/board-links.js";
import type { UnixSeconds } from "../base/units.js";
import type { Task } from "../proto/board.js";
import type { WaitReason } from "../proto/board-api.js";

/** Short words behind a listed task: why it does not move. Null when there is nothing to say. */
export function waitNote(task: Task, parents: readonly Parent[], now: UnixSeconds): string | null {
  if (task.status === "todo" && parents.some((parent) => parent.status === "blocked")) return "parent blocked";
  if (task.status === "todo" && parents.length > 0) return `waits for ${parents.map((parent) => parent.id).join(", ")}`;
  if (task.status === "todo" && task.hold) return "held";
  if (task.status === "scheduled" && task.scheduled_at !== null) return `until ${utc(task.scheduled_at)}`;
  if (task.status === "ready" && task.not_before !== null && task.not_before > now) return `until ${utc(task.not_before)}`;
  return null;
}

/** `YYYY-MM-DD HH:MM UTC`. */
export const utc = (at: UnixSeconds): string => `${new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** Why a task does not move, worst first (codes of board part 19.1). */
export function reasonsOf(task: Task, parents: readonly Parent[], now: UnixSeconds): readonly WaitReason[] {
  switch (task.status) {
    case "todo":
      return todoReasons(task, parents);
    case "blocked":
      return [{ code: `blocked_${task.block_kind ?? "human"}`, text: blockedText(task) }];
    case "scheduled":
      return task.scheduled_at === null
        ? [{ code: "scheduled_open_end", text: "It is scheduled without a time; unblock or promote it." }]
        : [{ code: "scheduled_until", text: `It waits until ${utc(task.scheduled_at)}.`, until: task.scheduled_at }];
    case "ready":
      return readyReasons(task, now);
    case "running":
      return [{ code: "running", text: `A worker has it${task.worker_pid === null ? "" : ` (pid ${task.worker_pid})`}.` }];
    case "done":
    case "archived":
      return [{ code: task.status, text: `It is ${task.status}.` }];
    case "triage":
      return [{ code: "triage_manual", text: "It is in triage; specify or decompose it." }];
  }
}

function todoReasons(task: Task, parents: readonly Parent[]): readonly WaitReason[] {
  const reasons = parents.map((parent): WaitReason => {
    if (parent.status === "blocked") return { code: "parent_blocked", text: `Its parent ${parent.id} is blocked.`, ids: [parent.id] };
    if (parent.status === "done") return { code: "parent_rejected", text: `Its parent ${parent.id} was rejected.`, ids: [parent.id] };
    return { code: "parent_open", text: `It waits for ${parent.id} (${parent.status}).`, ids: [parent.id] };
  });
  const order = ["parent_rejected", "parent_blocked", "parent_open"];
  reasons.sort((a, b) => order.indexOf(a.code) - order.indexOf(b.code));
  return task.hold ? [...reasons, { code: "held", text: "It is held; promote it to let it start." }] : reasons;
}

function readyReasons(task: Task, now: UnixSeconds): readonly WaitReason[] {
  if (task.not_before !== null && task.not_before > now) {
    const code = task.last_failure_class === "throttled" ? "deferred_throttle" : "deferred_backoff";
    return [{ code, text: `It is deferred until ${utc(task.not_before)}.`, until: task.not_before }];
  }
  if (task.external) return [{ code: "external", text: "It is left to something outside." }];
  return [{ code: "ready_now", text: "It is ready to start." }];
}

function blockedText(task: Task): string {
  const words = { human: "blocked by a person", worker: "blocked by its worker", breaker: "blocked after repeated failures" };
  const more = { protocol: "blocked because its worker stopped without an answer", budget: "blocked because its token budget is used up" };
  const how = { ...words, ...more }[task.block_kind ?? "human"];
  return task.block_reason === null ? `It is ${how}.` : `It is ${how}: ${task.block_reason.replace(/\.$/, "")}.`;
}
