import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";

/** A file as it was when it was opened. */
export interface OpenedFile {
  /** Links followed. */
  readonly real: string;
  /** SHA-256 of its bytes, in hex. */
  readonly digest: string;
  readonly bytes: Buffer;
}

/** Larger programs are not hashed, and so never approved. */
const MAX_BYTES = 256 << 20;

/** Read a regular file through one descriptor, so that hash and bytes belong together. Undefined: missing, not a regular file, or too large. */
export function openedFile(path: string): OpenedFile | undefined {
  let file: number | undefined;
  try {
    const real = realpathSync.native(path);
    file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = fstatSync(file);
    if (!facts.isFile() || facts.size > MAX_BYTES) return undefined;
    const bytes = readFileSync(file);
    return { real, digest: createHash("sha256").update(bytes).digest("hex"), bytes };
  } catch {
    return undefined; // ok to lose: a file that cannot be read cannot be approved, and is reported as missing
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
