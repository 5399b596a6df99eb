import type { TaskId, UnixSeconds } from "../../base/units.js";
import type { Run, Status, Task, Verdict } from "../../contracts/board/board.js";
import type { DispatchState, StartForecast } from "../../contracts/board/explain.js";

/** A parent that holds its child back. */
export interface Holding {
  readonly id: TaskId;
  readonly status: Status;
  readonly verdict: Verdict | null;
  /** Where it waits itself: the tasks at the ends of its chains of parents, which wait for no task. */
  readonly roots?: readonly Holding[];
}

/** Everything that the reasons of one task are made from. */
export interface WhyFacts {
  readonly task: Task;
  readonly now: UnixSeconds;
  readonly parents: readonly Holding[];
  readonly archivedParents: readonly TaskId[];
  readonly dispatch: DispatchState;
  readonly paused: { readonly reason: string | null } | undefined;
  /** The assignee is something outside: the task's own mark, or `kanban.external_assignees`. */
  readonly outside: boolean;
  readonly assigneeKnown: boolean;
  /** The assignee is a profile without a model of its own. */
  readonly lacksModel: boolean;
  /** Why no worker of the assignee can start; undefined: one can. */
  readonly workerProblem: string | undefined;
  /** Who gets a task without an assignee. */
  readonly defaultAssignee: string;
  /** What a pass would do, when the task is ready and there is a dispatcher to ask. */
  readonly forecast: StartForecast | undefined;
  /** The open run, and that its worker could not be ended. */
  readonly run:
    | Pick<Run, "id" | "profile" | "started_at" | "last_heartbeat_at" | "claim_expires" | "worker_pid">
    | undefined;
  readonly stuck: boolean;
  /** Its worker is a process of this machine that has ended. */
  readonly workerGone: boolean;
  /** Last words of a worker that stopped without an answer; last lines of the log. */
  readonly lastText: string | null;
  readonly log: readonly string[];
  readonly triage: TriageFacts | undefined;
}

/** What automatic decomposition makes of a task in triage. */
export interface TriageFacts {
  /** It is on for the board. */
  readonly auto: boolean;
  /** Why no model can be asked; undefined when one can. */
  readonly noClient: string | undefined;
  readonly maxAttempts: number;
  /** When the task has been left alone long enough, and its next attempt may begin. */
  readonly settlesAt: UnixSeconds;
}
