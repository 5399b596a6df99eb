import { crc32 } from "node:zlib";
import { contentEnd } from "./ahead.js";

/** One frame of a journal segment: exactly what one fsync covers. */
export interface Frame {
  readonly seq: number;
  readonly payload: Buffer;
  /** Offset of the byte after it. */
  readonly end: number;
}

/**
 * What stands in a segment after its valid frames. `at`: end of the last valid frame; `next`: seq that would follow. Clean: nothing, or zeros alone, which
 * are allocated ahead, or the place of a frame of which nothing came.
 */
export type Scan =
  | { readonly kind: "clean" | "torn"; readonly at: number; readonly next: number }
  | { readonly kind: "damaged"; readonly at: number; readonly next: number; readonly later: number };

const MAGIC = 0x4c4a4741;
export const MAGIC_BYTES = Buffer.from([0x41, 0x47, 0x4a, 0x4c]);
/** magic u32, length u32, crc u32, seq u64; little endian. */
export const HEAD_BYTES = 20;
/** Largest payload; a transaction above it is refused. */
export const MAX_PAYLOAD = 64 << 20;

/** Switches that break the format on purpose, to see that the tests notice. Only test builds pass them. */
export interface FrameSabotage {
  readonly skipCrc?: boolean;
  readonly acceptGap?: boolean;
}

/** The checksum covers all but itself; `salt` is the segment's, so that bytes of other files never pass. */
function checksum(frame: Buffer, salt: number): number {
  return crc32(frame.subarray(12), crc32(frame.subarray(0, 8), salt));
}

export function encodeFrame(seq: number, payload: Buffer, salt: number): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  frame.writeUInt32LE(MAGIC, 0);
  frame.writeUInt32LE(payload.length, 4);
  frame.writeBigUInt64LE(BigInt(seq), 12);
  payload.copy(frame, HEAD_BYTES);
  frame.writeUInt32LE(checksum(frame, salt), 8);
  return frame;
}

/** The frame that begins at `at`, or undefined without a whole and true one. */
export function decodeFrame(bytes: Buffer, at: number, salt: number, sabotage: FrameSabotage = {}): Frame | undefined {
  if (at + HEAD_BYTES > bytes.length || bytes.readUInt32LE(at) !== MAGIC) return undefined;
  const length = bytes.readUInt32LE(at + 4);
  const end = at + HEAD_BYTES + length;
  if (end > bytes.length || length > MAX_PAYLOAD) return undefined;
  const frame = bytes.subarray(at, end);
  if (sabotage.skipCrc !== true && checksum(frame, salt) !== frame.readUInt32LE(8)) return undefined;
  return { seq: Number(frame.readBigUInt64LE(12)), payload: frame.subarray(HEAD_BYTES), end };
}

/** Where and with what a segment is read. */
export interface ScanStart {
  readonly from: number;
  /** seq of the first frame. */
  readonly first: number;
  readonly salt: number;
  readonly sabotage?: FrameSabotage | undefined;
}

/**
 * Give every valid, consecutive frame to `apply`, then name what follows them. `bytes` is the whole segment: a frame across the border of a
 * smaller window would look torn. What is followed by a valid frame was not torn by a crash, it is damage.
 */
export function scan(bytes: Buffer, start: ScanStart, apply: (frame: Frame) => void): Scan {
  const { salt, sabotage } = start;
  const fits = (frame: Frame, seq: number) => frame.seq === seq || (sabotage?.acceptGap === true && frame.seq > seq);
  let at = start.from;
  let next = start.first;
  for (
    let frame = decodeFrame(bytes, at, salt, sabotage);
    frame && fits(frame, next);
    frame = decodeFrame(bytes, at, salt, sabotage)
  ) {
    apply(frame);
    at = frame.end;
    next = frame.seq + 1;
  }
  if (contentEnd(bytes, at) === at) return { kind: "clean", at, next };
  for (let p = bytes.indexOf(MAGIC_BYTES, at); p >= 0; p = bytes.indexOf(MAGIC_BYTES, p + 1)) {
    const later = decodeFrame(bytes, p, salt, sabotage);
    if (later) return { kind: "damaged", at, next, later: later.seq };
  }
  return { kind: "torn", at, next };
}
