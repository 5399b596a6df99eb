import { overwriteLines, plainText } from "../../safety/redact/text.js";

/** Bytes of one command's output that are kept: the first and the last half of this. */
const KEPT_BYTES = 16 << 20;

/** Output of one process in order of arrival, bounded. */
export interface OutputBuffer {
  add(chunk: Buffer): void;
  /** Bytes received, kept or not. */
  readonly total: number;
  /** Everything that was kept, with a line that counts what was not. */
  bytes(): Buffer;
}

export function createOutputBuffer(max: number = KEPT_BYTES): OutputBuffer {
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let total = 0;
  const half = max >> 1;
  return {
    get total() {
      return total;
    },
    add: (chunk) => {
      total += chunk.length;
      const room = half - headBytes;
      if (room > 0) {
        head.push(chunk.subarray(0, room));
        headBytes += Math.min(room, chunk.length);
      }
      if (chunk.length <= room) return;
      tail.push(chunk.subarray(Math.max(0, room)));
      tailBytes += chunk.length - Math.max(0, room);
      if (tailBytes <= max) return;
      const joined = Buffer.concat(tail);
      tail = [Buffer.from(joined.subarray(joined.length - half))];
      tailBytes = half;
    },
    bytes: () => {
      const lost = total - headBytes - tailBytes;
      const mark = lost > 0 ? [Buffer.from(`\n... [${lost} bytes of output were not kept] ...\n`)] : [];
      return Buffer.concat([...head, ...mark, ...tail]);
    },
  };
}

/** What a person would see of these bytes: UTF-8, carriage returns played, escape sequences and control characters gone. */
export function toReadableText(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  const invalid = countReplaced(text) - countReplacedInput(bytes);
  if (invalid > 0 && invalid > bytes.length * 0.3) return `binary output, ${bytes.length} bytes`;
  return plainText(overwriteLines(text.replaceAll("\r\n", "\n")));
}

function countReplaced(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\ufffd"); at !== -1; at = text.indexOf("\ufffd", at + 1)) count += 1;
  return count;
}

/** Replacement characters that the program itself wrote are not a sign of binary output. */
function countReplacedInput(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf("\ufffd"); at !== -1; at = bytes.indexOf("\ufffd", at + 3)) count += 1;
  return count;
}
