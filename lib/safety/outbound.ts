import type { BigIntStats } from "node:fs";
import { type FileHandle, lstat, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import { openToRead } from "../base/fs/files.js";
import { type Home, loginRoot } from "../base/home.js";
import { expandTilde } from "../base/tilde.js";
import type { EpochMs, Ms } from "../base/units.js";
import type { HomeView } from "../contracts/gateway/reach.js";
import { findRealPlace, type PrivateTmp } from "./cage/temporary.js";
import { isBelow, isClosed, isSecretFile, isWithin } from "./paths/paths.js";

/** What decides whether a file may leave the machine (gateway part, 12.2). */
export interface OutboundScope {
  readonly home: Pick<Home, "dir" | "root" | "runDir">;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Only output folders, named directories and fresh files. */
  readonly strict: boolean;
  /** Directories that strict mode allows besides. */
  readonly allowDirs: readonly string[];
  readonly now: () => EpochMs;
  /** What the receiver of the file may see of homes; absent: everything. */
  readonly view?: HomeView;
  /** What the author of the name sees as `/tmp`; absent: the temporary directory of this machine. */
  readonly tmp?: PrivateTmp;
}

/** A file that may leave, held open: what is read from it is what was judged. */
export interface OpenOutbound {
  readonly ok: true;
  readonly file: FileHandle;
  /** Real path. */
  readonly path: string;
  readonly size: number;
}

export type OutboundAnswer = OpenOutbound | { readonly ok: false; readonly reason: string };

const SYSTEM = ["/etc", "/proc", "/sys", "/dev", "/boot", "/var/log", "/var/lib", "/var/run", "/run"] as const;
const PERSONAL = [".ssh", ".aws", ".gnupg", ".kube", ".docker", ".config", ".azure", ".gcloud"] as const;
const OUTPUT = [
  "cache/images",
  "cache/audio",
  "cache/videos",
  "cache/documents",
  "cache/screenshots",
  "cron/output",
] as const;
/** Workspaces and attachments of boards, below the home of all boards. */
const BOARD_OUTPUT = /^\/kanban\/(boards\/[^/]+\/)?(workspaces|attachments)\/./;
const FRESH: Ms = 600_000;

const fold = (path: string): string => path.normalize("NFC").toLowerCase();
const isIn = (path: string, dirs: readonly string[]): boolean => dirs.some((dir) => isWithin(fold(path), fold(dir)));

/**
 * Judge a file by its real path and open it. The judgement is made again about what was opened: a link or directory that is swapped in between
 * changes nothing. The caller closes the file.
 */
export async function openOutbound(given: string, scope: OutboundScope): Promise<OutboundAnswer> {
  const wanted = expandTilde(given, scope.userHome);
  if (!isAbsolute(wanted) || wanted.includes("\0")) return refuse("its path is not absolute");
  const real = await realOf(scope.tmp === undefined ? normalize(wanted) : findRealPlace(normalize(wanted), scope.tmp));
  if (real === undefined) return refuse("no such file");
  const roots = await rootsOf(scope);
  const why = refusal(real, scope, roots) ?? refusalOfKind(await lstat(real, { bigint: true }).catch(() => undefined));
  if (why !== undefined) return refuse(why);
  const file = await openToRead(real).catch(() => undefined);
  if (file === undefined) return refuse("it cannot be read");
  const judged = await judgeOpened(file, real, scope, roots);
  if (!judged.ok) await file.close();
  return judged;
}

async function judgeOpened(
  file: FileHandle,
  real: string,
  scope: OutboundScope,
  roots: Roots,
): Promise<OutboundAnswer> {
  const found = await file.stat({ bigint: true });
  const path = await pathOf(file, real, found);
  if (path === undefined) return refuse("it was changed while it was looked at");
  const why = refusal(path, scope, roots) ?? refusalOfKind(found);
  if (why !== undefined) return refuse(why);
  const allowed = isOutput(path, roots);
  if (found.nlink > 1n && !allowed) return refuse("it has several names (hard links)");
  const fresh = scope.now() - Number(found.mtimeMs) < FRESH;
  if (scope.strict && !allowed && !fresh && !isIn(path, roots.allowDirs)) {
    return refuse("strict delivery is on: it lies in no output folder and was not changed in the last 10 minutes");
  }
  return { ok: true, file, path, size: Number(found.size) };
}

/** Where an open file lies now; undefined: its name leads to another one, or to none. */
async function pathOf(file: FileHandle, real: string, opened: BigIntStats): Promise<string | undefined> {
  const path =
    process.platform === "linux"
      ? await readlink(`/proc/self/fd/${file.fd}`).catch(() => real)
      : ((await realOf(real)) ?? "");
  const named = await lstat(path, { bigint: true }).catch(() => undefined);
  return named !== undefined && named.dev === opened.dev && named.ino === opened.ino ? path : undefined;
}

function refusalOfKind(found: BigIntStats | undefined): string | undefined {
  if (found === undefined) return "no such file";
  return found.isFile() ? undefined : "it is not a regular file";
}

interface Roots {
  /** Homes of the product, as they are named and as real paths. */
  readonly homes: readonly string[];
  /** Homes of all boards among them. */
  readonly boards: readonly string[];
  readonly user: readonly string[];
  readonly run: readonly string[];
  readonly allowDirs: readonly string[];
  /** The private temporary directory, which lies in a home. */
  readonly tmp: readonly string[];
}

async function rootsOf({ home, userHome, env, allowDirs, tmp }: OutboundScope): Promise<Roots> {
  const root = loginRoot(home);
  const named = env["AGENT_HOME"];
  const homes = [
    home.dir,
    home.root,
    root,
    join(userHome, ".agent"),
    ...(named && isAbsolute(named) ? [normalize(named)] : []),
  ];
  return {
    homes: await bothOf(homes),
    boards: await bothOf([home.root, root]),
    user: await bothOf([userHome]),
    run: await bothOf([home.runDir]),
    tmp: tmp === undefined ? [] : await bothOf([tmp.dir]),
    allowDirs: (await Promise.all(allowDirs.map(realOf))).flatMap((dir) => dir ?? []),
  };
}

async function bothOf(dirs: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(dirs.map(realOf));
  return [...new Set([...dirs, ...real.flatMap((dir) => dir ?? [])])];
}

const realOf = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);

/** Why a real path does not leave; undefined: nothing speaks against it. */
function refusal(path: string, scope: OutboundScope, roots: Roots): string | undefined {
  if (isOutput(path, roots) && isClosed(path, { ...scope, project: "/" })) return "it was not made in this chat";
  if (isOutput(path, roots)) return isSecretFile(path, { ...scope, project: "/" }) ? "it may hold secrets" : undefined;
  if (isIn(path, roots.tmp)) return isSecretFile(path, { ...scope, project: "/" }) ? "it may hold secrets" : undefined;
  if (isIn(path, roots.homes) || isIn(path, roots.run))
    return "it belongs to the agent; only its output folders are sent from";
  if (isIn(path, SYSTEM)) return "it belongs to the system";
  if (isIn(path, ["/root"]) && !roots.user.includes("/root")) return "it belongs to the system";
  const personal = roots.user.flatMap((dir) => PERSONAL.map((name) => join(dir, name)));
  if (isIn(path, personal)) return "it lies where keys and settings of the user are";
  return isSecretFile(path, { ...scope, project: "/" }) ? "it may hold secrets" : undefined;
}

/** The named folders of any home, by their exact names: the homes themselves, and the profiles below them. */
function isOutput(path: string, { homes, boards }: Roots): boolean {
  for (const home of homes) {
    if (!isBelow(path, home)) continue;
    const inner = path.slice(home.length);
    if (boards.includes(home) && BOARD_OUTPUT.test(inner)) return true;
    const own = inner.replace(/^\/profiles\/[^/]+/, "");
    if (OUTPUT.some((folder) => own.startsWith(`/${folder}/`))) return true;
  }
  return false;
}

const refuse = (reason: string): OutboundAnswer => ({ ok: false, reason });
