import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { distFile } from "../../base/fs/dist.js";
import { programOnPath } from "../../base/process/program-path.js";
import { isWithin } from "../paths/paths.js";

/** Where this program lies, and what tells a copy of it. */
export interface OwnProgram {
  /** Real path of the directory of its files. */
  readonly dir: string;
  readonly entries: readonly OwnEntry[];
}

interface OwnEntry {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
}

/** Names under which it is installed and built. */
const NAME = /^(agent|agent\.[cm]?js)$/i;
const ENTRIES = ["agent.cjs", "worker.cjs"];
const COPY_AT_MOST = 8 << 20;

/** The word names this program by its usual name. */
export const isOwnName = (word: string): boolean => NAME.test(basename(word));

let found: OwnProgram | undefined;

/** The program that runs now. Undefined where it was not built, as in a test that was started from its sources. */
function ownProgram(): OwnProgram | undefined {
  found ??= look();
  return found;
}

function look(): OwnProgram | undefined {
  try {
    const entries = ENTRIES.flatMap((name) => {
      const path = realpathSync(distFile(name));
      return [{ path, size: statSync(path).size, hash: hashOf(path) }];
    });
    const [first] = entries;
    return first === undefined ? undefined : { dir: dirname(first.path), entries };
  } catch {
    return undefined; /* ok to lose: without its files the program is known by name alone */
  }
}

const hashOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/** The file of a program or script as a shell finds it: by its path, or on the PATH. Undefined: not found, so nothing known would run. */
export function findProgramFile(word: string, cwd: string | undefined, path: string | undefined): string | undefined {
  if (word === "") return undefined;
  if (!word.includes("/")) return programOnPath(word, path) ?? relativeOnPath(word, cwd, path);
  return isAbsolute(word) ? word : cwd === undefined ? undefined : resolve(cwd, word);
}

/** An entry of the PATH that is relative counts from the directory of the call. */
function relativeOnPath(word: string, cwd: string | undefined, path: string | undefined): string | undefined {
  if (cwd === undefined) return undefined;
  const places = (path ?? "").split(":").filter((entry) => !isAbsolute(entry));
  return places.map((entry) => join(cwd, entry, word)).find((file) => factsAt(file)?.isFile() === true);
}

/** The file is this program, a link to it or a copy: a symbolic or hard link, or the same bytes. */
export function isOwnFile(file: string): boolean {
  const own = ownProgram();
  if (own === undefined) return false;
  const real = realAt(file);
  if (real === undefined) return false;
  if (own.entries.some(({ path }) => path === real)) return true;
  const facts = factsAt(real);
  if (facts?.isFile() !== true || facts.size > COPY_AT_MOST) return false;
  const same = own.entries.filter(({ size }) => size === facts.size);
  return same.length > 0 && readable(() => same.some(({ hash }) => hash === hashOf(real))) === true;
}

/** The path is this program's directory, one of its files, or a directory that holds it. */
export function holdsOwnProgram(file: string): boolean {
  const own = ownProgram();
  const real = own === undefined ? undefined : realAt(file);
  if (own === undefined || real === undefined) return false;
  return isWithin(own.dir, real) || own.entries.some(({ path }) => path === real);
}

const SCRIPT_AT_MOST = 64 << 10;

/** Text of a small script; undefined for what is large, binary, a system directory's, or not readable. */
export function readScript(file: string): string | undefined {
  const real = realAt(file);
  if (real === undefined || /^\/(usr|bin|sbin|lib|lib64|opt)\//.test(real)) return undefined;
  const facts = factsAt(real);
  if (facts?.isFile() !== true || facts.size > SCRIPT_AT_MOST) return undefined;
  const text = readable(() => readStart(real));
  return text === undefined || text.includes("\0") ? undefined : text;
}

function readStart(path: string): string {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(SCRIPT_AT_MOST);
    return buffer.toString("utf8", 0, readSync(file, buffer, 0, SCRIPT_AT_MOST, 0));
  } finally {
    closeSync(file);
  }
}

const realAt = (path: string): string | undefined => readable(() => realpathSync.native(path));
const factsAt = (path: string): Stats | undefined => readable(() => statSync(path));

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; /* ok to lose: what cannot be read by this user is not run by this user either */
  }
}
