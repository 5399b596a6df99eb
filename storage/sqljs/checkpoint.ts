import { setImmediate } from "node:timers/promises";
import { faultPoint } from "../../lib/base/fault.js";
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
}

/** Bytes that are written in one turn of the event loop. */
const PORTION = 512 << 10;

/** Write `.next`, synced, in portions: commits go on beside it. Until here a failure costs nothing: the journal holds everything. */
export async function writeNext({ files, bytes }: Plan): Promise<void> {
  const file = files.disk.open(files.next, "create");
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
}

/** Name the new checkpoint. From here on recovery goes on with it, so a failure means that nobody knows what is on the disk. */
export function name(plan: Plan): Kept {
  const { files, purge } = plan;
  const db = describe(plan.bytes, plan.seq);
  const prev = purge ? undefined : (plan.db ?? plan.prev);
  const segment = plan.segments.at(-1)?.number ?? 0;
  replaceCurrent(files, { ...plan.about, segment, now: db, ...(prev ? { prev } : {}), ...(purge ? { purged: true } : {}) });
  files.disk.syncDir(files.dir);
  if (plan.db && !purge) files.disk.rename(files.db, files.prev);
  files.disk.rename(files.next, files.db);
  files.disk.syncDir(files.dir);
  faultPoint("store.checkpoint.renamed");
  return { db, prev };
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
