import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expandTilde } from "../../base/tilde.js";
import { UNKNOWN, type Word } from "../options/command-line.js";
import { isWithin, realTarget, temporaryDirectories } from "../paths/paths.js";
import { findHanded } from "./handed.js";
import { followLinks, linksOf, rawPath } from "./links.js";
import { type Call, type ExecScope, TARGETS_AT_MOST } from "./operands.js";
import { expandPattern, isPattern } from "./patterns.js";
import { writesOf } from "./table.js";
import type { WriteTarget } from "./target.js";

/** The line around a call. */
export interface WriteLine {
  /** Every call of the line, in order. */
  readonly calls: readonly Call[];
  /** Home directory of the user: programs expand `~` in a value themselves. */
  readonly userHome?: string;
}

/** Where a call writes. */
export interface WriteTargets {
  /** Absolute paths; links that the line makes are followed. */
  readonly paths: readonly string[];
  /** What else it writes, where only running it would tell the place. */
  readonly unknown: readonly string[];
}

const looked = new WeakMap<Call, { readonly line: WriteLine; readonly targets: WriteTargets }>();

/** Where a call writes: redirections, variables, and the writing options and operands of its program. Looked up once for a line. */
export function findWriteTargets(call: Call, line: WriteLine): WriteTargets {
  const known = looked.get(call);
  if (known !== undefined && known.line.calls === line.calls && known.line.userHome === line.userHome)
    return known.targets;
  const targets = readTargets(call, line);
  looked.set(call, { line, targets });
  return targets;
}

/** Paths that a call writes, by itself; undefined for each that only running it would tell. */
export function writeTargets(call: Call): readonly (string | undefined)[] {
  const { paths, unknown } = findWriteTargets(call, { calls: [call] });
  return [...paths, ...unknown.map(() => undefined)];
}

function readTargets(call: Call, line: WriteLine): WriteTargets {
  const { targets, unknown } = writesOf(call);
  const found: Found = { paths: new Set(), unknown: new Set(unknown === undefined ? [] : [unknown]) };
  const handed = findHanded(call, targets, line.calls);
  if (handed === "unknown") found.unknown.add(`what ${call.simple.under.at(-1) ?? "another program"} hands over`);
  const all = handed === "unknown" ? targets : [...targets, ...handed];
  for (const target of all.slice(0, TARGETS_AT_MOST)) addTarget(found, target, call, line);
  return { paths: [...found.paths], unknown: [...found.unknown] };
}

interface Found {
  readonly paths: Set<string>;
  readonly unknown: Set<string>;
}

/** Programs that put a name in place of `{}`; where from is looked up apart. */
const HANDING = /^(find|xargs|parallel)$/;

const textsOf = (word: Word): readonly string[] => word.choices ?? [word.text];

function addTarget(found: Found, target: WriteTarget, call: Call, line: WriteLine): void {
  for (const text of textsOf(target.word)) {
    if (text === "" || text === "-") continue;
    if (text === "{}" && call.simple.under.some((by) => HANDING.test(by))) continue;
    for (const directory of directoriesOf(target, call)) {
      for (const home of homesIn(text, line)) addText(found, { ...target, text: home, directory, call }, line);
    }
  }
}

/** Programs expand a tilde themselves in some values: both readings count. */
const homesIn = (text: string, { userHome }: Pick<WriteLine, "userHome">): readonly string[] => [
  userHome === undefined ? text : expandTilde(text, userHome),
];

/** Directories in which the target is named; undefined: not known. */
function directoriesOf(target: WriteTarget, call: Call): readonly (string | undefined)[] {
  const starts = call.simple.dirs ?? [call.simple.cwd];
  return target.into.reduce<readonly (string | undefined)[]>(
    (dirs, word) => dirs.flatMap((dir) => textsOf(word).map((text) => rawPath(text, dir))).slice(0, 16),
    starts,
  );
}

interface Place extends WriteTarget {
  readonly text: string;
  readonly directory: string | undefined;
  readonly call: Call;
}

function addText(found: Found, place: Place, line: WriteLine): void {
  const raw = rawPath(place.text, place.directory);
  if (raw === undefined) {
    found.unknown.add(showTarget(place.text));
    return;
  }
  const { paths, open } = isPattern(raw) && place.word.glob ? expandPattern(raw) : { paths: [], open: false };
  if (open) found.unknown.add(showTarget(place.text));
  const links = linksOf(line.calls);
  for (const path of [raw, ...paths].flatMap((one) => followLinks(one, links, place.call))) {
    if (path === undefined) found.unknown.add(showTarget(place.text));
    else addPath(found, path, place);
  }
}

function addPath(found: Found, path: string, { names, suffixes, text }: Place): void {
  for (const suffix of suffixes.length === 0 ? [""] : suffixes) found.paths.add(path + suffix);
  const inside = names.length > 0 && (text.endsWith("/") || isDirectory(path));
  if (inside)
    for (const name of names.flatMap(textsOf)) if (!name.includes(UNKNOWN)) found.paths.add(join(path, basename(name)));
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // not readable: the name itself decides
  }
}

const showTarget = (text: string): string => text.replaceAll(UNKNOWN, "?").slice(0, 200);

/** A device or descriptor that keeps nothing. */
export const isHarmlessDevice = (path: string): boolean =>
  /^\/(dev\/(null|zero|full|urandom|random|stdin|stdout|stderr|tty|ptmx|pts\/\d+|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(
    path,
  );

/** The path leads into the project or a temporary directory, links on disk followed. */
export function isWriteInside(path: string, scope: ExecScope): boolean {
  if (isHarmlessDevice(path)) return true;
  const real = realTarget(path) ?? resolve(path);
  return (
    isWithin(real, scope.project) || temporaryDirectories(scope).some((dir) => isWithin(real, dir) && real !== dir)
  );
}
