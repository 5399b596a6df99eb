import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, open } from "node:fs/promises";
import { systemCode } from "../errors.js";
import { copyHashed } from "./workspace-files.js";

/** A new file (0600) that is written from its beginning to its end. */
export interface Spool {
  readonly path: string;
  /** Bytes so far. */
  readonly size: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Nothing more comes; with `sync` it is on the disk. */
  end(sync?: boolean): Promise<void>;
  /** SHA-256 of all bytes; after the end. */
  digest(): string;
}

/** @throws the system's error, `EEXIST` when the path is taken */
export async function spool(path: string): Promise<Spool> {
  const file = await open(path, "wx", 0o600);
  const hash = createHash("sha256");
  let size = 0;
  return {
    path,
    get size() {
      return size;
    },
    write: async (bytes) => {
      size += bytes.length;
      hash.update(bytes);
      await file.writeFile(bytes);
    },
    end: async (sync = false) => {
      if (sync) await file.sync();
      await file.close();
    },
    digest: () => hash.digest("hex"),
  };
}

/** The bytes of a file, at most `size` of them: a log may grow while it is read. */
export async function* readFileChunks(path: string, size: number): AsyncGenerator<Buffer> {
  if (size === 0) return;
  for await (const piece of createReadStream(path, { start: 0, end: size - 1 })) yield piece as Buffer; // a stream without an encoding gives buffers
}

/** Lines of a text file without their ends. @throws RangeError a line has more than `maxBytes` bytes, or the file no valid UTF-8 */
export async function* linesOf(path: string, maxBytes: number): AsyncGenerator<string> {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of createReadStream(path)) {
    rest = Buffer.concat([rest, piece as Buffer]); // a stream without an encoding gives buffers
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      if (end > maxBytes) break;
      yield decode(utf8, rest.subarray(0, end));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > maxBytes) throw new RangeError(`a line exceeds ${maxBytes} bytes`);
  }
  if (rest.length > 0) yield decode(utf8, rest);
}

function decode(utf8: { decode(bytes: Uint8Array): string }, bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new RangeError("a line is not UTF-8");
    throw error;
  }
}

/** A second name for a file that never changes, or a copy on a file system without links. False: it is gone. */
export async function keepFile(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    if (!["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "ENOSYS"].includes(code)) throw error;
  }
  return copied(from, to);
}

async function copied(from: string, to: string): Promise<boolean> {
  try {
    return (await copyHashed(from, to, Number.MAX_SAFE_INTEGER)) !== undefined;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
