import { delimiter, dirname, isAbsolute, join } from "node:path";
import { isSharedDirectory } from "../../base/fs/shared-directory.js";
import { type Home, loginRoot } from "../../base/home.js";
import { HOME_OPEN, START_FILES } from "../paths/path-lists.js";
import { absolutePath, isWithin, userHomeOf } from "../paths/paths.js";
import { findClientPrograms } from "./clients.js";
import * as lists from "./lists.js";
import type { MadeRepositories } from "./made.js";
import { findRepositoryParts, listReadableNames, type RepositoryParts, readPathKind, realOf } from "./repository.js";
import { isCommitted, scanProject } from "./secret-files.js";
import type { CagePlan, CageUse } from "./types.js";

export interface PlanSettings {
  readonly home: Pick<Home, "dir" | "root" | "runDir">;
  /** Directory of this machine that becomes `/tmp`. It exists. */
  readonly tmp: string;
  /** `terminal.cage_writable`. */
  readonly writable: readonly string[];
  readonly network: "host" | "none";
  /** Whether a rule of the person shows this secret file of the project to commands. */
  readonly mayRead: (path: string) => boolean;
  /** Knows which repositories commands have made. */
  readonly made: MadeRepositories;
}

/** Repositories inside of a project whose settings are held one by one; the `.git` of further ones is read-only. */
const NESTED_AT_MOST = 32;

/** What of the machine a cage hides and shows, whatever the project holds. No command in a cage changes it, unless it may write the user's home. */
export interface Surroundings {
  readonly userHome: string;
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  readonly masked: readonly string[];
}

/** Look for them on the disk: about 60 paths and every directory of programs, which is most of the work of a plan. */
export function findSurroundings(use: Pick<CageUse, "env" | "clients">, home: PlanSettings["home"]): Surroundings {
  const userHome = realOf(userHomeOf(use.env)) ?? userHomeOf(use.env);
  const masked = findClientPrograms(use.env["PATH"], userHome, use.clients);
  return { userHome, hidden: findHidden(home, userHome), shown: findShown(use, userHome), masked };
}

/** Decide what a cage shows. Looks at the disk each time: a repository or an `.env` may have appeared. */
export function planCage(
  use: CageUse,
  settings: PlanSettings,
  around = findSurroundings(use, settings.home),
): CagePlan {
  const { userHome, hidden: always } = around;
  const project = findCageProject(use.directory, userHome);
  const repository = findRepositoryParts(project);
  const own = [project, ...(use.own ?? [])].flatMap((dir) => realOf(dir) ?? []);
  const mayWrite = (dir: string) =>
    !isTemporary(dir) && isUsable(dir, userHome) && !isHidden(dir, always, settings.home);
  const extra = settings.writable.flatMap((given) => existing(absolutePath(given, userHome, userHome)));
  const writable = [...own, ...repository.writable, ...extra].filter(mayWrite);
  const scans = own.map((dir) => ({ dir, ...scanProject(dir) }));
  const secrets = [...new Set(scans.flatMap((scan) => scan.secrets))].filter(
    (path) => !isHidden(path, always, settings.home),
  );
  const open = secrets.filter((path) => settings.mayRead(path) || isCommitted(path, project));
  const settingsFiles = writable.includes(project) ? findSettings(project, userHome, extra) : [];
  const made = new Set(scans.flatMap((scan) => [...settings.made.find(scan.dir, scan.repositories)]));
  const nested = writable.includes(project)
    ? findNestedParts(
        scans.flatMap((scan) => scan.repositories).filter((path) => dirname(path) !== project && !made.has(path)),
      )
    : { writable: [], readOnly: [] };
  const held = [...repository.readOnly, ...nested.readOnly, ...settingsFiles, ...open];
  const secret = secrets.filter((path) => !open.includes(path));
  return {
    project,
    writable: [...new Set([...writable, ...nested.writable.filter((dir) => isWithin(dir, project) && mayWrite(dir))])],
    readOnly: [...new Set(held)].filter(
      (path) => !secret.includes(path) && writable.some((dir) => isWithin(path, dir)),
    ),
    hidden: [...always, ...secret],
    secret,
    made: [...made],
    masked: around.masked,
    shown: [...new Set([...findResults(use, settings.home), ...around.shown])].filter(
      (path) => !writable.includes(path),
    ),
    tmp: settings.tmp,
    network: settings.network,
  };
}

/**
 * Parts of the repositories of a person inside of the project. Those that a command has made are left as they are: they can be removed again, and
 * get no credentials for what their settings name.
 */
function findNestedParts(repositories: readonly string[]): RepositoryParts {
  const parts = repositories.slice(0, NESTED_AT_MOST).map((path) => findRepositoryParts(dirname(path)));
  return {
    writable: parts.flatMap((one) => one.writable),
    readOnly: [...parts.flatMap((one) => one.readOnly), ...repositories.slice(NESTED_AT_MOST)],
  };
}

/** The git top level that holds `directory`, else `directory`. Never `/`, the user's home or one like `/tmp` by a repository. */
export function findCageProject(directory: string, userHome: string): string {
  const start = realOf(directory) ?? directory;
  for (let dir = start; dirname(dir) !== dir && dir !== userHome; dir = dirname(dir)) {
    if (readPathKind(join(dir, ".git")) !== undefined && (dir === start || !isSharedDirectory(dir))) return dir;
  }
  return start;
}

const existing = (path: string): readonly string[] => {
  const real = isAbsolute(path) ? realOf(path) : undefined;
  return real === undefined ? [] : [real];
};

/** `/tmp` itself and what cannot be a directory of its own in it. */
const isTemporary = (dir: string): boolean => lists.TEMPORARY.some((name) => dir === name || realOf(name) === dir);

/** Not the system's, and not what holds the user's home. */
function isUsable(dir: string, userHome: string): boolean {
  if (dir === "/" || (dir !== userHome && isWithin(userHome, dir))) return false;
  const within = (trees: readonly string[]) => trees.some((tree) => isWithin(dir, tree));
  return readPathKind(dir) === "directory" && (within(lists.STILL_PROJECT) || !within(lists.NEVER_PROJECT));
}

/** It lies in something hidden, but for workspaces and attachments of boards. */
function isHidden(dir: string, hidden: readonly string[], home: PlanSettings["home"]): boolean {
  if (!hidden.some((one) => isWithin(dir, one))) return false;
  return !homesOf(home).some((one) => isWithin(dir, one) && HOME_OPEN.board.test(dir.slice(one.length)));
}

const homesOf = (home: PlanSettings["home"]): readonly string[] => [
  ...new Set([home.dir, home.root, loginRoot(home)].flatMap((dir) => existing(dir))),
];

function findHidden(home: PlanSettings["home"], userHome: string): readonly string[] {
  const ofUser = lists.HIDDEN_OF_USER.map((name) => join(userHome, name));
  const all = [
    ...lists.HIDDEN_OF_SYSTEM,
    ...ofUser,
    home.dir,
    home.root,
    loginRoot(home),
    home.runDir,
    join(userHome, ".agent"),
  ];
  const real = new Set(all.flatMap(existing));
  real.delete(userHome);
  real.delete("/");
  // What lies in a hidden directory is hidden with it.
  return [...real].filter((path) => ![...real].some((other) => other !== path && isWithin(path, other)));
}

/** What stays visible below what is hidden and may appear at any time: results of this lineage, what the process shows. */
function findResults(use: CageUse, home: PlanSettings["home"]): readonly string[] {
  const results = ["results", "processes", "attached"].map((kind) => join(home.dir, "cache", kind, use.lineage));
  return [...results, ...(use.shown ?? [])].flatMap(existing);
}

/** The run-time files of the system that programs need, and programs in `/tmp`. */
function findShown({ env }: Pick<CageUse, "env">, userHome: string): readonly string[] {
  const resolver = existing("/etc/resolv.conf").filter((path) => isWithin(path, "/run"));
  const programs = (env["PATH"] ?? "").split(delimiter).filter((dir) => isAbsolute(dir));
  const inTmp = [userHome, ...programs]
    .flatMap(existing)
    .filter((path) => lists.TEMPORARY.some((dir) => path !== dir && isWithin(path, dir)));
  return [...lists.SHOWN_OF_RUN.flatMap(existing), ...resolver, ...inTmp];
}

/** Settings that lie in the project: `.agent`, and in a home the files that programs read at their start. */
function findSettings(project: string, userHome: string, writable: readonly string[]): readonly string[] {
  const agent = join(project, ".agent");
  const found = readPathKind(agent) === undefined ? [] : [agent];
  if (project === userHome) {
    const dots = listReadableNames(project).filter(
      (name) => name.startsWith(".") || lists.HOME_STARTS.some((start) => start === name),
    );
    found.push(...dots.map((name) => join(project, name)).filter((path) => !writable.includes(path)));
  } else if (isWithin(userHome, project) || isWithin(project, userHome)) {
    found.push(
      ...START_FILES.map((name) => join(userHome, name)).filter(
        (path) => isWithin(path, project) && readPathKind(path) !== undefined,
      ),
    );
  }
  return found.filter((path) => readPathKind(path) === "file" || readPathKind(path) === "directory");
}
