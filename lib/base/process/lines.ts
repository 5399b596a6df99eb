/** The largest message that another agent may send: pictures and files come inside messages. */
export const MESSAGE_BYTES = 32 << 20;

const NEWLINE = 0x0a;

/** Bytes that come in pieces, cut at newlines only, so that no character is split. */
export interface LineCutter {
  /** Hands on each line that is complete now, in order. False: a line is too long, or `line` has refused one; nothing more is read. */
  push(chunk: Buffer): boolean;
}

/** @param line Gets a line without its newline. False: the rest is not wanted. */
export function createLineCutter(maxBytes: number, line: (bytes: Buffer) => boolean): LineCutter {
  let parts: Buffer[] = [];
  let size = 0;
  let broken = false;
  const take = (piece: Buffer): void => {
    size += piece.length;
    if (size > maxBytes) broken = true;
    else if (piece.length > 0) parts.push(piece);
  };
  const finish = (): void => {
    const whole = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts = [];
    size = 0;
    broken = !line(whole);
  };
  return {
    push: (chunk) => {
      let from = 0;
      while (!broken && from < chunk.length) {
        const end = chunk.indexOf(NEWLINE, from);
        take(chunk.subarray(from, end === -1 ? chunk.length : end));
        if (broken || end === -1) break;
        from = end + 1;
        finish();
      }
      if (broken) parts = [];
      return !broken;
    },
  };
}

/** Lines of text that come in pieces. */
export interface MessageLines {
  /** The lines that are complete now; undefined: one is too long. */
  read(chunk: Buffer): readonly string[] | undefined;
}

/** A carriage return before a newline, and empty lines, are left out. */
export function createLines(maxBytes: number): MessageLines {
  let lines: string[] = [];
  const cutter = createLineCutter(maxBytes, (bytes) => {
    const line = bytes.toString("utf8").replace(/\r$/, "");
    if (line.trim() !== "") lines.push(line);
    return true;
  });
  return {
    read: (chunk) => {
      lines = [];
      return cutter.push(chunk) ? lines : undefined;
    },
  };
}
