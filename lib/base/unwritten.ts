import { writeSync } from "node:fs";

/** Errors that mean that the reader has gone or the terminal was closed; they are not reported. */
const GONE: ReadonlySet<string> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"]);

const WHY: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file is too large",
};

/** Lines that report a failed write to standard output; undefined when it succeeded or the reader has gone. */
export function explainStdoutError(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (typeof code !== "string" || GONE.has(code)) return undefined;
  return `agent: failed to write the output: ${WHY[code] ?? code}\nagent: redirect it elsewhere; changes made by the command are kept\n`;
}

/**
 * Let writes to a file be whole or fail. Where there is room for a part of a write alone, the system writes that part and says how much; the runtime
 * does not look at it, and the rest would be lost without a word.
 */
export function forceWholeWrites(stream: NodeJS.WriteStream): void {
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
