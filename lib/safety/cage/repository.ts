import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Parts of a repository for a cage. */
export interface RepositoryParts {
  /** Directories that git writes; each is a mount of its own, so that none can be moved away. */
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
}

const NONE: RepositoryParts = { writable: [], readOnly: [] };
/** Repositories of submodules that are protected one by one; with more of them they are all read-only. */
const MODULES_AT_MOST = 64;

/**
 * What a command may write of the repository whose top level is `top`. Git reads programs from `config`, `hooks` and `info/attributes`: they are
 * read-only. A part that does not exist is made, empty, where git itself makes it; nothing is made outside the git directory.
 */
export function findRepositoryParts(top: string): RepositoryParts {
  const dot = join(top, ".git");
  const kind = readPathKind(dot);
  if (kind === "directory") return partsOf(dot);
  if (kind !== "file") return NONE;
  const common = findGitDirectory(dot, top);
  const own = { writable: [], readOnly: [dot] };
  return common === undefined ? own : both(own, partsOf(common));
}

/**
 * The git directory that a file `.git` names, when that directory names this work tree in turn: a command can write the file, but not a directory
 * outside. For a linked work tree it is the one that all work trees share.
 */
function findGitDirectory(dot: string, top: string): string | undefined {
  const named = /^gitdir: (.+)$/m.exec(readSmall(dot) ?? "")?.[1];
  const dir = named === undefined ? undefined : realOf(resolve(top, named.trim()));
  if (dir === undefined || readPathKind(join(dir, "HEAD")) !== "file") return undefined;
  const back = readSmall(join(dir, "gitdir"));
  if (back !== undefined) {
    const common = dirname(dirname(dir));
    const linked = basename(dirname(dir)) === "worktrees" && realOf(back.trim()) === realOf(dot);
    return linked && readPathKind(join(common, "objects")) === "directory" ? common : undefined;
  }
  const tree = /^\s*worktree\s*=\s*(.+)$/m.exec(readSmall(join(dir, "config")) ?? "")?.[1];
  return tree !== undefined && realOf(resolve(dir, tree.trim())) === top ? dir : undefined;
}

/** Of one git directory and those of its submodules. */
function partsOf(dir: string): RepositoryParts {
  const config = join(dir, "config");
  // Without HEAD it is not a repository, but a command that has removed HEAD can make one again.
  if (readPathKind(config) === undefined) return NONE;
  const held = ["config", "hooks", "info", "info/attributes", "modules"];
  // A link cannot be held where it is: without the whole directory it could be replaced.
  if (held.some((name) => isLink(join(dir, name)))) return { writable: [], readOnly: [dir] };
  const extra = join(dir, "config.worktree");
  const readOnly = [config, madeDirectory(join(dir, "hooks")), attributesOf(dir)];
  if (readPathKind(extra) === "file") readOnly.push(extra);
  const own = { writable: [dir], readOnly: readOnly.filter((path) => path !== undefined) };
  return [...modulesOf(join(dir, "modules")), ...worktreesOf(dir)].reduce(both, own);
}

/** Settings of the linked work trees of a repository, which git reads like `config`. */
function worktreesOf(dir: string): RepositoryParts[] {
  const settings = listReadableNames(join(dir, "worktrees"))
    .flatMap((name) => ["config.worktree", "commondir", "gitdir"].map((file) => join(dir, "worktrees", name, file)))
    .filter((path) => readPathKind(path) === "file");
  return settings.length === 0 ? [] : [{ writable: [], readOnly: settings }];
}

/**
 * The plan with its repositories read-only as a whole. A mount of one file is lost when something outside replaces that file, as git does with its
 * settings; a mount of the directory stays. For processes that run longer than anything can be looked at again.
 */
export function closeRepositories<T extends RepositoryParts>(plan: T): T {
  const repositories = findRepositories(plan);
  const writable = plan.writable.filter((dir) => !repositories.includes(dir));
  return { ...plan, writable, readOnly: [...plan.readOnly, ...repositories] };
}

const findRepositories = ({ writable, readOnly }: RepositoryParts): readonly string[] =>
  writable.filter((dir) => readOnly.includes(join(dir, "config")));

/** Files that make git read its settings elsewhere, and that are missing in an ordinary repository: no mount can hold a missing file. */
const STRAY = ["commondir", "config.worktree"] as const;

/**
 * Move away what a command has made in a git directory to have settings read elsewhere. Called when a command of the cage has ended, before anything
 * outside reads the repository again.
 *
 * @returns paths that were moved
 */
export function moveStraySettings(parts: RepositoryParts): readonly string[] {
  const named = findRepositories(parts).flatMap((dir) => STRAY.map((name) => join(dir, name)));
  const stray = named.filter((path) => !parts.readOnly.includes(path));
  return stray.filter((path) => readPathKind(path) !== undefined && moveAway(path));
}

function moveAway(path: string): boolean {
  try {
    renameSync(path, `${path}.moved`);
    return true;
  } catch {
    return false; // it is gone, or belongs to another user, who has made it himself
  }
}

/** A missing file cannot be held, so it is made, empty; where it cannot be, the whole of `info` is held. */
function attributesOf(dir: string): string | undefined {
  const info = madeDirectory(join(dir, "info"));
  const file = join(dir, "info", "attributes");
  if (info === undefined || readPathKind(file) === "file") return info === undefined ? undefined : file;
  try {
    writeFileSync(file, "", { flag: "wx" });
    return file;
  } catch {
    return info; // it belongs to another user, or something else is there
  }
}

function modulesOf(modules: string): RepositoryParts[] {
  if (madeDirectory(modules) === undefined) return [];
  const found: RepositoryParts[] = [{ writable: [], readOnly: [modules] }];
  let count = 0;
  const look = (dir: string): boolean =>
    listReadableNames(dir).every((name) => {
      const inner = join(dir, name);
      if (readPathKind(inner) !== "directory") return true;
      if (++count > MODULES_AT_MOST) return false;
      if (readPathKind(join(inner, "HEAD")) === "file") {
        found.push(partsOf(inner));
        return true;
      }
      return look(inner);
    });
  return look(modules) ? found : [{ writable: [], readOnly: [modules] }];
}

/** A directory inside a git directory, made where git makes it; undefined when it cannot be. */
function madeDirectory(path: string): string | undefined {
  if (readPathKind(path) === undefined) {
    try {
      mkdirSync(path);
    } catch {
      return undefined; // the repository belongs to another user, whose files commands cannot write either
    }
  }
  return readPathKind(path) === "directory" ? path : undefined;
}

const both = (one: RepositoryParts, two: RepositoryParts): RepositoryParts => ({
  writable: [...one.writable, ...two.writable],
  readOnly: [...one.readOnly, ...two.readOnly],
});

const isLink = (path: string): boolean => readPathKind(path) === "other";

/** What the path itself is: a link is neither. */
export function readPathKind(path: string): "file" | "directory" | "other" | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    return found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
  } catch {
    return undefined; // not reachable for this user, hence not for his commands
  }
}

/** Names in a directory; none where it cannot be read. */
export function listReadableNames(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // missing, or not readable for this user
  }
}

/** Real path of what exists; undefined otherwise. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // missing, or not reachable for this user
  }
}

function readSmall(path: string): string | undefined {
  try {
    return statSync(path).size > 65_536 ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined; // missing, or not readable for this user
  }
}
