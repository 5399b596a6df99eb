/** Header of a write-ahead log, and of each frame in it (SQLite's file format, section 4). */
const HEAD = 32;
const FRAME = 24;
const MAGIC = 0x377f0682;
/** Places of the two bytes of a database that say "write-ahead log" (2) or "rollback journal" (1). */
const MODES = [18, 19];

/** The database is used with a write-ahead log: its newest commits may lie beside it. */
export const usesWal = (db: Buffer): boolean => db.length >= 100 && MODES.some((at) => db[at] === 2);

/**
 * A database with the commits of its write-ahead log in it, ready to be read without one. Frames behind the last whole commit are left out,
 * as SQLite itself does after a crash; a log that does not belong to the file changes nothing.
 */
export function mergeWal(db: Buffer, wal: Buffer | undefined): Buffer {
  const pages = wal === undefined ? undefined : committedPages(wal);
  const merged = pages === undefined ? Buffer.from(db) : withPages(db, pages);
  if (merged.length >= 100) for (const at of MODES) merged[at] = 1;
  return merged;
}

interface Pages {
  readonly size: number;
  /** Pages of the database after the last commit. */
  readonly count: number;
  readonly found: ReadonlyMap<number, Buffer>;
}

function withPages(db: Buffer, { size, count, found }: Pages): Buffer {
  const merged = Buffer.alloc(count * size);
  db.copy(merged, 0, 0, Math.min(db.length, merged.length));
  for (const [number, page] of found) if (number <= count) page.copy(merged, (number - 1) * size);
  return merged;
}

/** The newest version of each page that was committed; undefined when the log holds no commit. */
function committedPages(wal: Buffer): Pages | undefined {
  if (wal.length < HEAD + FRAME) return undefined;
  const magic = wal.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== MAGIC) return undefined;
  const size = wal.readUInt32BE(8);
  if (size < 512 || size > 65_536 || (size & (size - 1)) !== 0) return undefined;
  const sums = checksums((magic & 1) === 1);
  let sum = sums([0, 0], wal.subarray(0, 24));
  if (sum[0] !== wal.readUInt32BE(24) || sum[1] !== wal.readUInt32BE(28)) return undefined;
  const pending = new Map<number, Buffer>();
  const found = new Map<number, Buffer>();
  let count = 0;
  for (let at = HEAD; at + FRAME + size <= wal.length; at += FRAME + size) {
    const page = wal.subarray(at + FRAME, at + FRAME + size);
    if (wal.compare(wal, 16, 24, at + 8, at + 16) !== 0) break; // of an earlier log in the same file
    sum = sums(sums(sum, wal.subarray(at, at + 8)), page);
    if (sum[0] !== wal.readUInt32BE(at + 16) || sum[1] !== wal.readUInt32BE(at + 20)) break;
    pending.set(wal.readUInt32BE(at), page);
    const committed = wal.readUInt32BE(at + 4);
    if (committed === 0) continue;
    for (const [number, bytes] of pending) found.set(number, bytes);
    pending.clear();
    count = committed;
  }
  return count === 0 ? undefined : { size, count, found };
}

type Sum = readonly [number, number];

function checksums(bigEndian: boolean) {
  return (start: Sum, bytes: Buffer): Sum => {
    let [a, b] = start;
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      a = (a + (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0;
      b = (b + (bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0;
    }
    return [a, b];
  };
}
