import { readdirSync, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { findStarted, KEPT_FROM_RUNNING } from "../exec/clients.js";
import { realOf } from "./repository.js";

/** An executable of a client that acts outside the project. */
interface ClientProgram {
  readonly name: string;
  /** Real path. */
  readonly path: string;
}

/** Directories in which login shells find programs beside those of PATH; below the user's home where they are relative. */
const USUAL = [
  "/usr/local/bin",
  "/usr/bin",
  "/usr/sbin",
  "/opt/bin",
  ".local/bin",
  "bin",
  "go/bin",
  ".cargo/bin",
  ".npm-global/bin",
] as const;

const NAMES: ReadonlySet<string> = new Set(KEPT_FROM_RUNNING);

/** What was found in a directory, as long as nothing is added to it or removed. */
const known = new Map<string, { readonly changed: number; readonly found: readonly ClientProgram[] }>();
const KNOWN_AT_MOST = 1_000;

/**
 * Executables of clients of clouds, containers, password stores and tunnels: nothing that runs in a cage starts them unseen.
 *
 * @param open names that this command may start: its line names them, and was allowed as it is
 */
export function findClientPrograms(
  searchPath: string | undefined,
  userHome: string,
  open: readonly string[] = [],
): readonly string[] {
  const named = (searchPath ?? "").split(delimiter).filter((dir) => isAbsolute(dir));
  const usual = USUAL.map((dir) => (isAbsolute(dir) ? dir : join(userHome, dir)));
  const found = [...new Set([...named, ...usual].flatMap((dir) => realOf(dir) ?? []))].flatMap(programsIn);
  const opened = new Set(open.flatMap((name) => [name, ...findStarted(name)]));
  const left = new Set(found.flatMap(({ name, path }) => (opened.has(name) ? [path] : [])));
  return [...new Set(found.flatMap(({ path }) => (left.has(path) ? [] : [path])))];
}

function programsIn(dir: string): readonly ClientProgram[] {
  const changed = changedAt(dir);
  if (changed === undefined) return [];
  const before = known.get(dir);
  if (before?.changed === changed) return before.found;
  const found = namesIn(dir).flatMap((name) => programAt(join(dir, name)) ?? []);
  if (known.size >= KNOWN_AT_MOST) known.clear();
  known.set(dir, { changed, found });
  return found;
}

/** A program that has many names, such as the one of a package manager, is none of a client: it starts others as well. */
function programAt(file: string): ClientProgram | undefined {
  const name = basename(file);
  const path = realOf(file);
  if (path === undefined || !isProgram(path)) return undefined;
  const own =
    NAMES.has(basename(path)) ||
    path.split("/").some((part) => part === name || part.startsWith(`${name}-`) || part.endsWith(`-${name}`));
  return own ? { name, path } : undefined;
}

function isProgram(path: string): boolean {
  try {
    const facts = statSync(path);
    return facts.isFile() && (facts.mode & 0o111) !== 0;
  } catch {
    return false; // gone since, or not reachable for this user
  }
}

function changedAt(dir: string): number | undefined {
  try {
    return statSync(dir).mtimeMs;
  } catch {
    return undefined; // a directory of PATH that is not there
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).filter((name) => NAMES.has(name));
  } catch {
    return []; // not readable for this user, whose commands can still start what they know by name
  }
}
