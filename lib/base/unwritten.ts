import { writeSync } from "node:fs";

/** A reader that has gone away, or a terminal that was closed: nobody is there to be told anything. */
const GONE: ReadonlySet<string> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"]);

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is used up",
  EFBIG: "the file would be too large",
};

/** What is told when standard output could not be written, a line each; undefined: it could, or its reader has gone. */
export function explainStdoutError(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (typeof code !== "string" || GONE.has(code)) return undefined;
  return `agent: what the command prints could not be written: ${WHY[code] ?? code}\nagent: choose another place for it; what the command changed stays changed\n`;
}

/**
 * Let writes to a file be whole or fail. Where there is room for a part of a write alone, the system writes that part and says how much; the runtime
 * does not look at it, and the rest would be lost without a word.
 */
export function wholeWrites(stream: NodeJS.WriteStream): void {
  const fd: unknown = Reflect.get(stream, "fd");
  if (Reflect.get(stream, "_type") !== "fs" || typeof fd !== "number") return; // terminals and pipes take the rest later
  Object.assign(stream, {
    _write: (chunk: Buffer, _encoding: string, done: (error?: unknown) => void) => {
      try {
        for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
      } catch (error) {
        done(error);
        return;
      }
      done();
    },
  });
}
