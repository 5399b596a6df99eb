import type { Status, Task } from "../../../../proto/board.js";

/** What has to be known before a task is sent on. */
export type Need = "reason" | "time" | "summary" | "sure";

/** Where a task can be sent by hand (board part, 14.5). */
export interface Move {
  readonly to: Status;
  readonly label: string;
  readonly needs: readonly Need[];
  /** It ends something: a worker, or what was done. */
  readonly danger?: true;
}

const ARCHIVE: Move = { to: "archived", label: "Archive", needs: ["sure"] };
const TRIAGE: Move = { to: "triage", label: "Back to triage", needs: [] };
const BLOCK: Move = { to: "blocked", label: "Block", needs: ["reason"] };
const SCHEDULE: Move = { to: "scheduled", label: "Schedule", needs: ["time", "reason"] };
const COMPLETE: Move = { to: "done", label: "Complete", needs: ["summary"] };

const MOVES: Readonly<Record<Status, readonly Move[]>> = {
  triage: [{ to: "todo", label: "Accept as it is", needs: [] }, ARCHIVE],
  todo: [{ to: "ready", label: "Make ready", needs: [] }, BLOCK, SCHEDULE, TRIAGE, ARCHIVE],
  ready: [COMPLETE, { to: "todo", label: "Hold", needs: [] }, BLOCK, SCHEDULE, TRIAGE, ARCHIVE],
  running: [
    COMPLETE,
    { to: "ready", label: "Take back", needs: [] },
    { to: "todo", label: "Hold", needs: [] },
    BLOCK,
    SCHEDULE,
    TRIAGE,
    ARCHIVE,
  ],
  blocked: [{ to: "ready", label: "Unblock", needs: [] }, COMPLETE, { to: "todo", label: "Hold", needs: [] }, SCHEDULE, TRIAGE, ARCHIVE],
  scheduled: [
    { to: "ready", label: "Make ready now", needs: [] },
    { to: "scheduled", label: "Another time", needs: ["time", "reason"] },
    { to: "todo", label: "Hold", needs: [] },
    TRIAGE,
    ARCHIVE,
  ],
  // To todo, and from there to ready at once where nothing is waited for: to ready alone is refused where something is.
  done: [{ to: "todo", label: "Reopen", needs: [] }, TRIAGE, ARCHIVE],
  archived: [],
};

/** Where a task can be sent now. Sending a running one on stops its worker, so it is asked about. */
export function movesOf({ status, archived_from }: Pick<Task, "status" | "archived_from">): readonly Move[] {
  if (status === "archived") return [{ to: restoredTo(archived_from), label: "Restore", needs: [] }];
  if (status !== "running") return MOVES[status];
  return MOVES.running.map((move) => ({ ...move, needs: ["sure", ...move.needs.filter((need) => need !== "sure")], danger: true }));
}

/** Out of the archive a task goes to where it was; what stood in a queue begins in it anew. */
const restoredTo = (from: Status | null): Status =>
  from === "done" || from === "triage" || from === "blocked" || from === "scheduled" ? from : "todo";
