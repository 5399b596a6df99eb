import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { Disk } from "../../lib/base/fs/disk.js";

/** A checkpoint as `current` names it. */
export interface Checkpoint {
  /** Newest frame that is in it. */
  readonly seq: number;
  readonly bytes: number;
  readonly crc32: number;
  /** SQLite's own change counter: another tool that writes moves it, a damaged bit does not. */
  readonly change: number;
}

/** Content of `<store>.current`. No `prev`: the one before was purged, nothing may fall back on it. */
export interface Current {
  readonly store: string;
  readonly now: Checkpoint;
  readonly prev?: Checkpoint;
  /** Made by a purge: whatever is older than it has to go. */
  readonly purged?: boolean;
  /** The segment that takes the frames behind `now`. */
  readonly segment: number;
  readonly schema: number;
  readonly product: string;
  readonly sqlite: string;
}

/** Names of the files of one store. */
export interface StoreFiles {
  readonly disk: Disk;
  readonly dir: string;
  readonly db: string;
  readonly current: string;
  readonly currentNew: string;
  readonly prev: string;
  readonly next: string;
  readonly lost: string;
  /** Lies there while the store is open. Found at a start: the last owner did not end well, and the page cache may show what is not on the disk. */
  readonly inUse: string;
  segment(number: number): string;
}

export function storeFiles(disk: Disk, path: string): StoreFiles {
  return {
    disk,
    dir: dirname(path),
    db: path,
    current: `${path}.current`,
    currentNew: `${path}.current-new`,
    prev: `${path}.prev`,
    next: `${path}.next`,
    lost: `${path}.lost`,
    inUse: `${path}.in-use`,
    segment: (number) => `${path}.log-${number}`,
  };
}

/** Numbers of the journal segments that are there, ascending. */
export function listSegments(files: StoreFiles): number[] {
  const prefix = `${basename(files.db)}.log-`;
  const numbers = files.disk.list(files.dir).flatMap((name) => {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    return /^[1-9]\d{0,14}$/.test(rest) ? [Number(rest)] : [];
  });
  return numbers.sort((a, b) => a - b);
}

export function describe(bytes: Buffer, seq: number): Checkpoint {
  return { seq, bytes: bytes.length, crc32: crc32(bytes), change: changeCounter(bytes) };
}

export function changeCounter(bytes: Buffer): number {
  return bytes.length >= 28 ? bytes.readUInt32BE(24) : 0;
}

export function matches(bytes: Buffer | undefined, checkpoint: Checkpoint | undefined): bytes is Buffer {
  if (bytes === undefined || checkpoint === undefined) return false;
  return bytes.length === checkpoint.bytes && crc32(bytes) === checkpoint.crc32;
}

/** What names the checkpoints of a store. `damaged`: it is there and not readable. */
export function readCurrent(files: StoreFiles): Current | "missing" | "damaged" {
  const bytes = files.disk.readFile(files.current);
  return bytes === undefined ? "missing" : (parseCurrent(bytes.toString("utf8")) ?? "damaged");
}

/** The checkpoints that are named; undefined where nothing readable names any. */
export function namedCheckpoints(files: StoreFiles): Current | undefined {
  const current = readCurrent(files);
  return typeof current === "string" ? undefined : current;
}

export const restoreHint = "agent doctor checks the store; restore the newest backup, or move the files away";

function parseCurrent(text: string): Current | undefined {
  try {
    const found: Current = JSON.parse(text);
    const whole =
      typeof found.store === "string" &&
      isCheckpoint(found.now) &&
      (found.prev === undefined || isCheckpoint(found.prev));
    return whole && typeof found.schema === "number" && typeof found.segment === "number" ? found : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function isCheckpoint(found: Checkpoint): boolean {
  return [found.seq, found.bytes, found.crc32, found.change].every((value) => typeof value === "number");
}

/** Write a whole new file and sync it; its name is durable after `syncDir`. */
export function writeSynced(disk: Disk, path: string, bytes: Uint8Array): void {
  const file = disk.open(path, "create");
  try {
    file.write(bytes, 0);
    file.syncNow();
  } finally {
    file.close();
  }
}

/** Replace `current` in one step. Not durable before `syncDir`. */
export function replaceCurrent(files: StoreFiles, current: Current): void {
  writeSynced(files.disk, files.currentNew, Buffer.from(`${JSON.stringify(current)}\n`));
  files.disk.rename(files.currentNew, files.current);
}

const LOST_ENTRIES = 20;
const LOST_BYTES = 64 << 20;

/** Keep what recovery takes out, with a note, so that its worth can be judged. Oldest entries go first. */
export function keepLost(files: StoreFiles, name: string, bytes: Buffer, why: string): void {
  const { disk, lost } = files;
  disk.mkdir(lost);
  const taken = disk.list(lost).filter((entry) => entry.endsWith(".bin"));
  const number = 1 + Math.max(0, ...taken.map((entry) => Number.parseInt(entry, 10) || 0));
  const stem = join(lost, `${String(number).padStart(6, "0")}-${name}`);
  writeSynced(disk, `${stem}.bin`, bytes.subarray(0, LOST_BYTES));
  writeSynced(disk, `${stem}.txt`, Buffer.from(`${why}\n${bytes.length} bytes\n`));
  disk.syncDir(lost);
  disk.syncDir(files.dir);
  trimLost(files);
}

function trimLost({ disk, lost }: StoreFiles): void {
  const entries = disk.list(lost).filter((entry) => entry.endsWith(".bin"));
  let bytes = 0;
  for (const [age, entry] of entries.reverse().entries()) {
    bytes += disk.readFile(join(lost, entry))?.length ?? 0;
    if (age < LOST_ENTRIES && bytes <= LOST_BYTES) continue;
    disk.remove(join(lost, entry));
    disk.remove(join(lost, entry.replace(/\.bin$/, ".txt")));
  }
}
