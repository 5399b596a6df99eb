/** What can be done with a stored conversation besides working its turns (core part, 11). */
import type { EpochMs, SessionId, TurnId } from "../../base/units.js";
import type { FrontEnd } from "./front-end.js";
import type { RestoredFiles, UndoableFiles } from "./turn-files.js";

export type UndoWhat = "chat" | "files" | "both";

/** What an undo takes back, or took back. */
export interface Undone {
  /** Exchanges: user messages with everything behind them. */
  readonly exchanges: number;
  readonly turns: readonly TurnId[];
  /** Messages that were hidden. */
  readonly messages: number;
  /** The first user message that was hidden, for the composer. */
  readonly text: string;
  readonly files?: RestoredFiles;
}

export interface Redone {
  readonly messages: number;
  readonly files?: RestoredFiles;
}

export interface ForkOptions {
  /** Last message that goes along; without it all of them. */
  readonly at?: number;
  readonly title?: string;
}

export interface PruneFilter {
  /** Days without activity. */
  readonly days: number;
  readonly source?: string;
}

export interface SessionStats {
  readonly lineages: number;
  readonly sessions: number;
  readonly archived: number;
  readonly messages: number;
  /** Hidden by undos. */
  readonly hidden: number;
  readonly tool_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly bytes: number;
  /** Sessions by where they began. */
  readonly by_source: Readonly<Record<string, number>>;
  readonly oldest: EpochMs | null;
  readonly newest: EpochMs | null;
}

/** What a deletion removed. `backups`: copies made earlier, which still hold the texts. */
export interface DeletedSession {
  readonly sessions: number;
  readonly messages: number;
  readonly backups: readonly string[];
}

export interface StoredSessionsApi<Session, Result> {
  /** The newest session used by a person: in this directory, else anywhere. Undefined: no session. */
  latest(cwd: string): Promise<{ readonly session: Session; readonly elsewhere: boolean } | undefined>;
  /** Delete ended lineages that have been inactive for that time. @returns those deleted, or with `dry` those that would be */
  prune(filter: PruneFilter, dry: boolean): Promise<readonly Session[]>;
  /** Prune by the settings `sessions.*` when due. @returns the number of deleted lineages */
  autoPrune(): Promise<number>;
  stats(): Promise<SessionStats>;
  /** What is wrong with the stored sessions, one sentence each. Reads only. */
  check(): Promise<readonly string[]>;
  /** A turn of it runs or waits. */
  isBusy(id: SessionId): Promise<boolean>;
  /** Resolves when no turn of it runs or waits. */
  idle(id: SessionId): Promise<void>;
  /** A new lineage that begins with a copy of this one: its messages, todos, grants, and its goal, paused. @throws E_NOT_FOUND, E_CONFLICT (title) */
  fork(id: SessionId, options?: ForkOptions): Promise<Session>;
  /** Files that the last exchanges changed and that could be put back. */
  undoable(id: SessionId, exchanges: number): Promise<UndoableFiles>;
  /** Hide the last exchanges, put back their files, or both. @throws E_STATE (a turn runs, nothing to undo), E_INVALID (checkpoints are off) */
  undo(id: SessionId, exchanges: number, what: UndoWhat): Promise<Undone>;
  /** Redo the last undo, until a new message is sent. @throws E_STATE when nothing was undone */
  redo(id: SessionId): Promise<Redone>;
  /** Hide the last exchange and send its message again. Resolves when the turn has ended. */
  retry(id: SessionId, onTurn?: (turn: TurnId) => void): Promise<Result>;
  /** The whole lineage. Archived ones are listed only on demand. */
  archive(id: SessionId, archived: boolean): Promise<Session>;
  /** Note that a front end has left it for good (`closed`, `new_session`, `resumed_other`); a session without messages and title goes. @returns false when it is gone */
  leave(id: SessionId, reason: string, frontEnd?: FrontEnd): Promise<boolean>;
}
