import type { BoardSlug, TaskId, UnixSeconds } from "../../base/units.js";
import type { Status } from "./board.js";

/** A task as the columns of a screen show it: so short that ten thousand of them are cheap to send and to keep. */
export interface SlimCard {
  readonly id: TaskId;
  readonly title: string;
  readonly status: Status;
  readonly assignee: string | null;
  readonly priority: number;
  readonly tenant: string | null;
  readonly created_at: UnixSeconds;
  /** Order in which the tasks of a board were made. */
  readonly made: number;
  /** When it was done or archived; 0 while it is neither. */
  readonly ended_at: UnixSeconds;
  /** Since when it has its status. */
  readonly since: UnixSeconds;
  /** Newest sign of life of the open run. */
  readonly beat: UnixSeconds | null;
  readonly run_id: number | null;
  /** Why it does not move, in few words. */
  readonly note: string | null;
  readonly comments: number;
  /** Children of a decomposition; null for every other task. */
  readonly children: { readonly done: number; readonly total: number } | null;
  readonly version: number;
}

/** Where a page of a column begins: behind the card with these marks. */
export interface CardPlace {
  readonly priority: number;
  readonly created_at: number;
  readonly ended_at: number;
  readonly made: number;
}

export interface CardQuestion {
  /** These tasks, with the children that wait for them and the tasks that they are parts of. */
  readonly ids?: readonly string[] | undefined;
  /** One column; without it the beginning of each. */
  readonly status?: Status | undefined;
  readonly after?: CardPlace | undefined;
  /** Cards of each column; at most 2000. */
  readonly limit?: number | undefined;
}

export interface CardPage {
  readonly board: BoardSlug;
  readonly cards: readonly SlimCard[];
  /** How many tasks are in each status. */
  readonly counts: Readonly<Record<Status, number>>;
  /** Every event up to this one is in the cards; later ones may be. */
  readonly latest_event_id: number;
  /** Start and reason of a pause; null when not paused. */
  readonly paused: { readonly reason: string | null } | null;
}

/** One status, and whether the task can be sent there now. */
export interface LegalMove {
  readonly to: Exclude<Status, "running">;
  readonly legal: boolean;
  /** What else it means, or why it can not be. Empty: nothing more than its name says. */
  readonly text: string;
}

/** What screens ask a board beside what everybody asks. Nothing of it writes. */
export interface BoardScreenApi {
  /** Cards in the order of their columns: by priority, then age; done and archived ones newest first. Empty for a board that was never written. */
  cards(board: BoardSlug, question: CardQuestion): Promise<CardPage>;
  /** Where a task can be sent now, by every status but `running`, which a claim alone sets. @throws E_NOT_FOUND */
  moves(board: BoardSlug, id: TaskId): Promise<readonly LegalMove[]>;
}
