import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { isSharedDirectory } from "../../base/fs/shared-directory.js";
import { type Home, loginRoot } from "../../base/home.js";
import { expandTilde } from "../../base/tilde.js";
import type { HomeView } from "../../contracts/gateway/reach.js";
import { isGitSetting } from "./git-files.js";
import * as lists from "./path-lists.js";

/** What decides whether a path may be touched. */
export interface PathScope {
  readonly home: Pick<Home, "dir" | "root" | "runDir">;
  readonly userHome: string;
  /** Real path of the project's root directory. */
  readonly project: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The call asked to work on another profile. */
  readonly crossProfile?: boolean;
  /** What is open of homes of the product; absent: all that no guard refuses. */
  readonly view?: HomeView;
  /** The lineage's own temporary directory: what lies there belongs to no home, whatever it is called. */
  readonly ownTmp?: string;
  /** Temporary directories; default those of this machine. */
  readonly temporary?: readonly string[];
}

/** `path` is the real path, to be opened without following a link. */
export type PathAnswer =
  | { readonly ok: true; readonly path: string; readonly outside: boolean; readonly risk?: "system-write" }
  | {
      readonly ok: false;
      readonly path: string;
      readonly why: string;
      readonly kind: "system" | "protected" | "unusable";
    };

const LINKS_AT_MOST = 40;
const SYSTEM = "it belongs to the system";

/** Home directory of the user whose environment this is. */
export function userHomeOf(env: Readonly<Record<string, string | undefined>>): string {
  return env["HOME"] || homedir();
}

/** Absolute form of what a model wrote: `~` expanded, relative to `cwd`, dot segments removed. */
export function absolutePath(given: string, cwd: string, userHome: string): string {
  return resolve(cwd, expandTilde(given, userHome));
}

/** Where a path leads: its deepest existing parent resolved, the rest appended. `undefined`: it loops, or holds a NUL. */
export function realTarget(path: string, depth = 0): string | undefined {
  if (depth > LINKS_AT_MOST || path.includes("\0")) return undefined;
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES") return undefined;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const target = danglingTarget(path);
  if (target !== undefined) return realTarget(target, depth + 1);
  const above = realTarget(parent, depth);
  return above === undefined ? undefined : join(above, basename(path));
}

/** A link that leads to nothing yet still decides where a new file would be made. */
function danglingTarget(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isSymbolicLink() ? resolve(realpathSync.native(dirname(path)), readlinkSync(path)) : undefined;
  } catch {
    return undefined; // not readable: the parent's real path decides
  }
}

/** Root of the project that holds `cwd`: the nearest directory with a project file, else `cwd`. Never `/`, the user's home or one like `/tmp` by a mark. */
export function projectRoot(cwd: string, userHome: string): string {
  const start = realTarget(cwd) ?? cwd;
  const top = realTarget(userHome) ?? userHome;
  for (let dir = start; dirname(dir) !== dir && dir !== top; dir = dirname(dir)) {
    const marked = lists.PROJECT_MARKS.some((mark) => existsSync(join(dir, mark)));
    if (marked && (dir === start || !isSharedDirectory(dir))) return dir;
  }
  return start;
}

/** `path` is `dir` or below it, by whole segments. */
export function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir.endsWith("/") ? dir : `${dir}/`);
}

/** The way from `dir` to `path`; undefined unless `path` lies below `dir`. */
export function innerPath(path: string, dir: string): string | undefined {
  const inner = relative(dir, path);
  return inner === "" || inner === ".." || inner.startsWith("../") || isAbsolute(inner) ? undefined : inner;
}

/** `path` lies below `dir`, and is not `dir` itself. */
export const isBelow = (path: string, dir: string): boolean => innerPath(path, dir) !== undefined;

/** A path as people see it: `~` stands for their home directory; "": without one. */
export function abbreviateHome(path: string, home: string): string {
  return home !== "" && isWithin(path, home) ? `~${path.slice(home.length)}` : path;
}

/** Case-insensitive file systems exist on every platform, so what is refused is refused in any case. */
const fold = (path: string) => path.normalize("NFC").toLowerCase();
const isWithinFolded = (path: string, dir: string) => isWithin(fold(path), fold(dir));
const isAny = (path: string, root: string, names: readonly string[]) =>
  names.some((name) => fold(path) === fold(join(root, name)));
const isInAny = (path: string, root: string, names: readonly string[]) =>
  names.some((name) => isWithinFolded(path, join(root, name)));

const looked = new WeakMap<PathScope, Map<string, readonly string[]>>();

/** Real forms of a directory that may itself be reached through a link; looked up once for a scope. */
function both(dir: string, scope: PathScope): readonly string[] {
  const known = looked.get(scope) ?? new Map<string, readonly string[]>();
  looked.set(scope, known);
  const forms = known.get(dir) ?? formsOf(dir);
  known.set(dir, forms);
  return forms;
}

function formsOf(dir: string): readonly string[] {
  const real = realTarget(dir);
  return real === undefined || real === dir ? [dir] : [dir, real];
}

/** Homes of the product: this one, the root, and every other profile. Each with its path in the lists. */
function placeInHomes(path: string, scope: PathScope): { home: string; own: boolean } | undefined {
  const shared = [...both(scope.home.root, scope), ...both(loginRoot(scope.home), scope)];
  for (const root of [...shared, ...both(scope.home.dir, scope)]) {
    const profiles = join(root, "profiles");
    if (!isWithinFolded(path, profiles) || fold(path) === fold(profiles)) continue;
    const home = join(profiles, path.slice(profiles.length + 1).split("/", 1)[0] ?? "");
    return { home, own: both(scope.home.dir, scope).some((dir) => fold(dir) === fold(home)) };
  }
  const own = both(scope.home.dir, scope).find((dir) => isWithinFolded(path, dir));
  if (own !== undefined) return { home: own, own: true };
  const root = shared.find((dir) => isWithinFolded(path, dir));
  return root === undefined ? undefined : { home: root, own: false };
}

/** Homes of the product that the scope knows of, as they are named and as real paths. */
export const listHomeDirs = (scope: PathScope): readonly string[] =>
  [...new Set([scope.home.dir, scope.home.root, loginRoot(scope.home), scope.home.runDir])].flatMap((dir) =>
    both(dir, scope),
  );

/** The real path lies in a home of the product, where the view of the user that the call works for does not open it. */
export function isClosed(path: string, scope: PathScope, how: "read" | "write" = "read"): boolean {
  const { view } = scope;
  if (view === undefined || isOwnTmp(path, scope) || !listHomeDirs(scope).some((home) => isWithinFolded(path, home)))
    return false;
  const among = (dirs: readonly string[]) => dirs.some((dir) => both(dir, scope).some((one) => isWithin(path, one)));
  const place = placeInHomes(path, scope);
  const inner = path.slice((place?.home ?? path).length);
  if (among(view.work) || (place !== undefined && lists.HOME_OPEN.board.test(inner))) return false;
  if (how === "write" || place?.own !== true) return true;
  const received = lists.HOME_RECEIVED.exec(inner)?.[2]?.startsWith(view.files) === true;
  return !received && !lists.HOME_OPEN.own.test(inner) && !among(view.dirs);
}

const CLOSED = "it belongs to the agent, and only its owner's conversations may use it";

/** Temporary directories, as real paths. */
export function temporaryDirectories(scope: PathScope): readonly string[] {
  const named = scope.temporary ?? [tmpdir(), scope.env["TMPDIR"], "/tmp", "/var/tmp"];
  const own = scope.ownTmp === undefined ? [] : both(scope.ownTmp, scope);
  return [...new Set([...own, ...named.flatMap((dir) => (dir ? both(resolve(dir), scope) : []))])].filter(
    (dir) => dir !== "/",
  );
}

const isOwnTmp = (path: string, scope: PathScope): boolean =>
  scope.ownTmp !== undefined && both(scope.ownTmp, scope).some((dir) => isWithin(path, dir));

/** Why a path has no real target. */
const leadsNowhere = (path: string): string =>
  path.includes("\0") ? "no name of a file holds a NUL character" : "its links lead nowhere";

/** Decide whether a tool may write `absolute`. Under no setting does a rule widen this (core part, 21.1). */
export function guardWrite(absolute: string, scope: PathScope): PathAnswer {
  const path = realTarget(absolute);
  return path === undefined ? refuse(absolute, leadsNowhere(absolute)) : guardPlace(path, scope, absolute);
}

/** The same for who makes sure by himself that no link is followed on the way: the path is taken as it is. */
export function guardPlace(path: string, scope: PathScope, absolute = path): PathAnswer {
  const why = writeRefusal(path, absolute, scope);
  if (why !== undefined) {
    const kind = why === SYSTEM ? "system" : "protected";
    return { ok: false, path: absolute, why: `Refusing to write to protected path: ${absolute} (${why})`, kind };
  }
  const inside =
    both(scope.project, scope).some((dir) => isWithin(path, dir)) ||
    temporaryDirectories(scope).some((dir) => isWithin(path, dir));
  return { ok: true, path, outside: !inside, ...(isSystemWrite(path, scope) ? { risk: "system-write" as const } : {}) };
}

function refuse(path: string, why: string): PathAnswer {
  return { ok: false, path, why: `Refusing to use ${JSON.stringify(path)}: ${why}`, kind: "unusable" };
}

function writeRefusal(path: string, asked: string, scope: PathScope): string | undefined {
  return (
    placeRefusal(path, scope) ??
    homeRefusal(path, scope) ??
    (isClosed(path, scope, "write") ? CLOSED : undefined) ??
    (path === asked ? undefined : placeRefusal(asked, scope)) ??
    safeRootRefusal(path, scope)
  );
}

function placeRefusal(path: string, scope: PathScope): string | undefined {
  const excepted = lists.SYSTEM_EXCEPTIONS.some((dir) => isWithinFolded(path, dir));
  if (
    !excepted &&
    isInAny(
      path,
      "/",
      lists.SYSTEM_TREES.map((dir) => dir.slice(1)),
    )
  )
    return SYSTEM;
  if (isAny(path, "/", lists.CONTAINER_SOCKETS)) return "it is the socket of a container service";
  for (const home of both(scope.userHome, scope)) {
    if (isAny(path, home, lists.USER_FILES) || isInAny(path, home, lists.USER_TREES))
      return "it holds credentials or keys";
  }
  if (both(scope.project, scope).some((dir) => fold(path) === fold(join(dir, ".agent/permissions.yaml"))))
    return "it holds permission rules";
  return undefined;
}

function homeRefusal(path: string, scope: PathScope): string | undefined {
  if (isOwnTmp(path, scope)) return undefined;
  if (both(scope.home.runDir, scope).some((dir) => isWithinFolded(path, dir))) return "it belongs to the running agent";
  const place = placeInHomes(path, scope);
  if (place === undefined) return undefined;
  const inner = fold(path).slice(fold(place.home).length);
  if (isAny(path, place.home, lists.HOME_FILES)) return "agent config and agent permissions change it";
  if (isInAny(path, place.home, lists.HOME_MEMORY)) return "the tool memory and agent memory change it";
  if (isInAny(path, place.home, lists.HOME_TREES)) return "only the agent's own commands change it";
  if (lists.HOME_SKILL_RECORDS.test(inner)) return "the agent keeps it; skill_manage and /skills change skills";
  if (lists.HOME_STORE.test(inner) && !/^\/kanban\/(boards\/[^/]+\/)?workspaces\//.test(inner))
    return "it is a store of the agent";
  if (place.own || scope.crossProfile) return undefined;
  return isInAny(path, place.home, lists.PROFILE_TREES)
    ? "it belongs to another profile; cross_profile: true asks for it"
    : undefined;
}

function safeRootRefusal(path: string, scope: PathScope): string | undefined {
  const root = scope.env["AGENT_WRITE_SAFE_ROOT"];
  if (!root) return undefined;
  const allowed = absolutePath(root, "/", scope.userHome);
  return both(allowed, scope).some((dir) => isWithin(path, dir))
    ? undefined
    : `it is outside AGENT_WRITE_SAFE_ROOT, ${allowed}`;
}

/** Writes that are possible but always asked about (core part, 20.4, class `system-write`). */
function isSystemWrite(path: string, scope: PathScope): boolean {
  if (isGitSetting(path)) return true;
  if (both(scope.userHome, scope).some((home) => isInAny(path, home, lists.START_FILES))) return true;
  return fold(basename(path)).startsWith(".env") && lists.SECRET_NAMES.has(fold(basename(path)));
}

/** Decide whether a tool may read `absolute` (core part, 21.2). */
export function guardRead(absolute: string, scope: PathScope): PathAnswer {
  if (lists.DEVICES.test(absolute)) return refuse(absolute, "it is a device or a view of a process, not a file");
  const path = realTarget(absolute);
  if (path === undefined) return refuse(absolute, leadsNowhere(absolute));
  if (lists.DEVICES.test(path)) return refuse(absolute, "it is a device or a view of a process, not a file");
  if (isSecretFile(path, scope) || isSecretFile(absolute, scope))
    return { ok: false, path: absolute, why: secretText(absolute, path, scope), kind: "protected" };
  if (isClosed(path, scope))
    return { ok: false, path: absolute, why: `Refusing to read ${absolute}: ${CLOSED}.`, kind: "protected" };
  return { ok: true, path, outside: !both(scope.project, scope).some((dir) => isWithin(path, dir)) };
}

/** `isSecretFile` for the files below a real directory; away from homes of users and of the agent only names need to be looked at. */
export function secretFilter(root: string, scope: PathScope): (path: string) => boolean {
  const { dir, root: boards, runDir } = scope.home;
  const trees = lists.USER_TREES.map((name) => join(scope.userHome, name));
  const places = [dir, boards, runDir, ...trees].flatMap((place) => both(place, scope));
  const around = both(scope.userHome, scope).some((place) => isWithinFolded(place, root));
  const near = around || places.some((place) => isWithinFolded(place, root) || isWithinFolded(root, place));
  return near ? (path) => isSecretFile(path, scope) || isClosed(path, scope) : hasSecretName;
}

function hasSecretName(path: string): boolean {
  const name = fold(basename(path));
  return lists.SECRET_NAMES.has(name) || (lists.PRIVATE_KEY.test(name) && !path.includes("/node_modules/"));
}

/** What lies beside keys and may be read. */
const OPEN_OF_SSH = /\.pub$|^(known_hosts|config|authorized_keys)(\.old)?$|^\.ssh$/;

/** The path names a file that holds secrets. */
export function isSecretFile(path: string, scope: PathScope): boolean {
  if (hasSecretName(path)) return true;
  const name = fold(basename(path));
  for (const home of both(scope.userHome, scope)) {
    if (isAny(path, home, lists.USER_FILES)) return true;
    const tree = lists.USER_TREES.find((one) => isWithinFolded(path, join(home, one)));
    if (tree !== undefined && !(tree === ".ssh" && OPEN_OF_SSH.test(name))) return true;
  }
  return isHomeSecret(path, scope);
}

function isHomeSecret(path: string, scope: PathScope): boolean {
  if (isOwnTmp(path, scope)) return false;
  if (both(scope.home.runDir, scope).some((dir) => isWithinFolded(path, dir))) return true;
  const place = placeInHomes(path, scope);
  if (place === undefined) return false;
  if (isAny(path, place.home, lists.HOME_SECRETS) || isInAny(path, place.home, lists.HOME_SECRET_TREES)) return true;
  const inner = fold(path).slice(fold(place.home).length);
  return lists.HOME_STORE.test(inner) && !/^\/kanban\/(boards\/[^/]+\/)?(workspaces|attachments)\//.test(inner);
}

/** @param path real path of what was asked for as `absolute` */
function secretText(absolute: string, path: string, scope: PathScope): string {
  const home = both(scope.userHome, scope).find((dir) => [absolute, path].some((one) => isWithinFolded(one, dir)));
  const tree = lists.USER_TREES.find(
    (name) => home !== undefined && [absolute, path].some((one) => isWithinFolded(one, join(home, name))),
  );
  const why = tree === undefined ? "it may hold secrets" : `~/${tree} holds keys or credentials`;
  return `Refusing to read ${absolute}: ${why}. This guards against accidents; the user can paste what is needed.`;
}
