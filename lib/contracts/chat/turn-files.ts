/** Files that turns changed, as the checkpoint store can restore them (core part, 11.5, 24.4). */
import type { SessionId, TurnId } from "../../base/units.js";

export interface RestoredFiles {
  /** Absolute paths whose former content came back. */
  readonly restored: readonly string[];
  /** Absolute paths that the turns had made and that are gone again. */
  readonly removed: readonly string[];
  /** Left alone, each with the reason in a few words. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Directories whose checkpoint holds only what file tools named: what programs changed there stays. Absent: none. */
  readonly partial?: readonly string[];
  /** Brings back what was there before, through `again`. */
  readonly token: string;
}

/** What an undo of files would do. */
export interface UndoableFiles {
  /** Files that the turns changed and that checkpoints hold; empty when there is nothing to put back. */
  readonly files: readonly string[];
  /** Directories whose checkpoint holds only what file tools named: what programs changed there is not known. */
  readonly partial: readonly string[];
}

/** Without an implementation checkpoints are off. Both methods bring every single file back whole or not at all. */
export interface TurnFiles {
  /** What `restore` would do; changes nothing. */
  changed(lineage: SessionId, turns: readonly TurnId[]): Promise<UndoableFiles>;
  /** Put files back to where they were before the first of these turns. @throws AppError when nothing could be done */
  restore(lineage: SessionId, turns: readonly TurnId[]): Promise<RestoredFiles>;
  /** Undo a `restore`. @throws E_NOT_FOUND when its checkpoint is gone */
  again(lineage: SessionId, token: string): Promise<RestoredFiles>;
}
