import type { Disk, DiskFile } from "../../lib/base/disk.js";
import { faultPoint } from "../../lib/base/fault.js";
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

function mayBeTorn(bytes: Buffer): boolean {
  return bytes.length < HEAD_BYTES + 1024 && bytes.indexOf(MAGIC_BYTES, 1) < 0;
}

/** The segment that takes new frames. One append at a time, each followed by its sync. */
export class Segment {
  readonly head: SegmentHead;
  readonly dictionary: Dictionary;
  readonly #file: DiskFile;
  #size: number;

  private constructor(head: SegmentHead, file: DiskFile, size: number, dictionary: Dictionary) {
    this.head = head;
    this.#file = file;
    this.#size = size;
    this.dictionary = dictionary;
  }

  /** Make the file with its head, durable, its name too. What failed half-way is removed. */
  static create(disk: Disk, dir: string, path: string, head: SegmentHead): Segment {
    const bytes = encodeFrame(0, Buffer.from(JSON.stringify(head)), 0);
    const file = disk.open(path, "create");
    try {
      file.write(bytes, 0);
      file.syncNow();
      disk.syncDir(dir);
      return new Segment(head, file, bytes.length, new Map());
    } catch (error) {
      file.close();
      disk.remove(path);
      throw error;
    }
  }

  /** Go on after the last good frame of a segment that recovery has read. */
  static resume(disk: Disk, path: string, found: { head: SegmentHead; size: number; dictionary: Dictionary }): Segment {
    return new Segment(found.head, disk.open(path, "update"), found.size, found.dictionary);
  }

  get size(): number {
    return this.#size;
  }

  /** Write a frame behind the last one. After an error `cutBack` must be called. */
  append(seq: number, payload: Buffer): void {
    const frame = encodeFrame(seq, payload, this.head.salt);
    faultPoint("store.append.before");
    this.#file.write(frame, this.#size);
    this.#size += frame.length;
    faultPoint("store.append.after");
  }

  /** Cut off what a failed append left, durable. */
  cutBack(): void {
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
