import type { Status, Task } from "../../../../contracts/board/board.js";

/** Where a task can be sent by hand (board part, 14.5). */
export interface ManualMove {
  readonly to: Status;
  readonly label: string;
  /** It is asked about before, even where nothing has to be known. */
  readonly sure?: true;
  /** It ends something: a worker, or what was done. */
  readonly danger?: true;
}

const ARCHIVE: ManualMove = { to: "archived", label: "Archive", sure: true };
const TRIAGE: ManualMove = { to: "triage", label: "Back to triage" };
const BLOCK: ManualMove = { to: "blocked", label: "Block" };
const SCHEDULE: ManualMove = { to: "scheduled", label: "Schedule" };
const COMPLETE: ManualMove = { to: "done", label: "Complete" };

const MOVES: Readonly<Record<Status, readonly ManualMove[]>> = {
  triage: [{ to: "todo", label: "Accept as it is" }, ARCHIVE],
  todo: [{ to: "ready", label: "Make ready" }, BLOCK, SCHEDULE, TRIAGE, ARCHIVE],
  ready: [COMPLETE, { to: "todo", label: "Hold" }, BLOCK, SCHEDULE, TRIAGE, ARCHIVE],
  running: [
    COMPLETE,
    { to: "ready", label: "Take back" },
    { to: "todo", label: "Hold" },
    BLOCK,
    SCHEDULE,
    TRIAGE,
    ARCHIVE,
  ],
  blocked: [{ to: "ready", label: "Unblock" }, COMPLETE, { to: "todo", label: "Hold" }, SCHEDULE, TRIAGE, ARCHIVE],
  scheduled: [
    { to: "ready", label: "Make ready now" },
    { to: "scheduled", label: "Another time" },
    { to: "todo", label: "Hold" },
    TRIAGE,
    ARCHIVE,
  ],
  // To todo, and from there to ready at once where nothing is waited for: to ready alone is refused where something is.
  done: [{ to: "todo", label: "Reopen" }, TRIAGE, ARCHIVE],
  archived: [],
};

/** Where a task can be sent now. Sending a running one on stops its worker, so it is asked about. */
export function movesOf({ status, archived_from }: Pick<Task, "status" | "archived_from">): readonly ManualMove[] {
  if (status === "archived") return [{ to: restoredTo(archived_from), label: "Restore" }];
  if (status !== "running") return MOVES[status];
  return MOVES.running.map((move) => ({ ...move, sure: true, danger: true }));
}

/** Out of the archive a task goes to where it was; what stood in a queue starts over in it. */
const restoredTo = (from: Status | null): Status =>
  from === "done" || from === "triage" || from === "blocked" || from === "scheduled" ? from : "todo";
