import { AppError, systemCode, toAppError } from "../errors.js";
import { writeAtomic } from "./files.js";

/** What is wrong with a place that the user named. A full disk and missing rights have words of their own (`errors.ts`). */
const WRONG: Readonly<Record<string, string>> = {
  ENOENT: "no such directory",
  ENOTDIR: "a parent is not a directory",
  EISDIR: "it is a directory",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "too many levels of symbolic links",
};

/** The error of a file that a person asked for by name and that could not be written. Anything but a failure of the system stays as it is. */
export function notWritten(path: string, thrown: unknown, hint: string): unknown {
  const code = systemCode(thrown);
  if (thrown instanceof AppError || code === undefined) return thrown;
  const why = WRONG[code];
  if (why !== undefined) return new AppError("E_INVALID", `cannot write ${path}: ${why}`, { path, hint }, thrown);
  const known = toAppError(thrown);
  if (known.code === "E_STORE_FULL") return known; // another place may be on the same disk
  const told = known.code === "E_INTERNAL" ? `cannot write ${path}: ${code}` : known.message;
  return new AppError("E_INVALID", told, { path, hint }, thrown);
}

/**
 * Put a text at a place that a person named, whole or not at all.
 *
 * @throws E_INVALID for a place where no file can be, E_STORE, E_STORE_FULL
 */
export async function writeNamed(path: string, text: string, hint: string): Promise<void> {
  try {
    await writeAtomic(path, text, 0o600);
  } catch (error) {
    throw notWritten(path, error, hint);
  }
}
