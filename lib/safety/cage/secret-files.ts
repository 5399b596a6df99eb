import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { SECRET_NAMES } from "../paths/path-lists.js";
import { realOf } from "./repository.js";

/** Directories of a project that are searched, those near its top first. */
const DIRECTORIES_AT_MOST = 5_000;
/** Directories of tools, with copies of what packages hold. */
const SKIPPED: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "__pycache__",
  ".venv",
  "venv",
  ".tox",
  ".terraform",
]);

/** A directory changed within this time of being read may change again without a new time stamp. */
const SETTLED_MS = 1_000;
const KNOWN_AT_MOST = 20_000;

interface Listing {
  readonly stamp: string;
  readonly secrets: readonly string[];
  /** Its `.git`. */
  readonly repositories: readonly string[];
  readonly dirs: readonly string[];
}

const known = new Map<string, Listing>();

/** What a project holds that a cage treats in a way of its own. */
export interface ProjectScan {
  /** Files such as `.env`, by their real path: a link may lead to one that lies elsewhere. */
  readonly secrets: readonly string[];
  /** `.git` of the project itself and of repositories in it, directories and files. */
  readonly repositories: readonly string[];
}

/** Look through a project. A directory is read again when it has changed. */
export function scanProject(project: string): ProjectScan {
  const found: string[] = [];
  const repositories: string[] = [];
  const queue = [project];
  for (let at = 0; at < queue.length && at < DIRECTORIES_AT_MOST; at++) {
    const { secrets, dirs, ...listed } = listDirectory(queue[at] ?? project);
    repositories.push(...listed.repositories);
    for (const path of secrets) {
      const real = realOf(path);
      if (real !== undefined && isFilled(real)) found.push(real);
    }
    queue.push(...dirs);
  }
  return { secrets: [...new Set(found)], repositories };
}

function listDirectory(dir: string): Listing {
  const now = Date.now();
  const facts = lstatSync(dir, { throwIfNoEntry: false });
  if (facts === undefined) return { stamp: "", secrets: [], repositories: [], dirs: [] };
  const stamp = `${facts.ino}:${facts.ctimeMs}`;
  const before = known.get(dir);
  if (before?.stamp === stamp) return before;
  const listing = { stamp, ...readEntries(dir) };
  if (now - facts.ctimeMs < SETTLED_MS) return listing;
  if (known.size >= KNOWN_AT_MOST) known.clear();
  known.set(dir, listing);
  return listing;
}

function readEntries(dir: string): Omit<Listing, "stamp"> {
  try {
    const entries = readdirSync(dir, { withFileTypes: true });
    const secrets = entries.filter((entry) => !entry.isDirectory() && SECRET_NAMES.has(entry.name.toLowerCase()));
    const dirs = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name));
    const repositories = entries.filter((entry) => entry.name === ".git" && !entry.isSymbolicLink());
    const pathsOf = (list: typeof entries) => list.map(({ name }) => join(dir, name));
    return { secrets: pathsOf(secrets), repositories: pathsOf(repositories), dirs: pathsOf(dirs) };
  } catch {
    return { secrets: [], repositories: [], dirs: [] }; // not readable for this user, hence not for his commands
  }
}

function isFilled(path: string): boolean {
  try {
    const facts = statSync(path);
    return facts.isFile() && facts.size > 0;
  } catch {
    return false; // a link that leads nowhere
  }
}

const FILE_BYTES = 1 << 20;
const INDEX_BYTES = 64 << 20;
/** Which content was last looked for in which index. */
const tracked = new Map<string, boolean>();

/**
 * The index of the repository holds exactly this content: it is not a secret, and to show it empty would make the next commit empty it. A command that
 * stages what it sees of a hidden file stages other content.
 */
export function isCommitted(path: string, top: string): boolean {
  try {
    const index = findIndex(top);
    const file = statSync(path);
    const list = statSync(index);
    if (file.size > FILE_BYTES || list.size > INDEX_BYTES) return false;
    const name = [path, file.ino, file.ctimeMs, index, list.ino, list.ctimeMs].join("\0");
    const before = tracked.get(name);
    if (before !== undefined) return before;
    const bytes = readFileSync(path);
    const hash = createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest();
    const is = readFileSync(index).includes(hash);
    if (tracked.size >= 100) tracked.clear();
    tracked.set(name, is);
    return is;
  } catch {
    return false; // no repository, or one without an index
  }
}

/** Of a linked work tree it is where its file `.git` says. */
function findIndex(top: string): string {
  const dot = join(top, ".git");
  if (lstatSync(dot).isDirectory()) return join(dot, "index");
  const named = /^gitdir: (.+)$/m.exec(readFileSync(dot, "utf8"))?.[1] ?? "";
  return join(resolve(top, named.trim()), "index");
}
