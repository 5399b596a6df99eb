import { isUtf8 } from "node:buffer";
import { createLineCutter } from "../base/process/lines.js";

/** Why a stream of lines cannot be read on. */
export type LineFault = "too large" | "not UTF-8";

export interface LineReader {
  /** Give it what arrived. Calls `line` for each whole line, in order, until a fault. */
  push(chunk: Buffer): void;
}

/** Cuts a stream of bytes into lines of at most `maxBytes`. After a fault everything else is dropped: the border of the next line is lost. */
export function createLineReader(
  maxBytes: number,
  line: (text: string) => void,
  fault: (why: LineFault) => void,
): LineReader {
  let why: LineFault = "too large";
  let broken = false;
  const cutter = createLineCutter(maxBytes, (bytes) => {
    if (!isUtf8(bytes)) {
      why = "not UTF-8";
      return false;
    }
    if (bytes.length > 0) line(bytes.toString("utf8"));
    return true;
  });
  return {
    push: (chunk) => {
      if (broken || cutter.push(chunk)) return;
      broken = true;
      fault(why);
    },
  };
}

export interface LineWriter {
  /** Send a line behind those before it. `done` is called when its bytes have left this process. */
  write(text: string, done?: () => void): void;
  /** Hand over now what waits for the end of the turn. */
  flush(): void;
}

/** Lines of so many characters leave at once, so that the other side works while the rest is made. */
const TOGETHER_MAX = 4 << 10;

/** Gathers the lines of one turn of the event loop: a write for each costs more than making the line. */
export function createLineWriter(send: (text: string, done: () => void) => void): LineWriter {
  let texts: string[] = [];
  let dones: (() => void)[] = [];
  let length = 0;
  const flush = () => {
    if (texts.length === 0) return;
    const text = `${texts.join("\n")}\n`;
    const hear = dones;
    texts = [];
    dones = [];
    length = 0;
    send(text, () => {
      for (const done of hear) done();
    });
  };
  return {
    flush,
    write: (text, done) => {
      texts.push(text);
      length += text.length;
      if (done) dones.push(done);
      if (length > TOGETHER_MAX) flush();
      else if (texts.length === 1) process.nextTick(flush); // behind the promises that this turn has kept
    },
  };
}
