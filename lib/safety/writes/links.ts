import { existsSync, lstatSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { UNKNOWN, type Word } from "../options/command-line.js";
import { realTarget } from "../paths/paths.js";
import { type Call, hasFlag, operandPath, optionValues } from "./operands.js";

/** A name that earlier commands of the line make lead to another place. */
interface Link {
  /** Where it leads; undefined where only running the line would tell. */
  readonly to: string | undefined;
  /** A copy or a moved file leads where a link that it was made of leads; else it is a place of its own. */
  readonly copied: boolean;
  /** The command that makes it: it does not write through its own link. */
  readonly by: Call;
  /** `tree`: its content is not in the line, so that a name in it may be a link; `made`: a directory that the line makes. */
  readonly place?: "tree" | "made";
}

/** Links that the commands of one line make, by their absolute path. */
export type Links = ReadonlyMap<string, readonly Link[]>;

const LINKS_AT_MOST = 200;
const FOLLOWED_AT_MOST = 16;
const STEPS_AT_MOST = 400;

const known = new WeakMap<readonly Call[], Links>();

/** Links that these calls make, in whatever order they run: loops and functions may run them in another one. */
export function linksOf(calls: readonly Call[]): Links {
  const found = known.get(calls) ?? collect(calls);
  known.set(calls, found);
  return found;
}

function collect(calls: readonly Call[]): Links {
  const links = new Map<string, Link[]>();
  for (const call of calls) {
    if (links.size > LINKS_AT_MOST) break;
    for (const { path, link } of [...linksBy(call), ...treesBy(call)])
      links.set(path, [...(links.get(path) ?? []), link]);
  }
  return links;
}

function linksBy(call: Call): readonly { readonly path: string; readonly link: Link }[] {
  const { program } = call;
  const symbolic =
    program === "ln" ? hasFlag(call, "-s", "--symbolic") : program === "cp" && hasFlag(call, "-s", "--symbolic-link");
  const hard = (program === "ln" && !symbolic) || (program === "cp" && hasFlag(call, "-l", "--link"));
  const copies =
    program === "mv" ||
    (program === "cp" && hasFlag(call, "-a", "--archive", "-d", "-P", "--no-dereference", "-r", "-R", "--recursive"));
  if (!symbolic && !hard && !copies) return [];
  const named = optionValues(call, "-t", "--target-directory");
  const operands = call.positionals;
  const sources = named.length > 0 || operands.length < 2 ? operands : operands.slice(0, -1);
  const place = named[0] ?? (operands.length < 2 ? undefined : operands.at(-1));
  return sources
    .slice(0, LINKS_AT_MOST)
    .flatMap((source) =>
      pathsMade(call, source, place).map((path) => ({ path, link: linkTo(call, source, path, symbolic) })),
    );
}

/** Trees that come from elsewhere: a clone, an unpacked archive. */
function treesBy(call: Call): readonly { readonly path: string; readonly link: Link }[] {
  const link: Link = { to: undefined, copied: false, by: call, place: "tree" };
  const at = (words: readonly (Word | undefined)[]) =>
    words.flatMap((word) => operandPath(word?.text ?? UNKNOWN, call.simple.cwd) ?? []).map((path) => ({ path, link }));
  const [verb, source, place] = call.positionals;
  if (call.program === "git" && verb?.text === "clone" && source !== undefined) {
    const name = source.text
      .replace(/\/+$/, "")
      .replace(/\/?\.git$/, "")
      .split(/[/:]/)
      .at(-1);
    return at([place ?? { ...source, text: name || "." }]);
  }
  const unpacks = /^(tar|bsdtar)$/.test(call.program)
    ? hasFlag(call, "-x", "--extract", "--get")
    : call.program === "unzip" || call.program === "cpio";
  if (call.program === "mkdir")
    return at(call.positionals).map(({ path }) => ({
      path,
      link: { to: path, copied: true, by: call, place: "made" as const },
    }));
  if (!unpacks) return [];
  const into = optionValues(call, "-C", "--directory", "-d");
  return at(into.length > 0 ? into : [{ text: ".", literal: true, glob: false, quoted: true, inner: [] }]);
}

/** A name below a tree that is not there yet, and that the line does not make a directory itself. */
function isUnseen(here: string, after: readonly string[], links: Links): boolean {
  const [first] = after;
  if (first === undefined || first === ".." || after.length < 2 || links.has(join(here, first))) return false;
  return !existsSync(join(here, first));
}

/** Names that are made: the place itself, or one in it when it is a directory. */
function pathsMade(call: Call, source: Word, place: Word | undefined): readonly string[] {
  const directory = operandPath(place?.text ?? ".", call.simple.cwd);
  if (directory === undefined) return [];
  const inside = join(directory, basename(source.text));
  return place === undefined ? [inside] : [directory, inside];
}

function linkTo(call: Call, source: Word, path: string, symbolic: boolean): Link {
  const relativeTo =
    symbolic && call.program === "ln" && !hasFlag(call, "-r", "--relative") ? dirname(path) : call.simple.cwd;
  const hard = call.program === "ln" || hasFlag(call, "-l", "--link", "-s", "--symbolic-link");
  return { to: operandPath(source.text, relativeTo), copied: !hard, by: call };
}

/** Where an absolute path leads, links on disk behind `..` and those of the line followed; undefined stands for a place that is not known. */
export function followLinks(path: string, links: Links, by?: Call): readonly (string | undefined)[] {
  if (links.size === 0 && !/(^|\/)\.\.(\/|$)/.test(path)) return [resolve(path)];
  const done: (string | undefined)[] = [];
  const open: { readonly at: string; readonly rest: readonly string[]; readonly steps: number }[] = [
    { at: "/", rest: path.split("/"), steps: 0 },
  ];
  while (open.length > 0 && done.length < FOLLOWED_AT_MOST) {
    const next = open.pop();
    if (next === undefined) break;
    const { at, rest, steps } = next;
    const segment = rest[0];
    if (steps > STEPS_AT_MOST) done.push(undefined);
    else if (segment === undefined) done.push(at);
    else if (segment === "" || segment === ".") open.push({ at, rest: rest.slice(1), steps: steps + 1 });
    else if (segment === "..") open.push({ at: dirname(realTarget(at) ?? at), rest: rest.slice(1), steps: steps + 1 });
    else {
      const here = join(at, segment);
      const after = rest.slice(1);
      open.push({ at: here, rest: after, steps: steps + 1 });
      for (const link of links.get(here) ?? []) {
        const way = link.by === by ? "stays" : wayThrough(link, { here, after }, links);
        if (way === "unknown") done.push(undefined);
        else if (way !== "stays") open.push({ at: "/", rest: [...way.to.split("/"), ...after], steps: steps + 20 });
      }
    }
  }
  return open.length > 0 ? [...done, undefined] : [...new Set(done)];
}

interface Step {
  readonly here: string;
  /** What follows the name in the path. */
  readonly after: readonly string[];
}

/** Where a name that the line makes leads: to another place, to one that is not known, or nowhere else. */
function wayThrough(
  { to, copied, place }: Link,
  { here, after }: Step,
  links: Links,
): { readonly to: string } | "unknown" | "stays" {
  if (place === "made") return "stays";
  if (place === "tree") return isUnseen(here, after, links) ? "unknown" : "stays";
  if (to === undefined) return "unknown";
  return !copied || holdsLink(to, after, links) ? { to } : "stays";
}

/** A copied place leads elsewhere only by a link in it, on disk or made by the line. */
function holdsLink(path: string, rest: readonly string[], links: Links): boolean {
  let at = path;
  for (const segment of [".", ...rest]) {
    at = join(at, segment);
    if (links.has(at) || isLink(at)) return true;
  }
  return false;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false; // not readable for us, so not for the command either
  }
}

/** An absolute path without its dot segments taken away: `..` behind a link leads elsewhere than its letters say. */
export function rawPath(text: string, cwd: string | undefined): string | undefined {
  if (text.includes(UNKNOWN)) return undefined;
  if (isAbsolute(text)) return text;
  return cwd === undefined ? undefined : `${cwd}/${text}`;
}
