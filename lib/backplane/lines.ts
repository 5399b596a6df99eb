import { isUtf8 } from "node:buffer";

/** Why a stream of lines cannot be read on. */
export type LineFault = "too large" | "not UTF-8";

export interface LineReader {
  /** Give it what arrived. Calls `line` for each whole line, in order, until a fault. */
  push(chunk: Buffer): void;
}

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines of at most `maxBytes`. After a fault everything else is dropped: the border of the next line is lost. */
export function createLineReader(maxBytes: number, line: (text: string) => void, fault: (why: LineFault) => void): LineReader {
  let parts: Buffer[] = [];
  let bytes = 0;
  let broken = false;
  const fail = (why: LineFault) => {
    broken = true;
    parts = [];
    fault(why);
  };
  const take = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > maxBytes) fail("too large");
    else parts.push(piece);
  };
  const finish = () => {
    const whole = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    if (!isUtf8(whole)) fail("not UTF-8");
    else if (whole.length > 0) line(whole.toString("utf8"));
  };
  return {
    push: (chunk) => {
      let from = 0;
      while (!broken && from < chunk.length) {
        const end = chunk.indexOf(NEWLINE, from);
        take(chunk.subarray(from, end === -1 ? chunk.length : end));
        if (broken || end === -1) return;
        from = end + 1;
        finish();
      }
    },
  };
}
