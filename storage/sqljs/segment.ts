import { faultPoint } from "../../lib/base/fault.js";
import type { Disk, DiskFile } from "../../lib/base/fs/disk.js";
import type { Ahead } from "./ahead.js";
import { decodeFrame, encodeFrame, HEAD_BYTES, MAGIC_BYTES } from "./frame.js";
import type { Dictionary } from "./payload.js";

/** Head of a journal segment: its frame 0, checksummed with salt 0. */
export interface SegmentHead {
  readonly v: 1;
  readonly store: string;
  readonly segment: number;
  /** seq of its first frame. */
  readonly first: number;
  readonly salt: number;
  readonly product: string;
  readonly sqlite: string;
  readonly schema: number;
}

export type HeadFound =
  | { readonly kind: "ok"; readonly head: SegmentHead; readonly end: number }
  | { readonly kind: "torn" }
  | { readonly kind: "damaged" }
  | { readonly kind: "newer"; readonly version: unknown };

/** Read the head. Torn: a crash while the segment was made, so nothing can follow it. */
export function readHead(bytes: Buffer): HeadFound {
  const frame = decodeFrame(bytes, 0, 0);
  if (!frame) return mayBeTorn(bytes) ? { kind: "torn" } : { kind: "damaged" };
  const head: SegmentHead = JSON.parse(frame.payload.toString("utf8")); // the checksum proves that a segment was begun with it
  return head.v === 1 ? { kind: "ok", head, end: frame.end } : { kind: "newer", version: head.v };
}

/** A head is durable before anything stands behind it: not even zeros that are allocated ahead follow a torn one. */
function mayBeTorn(bytes: Buffer): boolean {
  return bytes.length < HEAD_BYTES + 1024 && bytes.indexOf(MAGIC_BYTES, 1) < 0;
}

/** A segment as far as it is known: where its last frame ends, and the statements that it has defined. */
interface Known {
  readonly head: SegmentHead;
  readonly size: number;
  readonly dictionary: Dictionary;
}

/** The segment that takes new frames. One append at a time, each followed by its sync. Behind the last frame stand zeros or nothing. */
export class Segment {
  readonly head: SegmentHead;
  readonly dictionary: Dictionary;
  readonly #file: DiskFile;
  readonly #ahead: Ahead;
  /** End of the last frame. */
  #size: number;
  /** Appended here, by this process. */
  #appended = 0;
  /** Up to where the file is filled with zeros. */
  #allocated = 0;
  /** The disk had no room for it once: frames alone are what it is for then. */
  #noRoom = false;

  private constructor(file: DiskFile, found: Known, ahead: Ahead) {
    this.head = found.head;
    this.#file = file;
    this.#size = found.size;
    this.dictionary = found.dictionary;
    this.#ahead = ahead;
  }

  /** Make the file with its head, durable, its name too. What failed half-way is removed. */
  static create(disk: Disk, at: { dir: string; path: string }, head: SegmentHead, ahead: Ahead): Segment {
    const { dir, path } = at;
    const bytes = encodeFrame(0, Buffer.from(JSON.stringify(head)), 0);
    const file = disk.open(path, "create");
    try {
      file.write(bytes, 0);
      file.syncNow();
      disk.syncDir(dir);
      return new Segment(file, { head, size: bytes.length, dictionary: new Map() }, ahead);
    } catch (error) {
      file.close();
      disk.remove(path);
      throw error;
    }
  }

  /** Go on after the last good frame of a segment that recovery has read. The file ends there. */
  static resume(disk: Disk, path: string, found: Known, ahead: Ahead): Segment {
    return new Segment(disk.open(path, "update"), found, ahead);
  }

  get size(): number {
    return this.#size;
  }

  /** Write a frame behind the last one. After an error `cutBack` must be called. @returns bytes that the sync has to bring to the disk */
  append(seq: number, payload: Buffer): number {
    const frame = encodeFrame(seq, payload, this.head.salt);
    faultPoint("store.append.before");
    this.#file.write(frame, this.#size);
    this.#size += frame.length;
    this.#appended += frame.length;
    const zeros = this.#allocate();
    faultPoint("store.append.after");
    return frame.length + zeros;
  }

  /**
   * Zeros behind the frame, which stands there whole already: whether or not they are written, in a full disk or a power loss, the frame has its own fate. The
   * same sync covers both.
   */
  #allocate(): number {
    const { after, chunk, over } = this.#ahead;
    if (this.#noRoom || this.#appended < after || this.#size <= this.#allocated) return 0;
    const from = over === true ? this.#size - (this.#size % 512) : this.#size;
    const until = (Math.floor(this.#size / chunk) + 1) * chunk;
    try {
      this.#file.write(Buffer.alloc(until - from), from);
      this.#allocated = until;
      return until - from;
    } catch {
      /* ok to lose: the frame is there. If the disk is to blame and not its room, the sync tells. */
      this.#noRoom = true;
      this.#giveBack();
      return 0;
    }
  }

  /** Others need the room. */
  #giveBack(): void {
    try {
      this.#file.truncate(this.#size);
    } catch {
      /* ok to lose: zeros behind the frame are harmless. */
    }
  }

  /** Cut off what a failed append left, and what was allocated ahead of it, durable. */
  cutBack(): void {
    this.#allocated = 0;
    this.#file.truncate(this.#size);
    this.#file.syncNow();
  }

  /** What `append` must forget when its bytes are left behind; only sabotage wants that. */
  skipTo(size: number): void {
    this.#size = Math.max(this.#size, size);
  }

  fileSize(): number {
    return this.#file.size();
  }

  async sync(): Promise<void> {
    await this.#file.sync();
    faultPoint("store.sync.after");
  }

  /** The same, and nothing else runs until it is done. */
  syncNow(): void {
    this.#file.syncNow();
    faultPoint("store.sync.after");
  }

  close(): void {
    this.#file.close();
  }
}
