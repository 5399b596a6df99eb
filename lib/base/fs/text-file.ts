import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { failedAt } from "../errors.js";
import { faultPoint } from "../fault.js";
import type { EpochMs } from "../units.js";
import { realDisk } from "./disk.js";

/** The whole file as text, or undefined when it does not exist. For the small files of the product itself: settings, profiles, tokens. */
export function readTextSync(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/**
 * Replace a small file in one step: written beside it, synced, renamed, and the new name synced. Its mode is kept; a new one gets `mode` (0600). A link
 * is replaced itself: where it leads is the choice of its maker, who may be a stranger in a project or in a temporary directory.
 *
 * @throws the failure of the system, said of `path`; the file is as it was
 */
export function replaceTextFile(path: string, text: string, mode?: number): void {
  try {
    replace(path, text, mode);
  } catch (error) {
    throw failedAt(path, error);
  }
}

/**
 * The same for settings in the user's own home: a link stays one, and the file that it leads to is replaced. They may be kept elsewhere, together with
 * those of other programs.
 */
export function replaceSettings(path: string, text: string, mode?: number): void {
  replaceTextFile(behindLinks(path), text, mode);
}

/** Where a path leads; for a link to what is not there yet, where that would be. */
function behindLinks(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  return existsSync(path) ? realpathSync(path) : resolve(dirname(path), readlinkSync(path));
}

function replace(path: string, text: string, mode: number | undefined): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const keep = mode ?? (existsSync(path) ? statSync(path).mode & 0o777 : 0o600);
  const next = `${path}.${process.pid}.new`;
  rmSync(next, { force: true }); // of a killed process that had this number
  try {
    writeNew(next, text, keep);
    faultPoint("file.drafted", basename(path));
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  realDisk.syncDir(dirname(path));
}

function writeNew(path: string, text: string, mode: number): void {
  const file = openSync(path, "wx", mode);
  try {
    fchmodSync(file, mode);
    writeFileSync(file, text); // all of it: one write may take a part only
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What shows whether a file was changed, and when that was; undefined when it does not exist. */
export function readFileChange(path: string): { readonly stamp: string; readonly at: EpochMs } | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts && { stamp: `${facts.ino} ${facts.size} ${facts.mtimeMs}`, at: facts.mtimeMs };
}

/** The last `maxBytes` of a file as text, from the beginning of a line; "" when it does not exist. */
export function readTailText(path: string, maxBytes: number): string {
  if (!existsSync(path)) return "";
  const size = statSync(path).size;
  const from = Math.max(0, size - maxBytes);
  const bytes = Buffer.alloc(size - from);
  const file = openSync(path, "r");
  try {
    readSync(file, bytes, 0, bytes.length, from);
  } finally {
    closeSync(file);
  }
  const text = bytes.toString("utf8");
  return from === 0 ? text : text.slice(text.indexOf("\n") + 1);
}
