/** Checkpoints of project directories and rollback as every part of the product sees them (core part, 24). */
import type { EpochMs, SessionId, TurnId } from "../../base/units.js";

/** Who asked for a checkpoint. */
export interface CheckpointOrigin {
  readonly lineage: SessionId;
  readonly session: SessionId;
  readonly turn: TurnId;
  /** Model response within the turn, from 1; 0: not in a round. */
  readonly round: number;
  /** The turn runs in another process, which may die without a word. */
  readonly elsewhere?: true;
  /** The turn that sent a child whose turn it is: an undo of that one brings the files back. */
  readonly answersTo?: { readonly lineage: SessionId; readonly turn: TurnId };
}

/** `before`: a changing call or turn follows. `after`: a turn has ended. `hand`: asked for. `rollback`: a rollback follows. */
export type CheckpointKind = "before" | "after" | "hand" | "rollback";

/** Why only what file tools name is kept of a directory. */
export type PartialReason = "entries" | "time" | "size";

export interface CheckpointRecord {
  /** 8 hex digits. */
  readonly id: string;
  readonly directory: string;
  readonly lineage: string | null;
  readonly session: string | null;
  readonly turn: string | null;
  readonly round: number;
  /** Grows within the directory. */
  readonly seq: number;
  readonly made_at: EpochMs;
  readonly kind: CheckpointKind;
  readonly reason: string;
  readonly parent: string | null;
  /** Files and links that it holds. */
  readonly files: number;
  /** Present: not the whole directory was kept. */
  readonly partial?: PartialReason;
}

/** A row of a list, newest first. */
export interface CheckpointRow extends CheckpointRecord {
  /** 1 is the newest; null for the state after the last turn, which is where the directory is now. */
  readonly n: number | null;
  /** What the step behind it changed: until the next checkpoint, or until now. */
  readonly changed: ChangeCounts;
}

/** Lines are counted in texts alone. */
export interface ChangeCounts {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export type ChangeKind = "create" | "change" | "remove" | "mode";

/** What a rollback would do to one path. */
export interface PlannedChange {
  /** Relative to the directory. */
  readonly path: string;
  readonly change: ChangeKind;
  readonly entry: "file" | "link" | "directory";
  /** Unified difference from the present to the checkpoint; empty for a file without text. */
  readonly diff?: string;
}

export interface SkippedPath {
  readonly path: string;
  readonly why: string;
}

export interface CheckpointDiff {
  readonly checkpoint: CheckpointRecord;
  readonly changes: readonly PlannedChange[];
  /** What a rollback without `force` leaves as it is. */
  readonly skipped: readonly SkippedPath[];
  /** Paths of `changes` that were changed by something other than the agent; only `force` touches them. */
  readonly outside: readonly string[];
}

export interface RestoreReport {
  readonly checkpoint: CheckpointRecord;
  readonly directory: string;
  /** Checkpoint of the state before: rolling back to it undoes this. */
  readonly before: string;
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  readonly skipped: readonly SkippedPath[];
  /** What could not be done; each of these files is as it was. */
  readonly failed: readonly SkippedPath[];
}

/** A checkpoint as people name it: its number in the list of a directory, or an id of 4 to 8 hex digits. */
export interface RestoreRequest {
  readonly which: string;
  /** Needed for a number; an id is found without. */
  readonly directory?: string;
  /** Relative to the directory: only this file, or what is below this directory. */
  readonly file?: string;
  /** Also what was changed by others than the agent. */
  readonly force?: boolean;
  /** Who is named in the event `checkpoint.restored`. */
  readonly session?: SessionId;
}

export interface CheckpointStatus {
  readonly enabled: boolean;
  readonly store: string;
  readonly size_bytes: number;
  readonly max_total_size_mb: number;
  readonly max_snapshots: number;
  readonly max_file_size_mb: number;
  readonly retention_days: number;
  readonly projects: readonly {
    readonly directory: string;
    readonly checkpoints: number;
    readonly last_touch: EpochMs;
    readonly exists: boolean;
  }[];
  /** Stores of an older layout that were set aside. */
  readonly legacy: readonly string[];
  /** Files of checkpoints that cannot be read. */
  readonly damaged: number;
}

export interface Pruned {
  readonly projects: number;
  readonly checkpoints: number;
  readonly freed_bytes: number;
  readonly size_bytes: number;
}

/** The checkpoints of this owner. */
export interface CheckpointApi {
  status(): Promise<CheckpointStatus>;
  /** Newest first; without a directory those of all. Default 20. */
  list(filter: { readonly directory?: string; readonly limit?: number }): Promise<readonly CheckpointRow[]>;
  /** @throws E_NOT_FOUND, E_AMBIGUOUS */
  find(which: string, directory?: string): Promise<CheckpointRecord>;
  /** Paths of a checkpoint with what is known of each. @throws E_NOT_FOUND, E_AMBIGUOUS */
  show(
    which: string,
    directory?: string,
  ): Promise<{ readonly checkpoint: CheckpointRecord; readonly entries: readonly ShownEntry[] }>;
  /** What a rollback would do. Changes nothing. */
  diff(request: Omit<RestoreRequest, "force" | "session">): Promise<CheckpointDiff>;
  /** @throws E_NOT_FOUND, E_AMBIGUOUS, E_INVALID (a file outside), E_RUNNING (a turn is changing the directory) */
  restore(request: RestoreRequest): Promise<RestoreReport>;
  /** One by hand. Undefined `made`: nothing has changed since the newest, whose reason it now has. */
  make(
    directory: string,
    note: string,
    session?: SessionId,
  ): Promise<{ readonly checkpoint: CheckpointRecord; readonly made: boolean }>;
  prune(limits: {
    readonly retentionDays?: number;
    readonly maxSizeMb?: number;
    readonly keepOrphans?: boolean;
  }): Promise<Pruned>;
  /** Remove every checkpoint. */
  clear(): Promise<Pruned>;
  /** Remove what older layouts left. @returns the directories that were removed */
  clearLegacy(): Promise<readonly string[]>;
  /** The project directory that a path belongs to. `within`: the directory of the conversation, where no project begins above the path. */
  directoryOf(path: string, env: Readonly<Record<string, string | undefined>>, within?: string): Promise<string>;
}

export interface ShownEntry {
  readonly path: string;
  readonly kind: "file" | "link" | "directory" | "skipped" | "absent";
  readonly mode?: number;
  readonly size?: number;
  readonly target?: string;
  readonly hash?: string;
  readonly why?: string;
}

/** A state to keep before something changes it, or after. */
export interface TakeCheckpoint {
  readonly directory: string;
  /** Absolute paths that a file tool names: kept whatever rules leave out. */
  readonly named: readonly string[];
  readonly kind: "before" | "after";
  readonly reason: string;
  readonly origin: CheckpointOrigin;
}

export interface TakenCheckpoint {
  /** The checkpoint that holds this state; undefined: the directory is one that is never kept. */
  readonly checkpoint?: CheckpointRecord;
  /** It was made now; else nothing had changed since it was made. */
  readonly made: boolean;
  /** Said once for each directory. */
  readonly notice?: string;
  /** At the end of a turn: absolute path of what it changed -> SHA-256 of what is there now, or `absent`, `directory`, `link:<target>`. */
  readonly changed?: Readonly<Record<string, string>>;
}

/** What the turns of a conversation use. @throws when a state cannot be kept; the caller goes on without */
export interface CheckpointTaker {
  take(input: TakeCheckpoint, signal?: AbortSignal): Promise<TakenCheckpoint>;
  /** The turn is over, with or without a checkpoint behind it: other turns and rollbacks may work on the directory. */
  release(directory: string, turn: TurnId): Promise<void>;
  /** The project directory that a path belongs to. */
  directoryOf(path: string, env: Readonly<Record<string, string | undefined>>, within?: string): Promise<string>;
}

/**
 * Record `files_changed` of a lineage: absolute path -> SHA-256 of what the agent last left there, `absent`, `link:<target>`, or `unknown` (a
 * file that is too large to be read). Newest last, at most 2,000.
 */
export type FilesChanged = Readonly<Record<string, string>>;
export const FILES_CHANGED = "files_changed";
