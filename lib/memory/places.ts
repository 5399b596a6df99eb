import { dirname, join } from "node:path";
import { readRegularFileSync } from "../base/fs/files.js";
import { sha256 } from "../base/text/hash.js";
import type { MemoryPlace, MemoryScope, MemoryTarget } from "../contracts/memory/memory.js";
import { isWithin, realTarget, userHomeOf } from "../safety/paths/paths.js";
import { repositoryOf } from "../tools/run/project.js";

/** The file that an entry stands in. */
export interface FilePlace {
  readonly target: MemoryTarget;
  /** `home`: entries of the scopes `user` and `profile`, which every conversation of the home sees. */
  readonly kind: "home" | "project" | "board";
  /** Real path of the project, slug of the board, or "". */
  readonly of: string;
}

/** What a conversation sees besides the files of the home. */
export interface VisibleScopes {
  readonly project: string | undefined;
  readonly board: string | undefined;
}

export const FILE_NAMES = { memory: "MEMORY.md", user: "USER.md" } as const;

const BOARD = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const memoriesDir = (homeDir: string): string => join(homeDir, "memories");

/** Name of a project's directory: the beginning of the digest of its real path. */
export const projectKey = (path: string): string => sha256(path).slice(0, 16);

export function memoryFilePath(homeDir: string, { target, kind, of }: FilePlace): string {
  const dir = memoriesDir(homeDir);
  if (kind === "project") return join(dir, "projects", projectKey(of), FILE_NAMES.memory);
  if (kind === "board") return join(dir, "boards", of, FILE_NAMES.memory);
  return join(dir, FILE_NAMES[target]);
}

/** The file of an entry of this scope. */
export const placeOfScope = (target: MemoryTarget, scope: MemoryScope, of: string): FilePlace =>
  scope === "project" || scope === "board" ? { target, kind: scope, of } : { target, kind: "home", of: "" };

/** The files of a sight, those of the home first. */
export const filesOf = ({ project, board }: VisibleScopes): readonly FilePlace[] => [
  { target: "memory", kind: "home", of: "" },
  { target: "user", kind: "home", of: "" },
  ...(project === undefined ? [] : [{ target: "memory", kind: "project", of: project } as const]),
  ...(board === undefined ? [] : [{ target: "memory", kind: "board", of: board } as const]),
];

/** A sight in which the file of this place is seen. */
export const sightOfFile = ({ kind, of }: FilePlace): VisibleScopes => ({
  project: kind === "project" ? of : undefined,
  board: kind === "board" ? of : undefined,
});

/** What a conversation of this place sees. */
export function findVisibleScopes({ cwd, env, board }: MemoryPlace, homeDir: string): VisibleScopes {
  return {
    project: projectOf(cwd, userHomeOf(env), homeDir),
    board: board !== undefined && BOARD.test(board) ? board : undefined,
  };
}

/**
 * Real path of the project that a directory belongs to: the repository, of a worktree the one that it was made from, else the directory itself.
 * The user's own home, the root of the file system and the homes of the product do not count as projects.
 */
function projectOf(cwd: string, userHome: string, homeDir: string): string | undefined {
  const at = realTarget(cwd) ?? cwd;
  const nobodys = (path: string): boolean =>
    path === "/" || path === (realTarget(userHome) ?? userHome) || isWithin(path, realTarget(homeDir) ?? homeDir);
  const repository = repositoryOf(at);
  const root = repository === undefined ? undefined : mainRepository(repository);
  if (root !== undefined && !nobodys(root)) return root;
  return nobodys(at) ? undefined : at;
}

const POINTER_MAX = 4_096;

/** The repository of a worktree, when both point at each other as git writes it: one that only claims to be one is a project of its own. */
function mainRepository(root: string): string {
  const gitDir = /^gitdir: (.+?)\n?$/.exec(textOf(join(root, ".git")))?.[1];
  const main = gitDir === undefined ? null : /^(\/.*)\/\.git\/worktrees\/[^/]+$/.exec(gitDir);
  if (gitDir === undefined || main?.[1] === undefined) return root;
  const back = textOf(join(gitDir, "gitdir")).trim();
  const points = back !== "" && realTarget(dirname(back)) === root;
  return points ? (realTarget(main[1]) ?? root) : root;
}

const textOf = (path: string): string => readRegularFileSync(path, POINTER_MAX)?.toString("utf8") ?? "";
