import { isUtf8 } from "node:buffer";

/** Why a stream of lines cannot be read on. */
export type LineFault = "too large" | "not UTF-8";

export interface LineReader {
  /** Give it what arrived. Calls `line` for each whole line, in order, until a fault. */
  push(chunk: Buffer): void;
}

const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines of at most `maxBytes`. After a fault everything else is dropped: the border of the next line is lost. */
export function createLineReader(
  maxBytes: number,
  line: (text: string) => void,
  fault: (why: LineFault) => void,
): LineReader {
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
