import type { UnixSeconds } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import { utc } from "./reasons-made.js";
import type { Holding } from "./why-facts.js";

type Waiting = Pick<Task, "status" | "scheduled_at" | "not_before" | "hold">;

/** Short words behind a listed task: why it does not move. Null when there is nothing to say. */
export function waitNote(task: Waiting, parents: readonly Holding[], now: UnixSeconds): string | null {
  switch (task.status) {
    case "todo":
      return todoNote(task, parents);
    case "scheduled":
      return task.scheduled_at === null ? null : `until ${utc(task.scheduled_at)}`;
    case "ready":
      return task.not_before !== null && task.not_before > now ? `until ${utc(task.not_before)}` : null;
    default:
      return null;
  }
}

function todoNote(task: Waiting, parents: readonly Holding[]): string | null {
  if (parents.some((parent) => parent.status === "done")) return "parent rejected";
  if (parents.some((parent) => parent.status === "blocked")) return "parent blocked";
  if (parents.length > 0) return `waits for ${parents.map((parent) => parent.id).join(", ")}`;
  return task.hold ? "held" : null;
}
