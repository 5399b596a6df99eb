import { createHash } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRaw } from "node:zlib";
import { AppError } from "../base/errors.js";
import { faultPoint } from "../base/fault.js";
import type { Disk, DiskFile } from "../base/fs/disk.js";

/**
 * Contents by their SHA-256, compressed, in packs: files that are written once, synced, and given their name when they are whole. A pack is
 * the compressed contents one behind the other, then its index as JSON, then 12 bytes: the length of the index and a mark.
 */
export interface Contents {
  has(hash: string): boolean;
  /** @throws E_STORE when it is not there or damaged */
  read(hash: string): Promise<Buffer>;
  /** A pack for new contents. Nothing of it is there before `finish`. */
  begin(): PackWriter;
  /** Remove what `used` does not name. @returns bytes that were freed */
  collect(used: ReadonlySet<string>): Promise<number>;
  /** Bytes of all packs. */
  size(): number;
}

export interface PackWriter {
  /** Harmless for a content that is there already. */
  add(hash: string, bytes: Uint8Array): Promise<void>;
  /** Durable when it resolves. */
  finish(): Promise<void>;
  /** Nothing stays. Harmless after `finish`. */
  drop(): void;
}

interface Place {
  readonly pack: string;
  readonly at: number;
  readonly length: number;
  readonly raw: boolean;
}

interface Pack {
  readonly size: number;
  readonly hashes: readonly string[];
}

const MARK = "AGENTPK1";
const TAIL_BYTES = 12;
/** Smaller contents are compressed at once; a trip through the thread pool takes longer. */
const SMALL_BYTES = 8 << 10;
/** A window that fits: preparing the usual one takes longer than the work. */
const SMALL = { level: 1, windowBits: 13, memLevel: 5 } as const;
/** Smaller contents stay as they are. */
const TINY_BYTES = 128;
const BUFFER_BYTES = 1 << 20;
/** A pack of which less than this is in use is written again. */
const LIVE_SHARE = 0.5;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

type Index = Map<string, Place>;
type Packs = Map<string, Pack>;

interface Opened {
  readonly disk: Disk;
  readonly dir: string;
  readonly name: () => string;
  readonly index: Index;
  readonly packs: Packs;
}

/**
 * Open the contents in `dir`. A pack whose index cannot be read is left where it is and told as damaged: what it held is missing.
 * @param name Draws the name of a new pack.
 */
export function openContents(
  disk: Disk,
  dir: string,
  name: () => string,
): Contents & { readonly damaged: readonly string[] } {
  const opened: Opened = { disk, dir, name, index: new Map(), packs: new Map() };
  const damaged: string[] = [];
  for (const file of disk.list(dir)) {
    if (!file.endsWith(".pack")) continue;
    const index = readIndex(disk, join(dir, file));
    if (index === undefined) damaged.push(file);
    else learn(opened, file, index.size, index.rows);
  }
  return {
    damaged,
    has: (hash) => opened.index.has(hash),
    read: (hash) => read(opened, hash),
    begin: () => beginPack(opened),
    collect: (used) => collect(opened, used),
    size: () => [...opened.packs.values()].reduce((sum, pack) => sum + pack.size, 0),
  };
}

type IndexRow = readonly [hash: string, at: number, length: number, raw: 0 | 1];

function learn({ index, packs }: Opened, pack: string, size: number, rows: readonly IndexRow[]): void {
  packs.set(pack, { size, hashes: rows.map(([hash]) => hash) });
  for (const [hash, at, length, raw] of rows) index.set(hash, { pack, at, length, raw: raw === 1 });
}

function readIndex(disk: Disk, path: string): { size: number; rows: readonly IndexRow[] } | undefined {
  const file = disk.open(path, "read");
  try {
    const size = file.size();
    if (size < TAIL_BYTES) return undefined;
    const tail = file.read(size - TAIL_BYTES, TAIL_BYTES);
    const length = tail.readUInt32BE(0);
    if (tail.subarray(4).toString("latin1") !== MARK || length > size - TAIL_BYTES) return undefined;
    const rows = JSON.parse(file.read(size - TAIL_BYTES - length, length).toString("utf8")) as unknown;
    return isIndex(rows) ? { size, rows } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    file.close();
  }
}

const isIndex = (rows: unknown): rows is readonly IndexRow[] =>
  Array.isArray(rows) &&
  rows.every((row) => Array.isArray(row) && typeof row[0] === "string" && typeof row[1] === "number");

async function read(opened: Opened, hash: string): Promise<Buffer> {
  const stored = bytesAt(opened, hash);
  const place = opened.index.get(hash);
  let bytes: Buffer | undefined;
  try {
    bytes = place?.raw === true ? stored : await inflate(stored);
  } catch {
    bytes = undefined; // what cannot be unpacked is damaged, as is what has another hash
  }
  if (bytes === undefined || hashOf(bytes) !== hash) throw damagedContent(opened, place?.pack ?? "", hash);
  return bytes;
}

const damagedContent = ({ dir }: Opened, pack: string, hash: string) =>
  new AppError("E_STORE", `stored content ${hash.slice(0, 12)} in ${join(dir, pack)} is damaged`, {
    hint: "other checkpoints may have the file: agent checkpoints list",
  });

function bytesAt({ disk, dir, index }: Opened, hash: string): Buffer {
  const place = index.get(hash);
  if (place === undefined)
    throw new AppError("E_STORE", `stored content ${hash.slice(0, 12)} is missing from ${dir}`, {
      hint: "other checkpoints may have the file: agent checkpoints list",
    });
  const file = disk.open(join(dir, place.pack), "read");
  try {
    return file.read(place.at, place.length);
  } finally {
    file.close();
  }
}

interface Draft {
  readonly opened: Opened;
  readonly path: string;
  file: DiskFile | undefined;
  rows: IndexRow[];
  waiting: Buffer[];
  waitingBytes: number;
  /** Bytes before the waiting ones. */
  written: number;
}

function beginPack(opened: Opened): PackWriter {
  const name = `${opened.name()}.pack`;
  const draft: Draft = {
    opened,
    path: join(opened.dir, `${name}.part`),
    file: undefined,
    rows: [],
    waiting: [],
    waitingBytes: 0,
    written: 0,
  };
  const taken = new Set<string>();
  return {
    add: async (hash, bytes) => {
      if (opened.index.has(hash) || taken.has(hash)) return;
      taken.add(hash);
      const packed = await compress(bytes);
      put(draft, hash, packed ?? Buffer.from(bytes), packed === undefined);
    },
    finish: () => finish(draft, name),
    drop: () => drop(draft),
  };
}

/** Undefined: it would not become smaller. */
async function compress(bytes: Uint8Array): Promise<Buffer | undefined> {
  if (bytes.length < TINY_BYTES) return undefined;
  const packed = bytes.length > SMALL_BYTES ? await deflate(bytes, { level: 1 }) : deflateRawSync(bytes, SMALL);
  return packed.length < bytes.length ? packed : undefined;
}

function put(draft: Draft, hash: string, stored: Buffer, raw: boolean): void {
  draft.rows.push([hash, draft.written + draft.waitingBytes, stored.length, raw ? 1 : 0]);
  draft.waiting.push(stored);
  draft.waitingBytes += stored.length;
  if (draft.waitingBytes >= BUFFER_BYTES) flush(draft);
}

function flush(draft: Draft): void {
  draft.file ??= draft.opened.disk.open(draft.path, "create");
  draft.file.write(Buffer.concat(draft.waiting), draft.written);
  draft.written += draft.waitingBytes;
  draft.waiting = [];
  draft.waitingBytes = 0;
}

async function finish(draft: Draft, name: string): Promise<void> {
  const { opened, rows } = draft;
  if (rows.length === 0) return;
  const index = Buffer.from(JSON.stringify(rows));
  const tail = Buffer.alloc(TAIL_BYTES, MARK.padStart(TAIL_BYTES), "latin1");
  tail.writeUInt32BE(index.length, 0);
  draft.waiting.push(index, tail);
  draft.waitingBytes += index.length + TAIL_BYTES;
  flush(draft);
  await draft.file?.sync();
  draft.file?.close();
  faultPoint("checkpoint.contents-written");
  opened.disk.rename(draft.path, join(opened.dir, name));
  opened.disk.syncDir(opened.dir);
  learn(opened, name, draft.written, rows);
  draft.rows = [];
  draft.file = undefined;
}

function drop(draft: Draft): void {
  draft.rows = [];
  draft.file?.close();
  if (draft.file !== undefined) draft.opened.disk.remove(draft.path);
  draft.file = undefined;
}

async function collect(opened: Opened, used: ReadonlySet<string>): Promise<number> {
  let freed = 0;
  if (used.size === 0) dropDamaged(opened);
  for (const [name, pack] of [...opened.packs]) {
    const live = pack.hashes.filter((hash) => used.has(hash) && opened.index.get(hash)?.pack === name);
    const bytes = live.reduce((sum, hash) => sum + (opened.index.get(hash)?.length ?? 0), 0);
    if (live.length === pack.hashes.length || bytes > pack.size * LIVE_SHARE) continue;
    freed += pack.size - (await rewrite(opened, name, live));
  }
  return freed;
}

/** It is not needed: what cannot be read is not a loss either. */
function dropDamaged({ disk, dir, packs }: Opened): void {
  for (const name of disk.list(dir)) if (name.endsWith(".pack") && !packs.has(name)) disk.remove(join(dir, name));
}

/** Take what is in use to a pack of its own, then let go of the old one. A crash between leaves both, which say the same. */
async function rewrite(opened: Opened, name: string, live: readonly string[]): Promise<number> {
  const { disk, dir, index, packs } = opened;
  let size = 0;
  if (live.length > 0) {
    const next = `${opened.name()}.pack`;
    const draft: Draft = {
      opened,
      path: join(dir, `${next}.part`),
      file: undefined,
      rows: [],
      waiting: [],
      waitingBytes: 0,
      written: 0,
    };
    try {
      for (const hash of live) put(draft, hash, bytesAt(opened, hash), index.get(hash)?.raw === true);
      await finish(draft, next);
    } finally {
      drop(draft);
    }
    size = packs.get(next)?.size ?? 0;
  }
  faultPoint("checkpoint.collecting");
  for (const hash of packs.get(name)?.hashes ?? []) if (index.get(hash)?.pack === name) index.delete(hash);
  packs.delete(name);
  disk.remove(join(dir, name));
  disk.syncDir(dir);
  return size;
}
