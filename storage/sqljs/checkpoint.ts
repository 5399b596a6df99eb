import { setImmediate } from "node:timers/promises";
import { AppError } from "../../lib/base/errors.js";
import { faultPoint } from "../../lib/base/fault.js";
import { refused } from "../errors.js";
import { type Checkpoint, type Current, describe, listSegments, replaceCurrent, type StoreFiles } from "./files.js";

/** A checkpoint whose segment is there already: what remains is to give its bytes their name. */
export interface Plan {
  readonly files: StoreFiles;
  readonly bytes: Buffer;
  /** Newest frame in `bytes`. */
  readonly seq: number;
  /** The checkpoint that lies in `kanban.db` now and becomes `.prev`. */
  readonly db: Checkpoint | undefined;
  /** The one in `.prev`, kept when there is nothing in `kanban.db`. */
  readonly prev: Checkpoint | undefined;
  /** The files as this process left them. */
  readonly ours: Ours;
  readonly purge: boolean;
  readonly about: Pick<Current, "store" | "schema" | "product" | "sqlite">;
  /** Segments that are known, with their first frame. The last one takes new frames. */
  readonly segments: readonly KnownSegment[];
}

export interface KnownSegment {
  readonly number: number;
  readonly first: number;
}

/** Which checkpoints the files hold after `finish`. */
export interface Kept {
  readonly db: Checkpoint;
  readonly prev: Checkpoint | undefined;
  readonly ours: Ours;
}

/** Identities of files that only the owner replaces; undefined for a missing one. */
export interface Ours {
  readonly db: string | undefined;
  readonly current: string | undefined;
}

/** What the owner finds when it opens a store, and leaves after each checkpoint. */
export function identify({ disk, db, current }: StoreFiles): Ours {
  return { db: disk.identity(db), current: disk.identity(current) };
}

/** Another process has made a checkpoint of the same store: this one owns it no longer. */
export class OtherOwner extends AppError {
  constructor(path: string) {
    const hint = "stop the other process that uses this home, then start again; nothing was changed";
    super("E_STORE", `${path} was replaced by another process; checkpoint cancelled`, {
      reason: "foreign",
      path,
      hint,
    });
  }
}

/** Bytes that are written in one turn of the event loop. */
const PORTION = 512 << 10;

/** Write `.next`, synced, in portions: commits go on beside it. Until here a failure costs nothing: the journal holds everything. */
export async function writeNext({ files, bytes }: Plan): Promise<string | undefined> {
  const file = files.disk.open(files.next, "create");
  const written = files.disk.identity(files.next);
  try {
    for (let at = 0; at < bytes.length; at += PORTION) {
      if (at > 0) await setImmediate();
      file.write(bytes.subarray(at, at + PORTION), at);
    }
    await file.sync();
  } finally {
    file.close();
  }
  files.disk.syncDir(files.dir); // `current` must never name a file that has no name yet
  faultPoint("store.checkpoint.written");
  return written;
}

/**
 * Look whether every file that is about to get another name is still the one that this process wrote.
 *
 * @param written what `writeNext` has written
 * @throws OtherOwner when another process makes checkpoints here; E_STORE `foreign` when only the checkpoint was replaced. Nothing was changed.
 */
function refuseOthers({ files, ours, db }: Plan, written: string | undefined): void {
  const { disk } = files;
  if (disk.identity(files.next) !== written) throw new OtherOwner(files.next);
  const current = disk.identity(files.current);
  if (current !== undefined && current !== ours.current) throw new OtherOwner(files.current);
  const there = disk.identity(files.db);
  if (db === undefined || there === undefined || there === ours.db) return;
  throw refused(
    "foreign",
    `${files.db} was replaced while in use; checkpoint cancelled, all changes are in its journal`,
    {
      path: files.db,
      hint: "stop the owner, then check the file with agent doctor",
    },
  );
}

/**
 * Name the new checkpoint. A refusal has changed nothing. Once `current` names it recovery continues with it, so any other failure means that it is unknown
 * what is on the disk.
 *
 * @param written what `writeNext` has written
 */
export function name(plan: Plan, written: string | undefined): Kept {
  const { files, purge } = plan;
  refuseOthers(plan, written);
  const db = describe(plan.bytes, plan.seq);
  const before = files.disk.identity(files.db) === undefined ? undefined : plan.db; // gone meanwhile: `.prev` stays what it is
  const prev = purge ? undefined : (before ?? plan.prev);
  const segment = plan.segments.at(-1)?.number ?? 0;
  replaceCurrent(files, {
    ...plan.about,
    segment,
    now: db,
    ...(prev ? { prev } : {}),
    ...(purge ? { purged: true } : {}),
  });
  files.disk.syncDir(files.dir);
  if (before && !purge) files.disk.rename(files.db, files.prev);
  files.disk.rename(files.next, files.db);
  files.disk.syncDir(files.dir);
  faultPoint("store.checkpoint.renamed");
  return { db, prev, ours: identify(files) };
}

/** Remove segments that end at or before the checkpoint that recovery may still fall back on, never later ones. */
export function removeSegments(plan: Plan, prev: Checkpoint | undefined): KnownSegment[] {
  const { files, segments } = plan;
  const keepFrom = prev?.seq ?? plan.seq;
  const kept = segments.filter((_, at) => (segments[at + 1]?.first ?? Number.POSITIVE_INFINITY) - 1 > keepFrom);
  removeBelow(files, kept[0]?.number ?? 0);
  return kept;
}

/** Remove every file that may hold purged text; `kept` are the segments behind the checkpoint. Done again at the next start when interrupted. */
export function removeOld(files: StoreFiles, kept: readonly KnownSegment[]): void {
  files.disk.remove(files.prev);
  files.disk.remove(files.lost);
  removeBelow(files, kept[0]?.number ?? 0);
  files.disk.syncDir(files.dir);
}

function removeBelow(files: StoreFiles, oldest: number): void {
  for (const number of listSegments(files)) if (number < oldest) files.disk.remove(files.segment(number));
}
