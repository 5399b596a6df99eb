import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Simple, UNKNOWN } from "../options/command-line.js";
import { isOneOf, readOptions } from "../options/read.js";
import { optionTable } from "../options/tables.js";

/** Where the repository of a directory is known to start no program of its own. */
export type RunsNothing = (directory: string | undefined) => boolean;

/** Subcommands that read and start nothing but what the configuration of the repository names. */
const READERS = new Set(["status", "log", "diff", "show", "rev-parse", "ls-files", "ls-tree", "blame", "describe"]);
/** Options before the subcommand with which it still only reads. */
const BEFORE = new Set(["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"]);
const NEVER = [
  "--output",
  "-o",
  "--ext-diff",
  "--textconv",
  "--open-files-in-pager",
  "--show-signature",
  "--exec",
  "--extcmd",
];

/** A call of git reads only, and its repository makes it run nothing. */
export function gitReads(simple: Simple, runsNothing: RunsNothing): boolean {
  const words = simple.words.slice(1);
  if (words.some((word) => word.splits || (word.text.startsWith(UNKNOWN) && !behindEnd(words, word)))) return false;
  const { options, operands } = readOptions(words, optionTable("git"));
  const [verb, ...rest] = operands.map((word) => word.text);
  const at = operands[0] === undefined ? -1 : words.indexOf(operands[0]);
  const before = words.slice(0, at === -1 ? words.length : at);
  if (!before.every((word) => BEFORE.has(word.text))) return false;
  if (options.some((option) => isOneOf(option, NEVER) && !(verb === "ls-files" && option.text === "-o"))) return false;
  return (
    runsNothing(simple.cwd) &&
    readsBy(
      verb ?? "",
      rest,
      options.map((option) => option.text),
    )
  );
}

function behindEnd<T extends { readonly text: string }>(words: readonly T[], word: T): boolean {
  const end = words.findIndex((one) => one.text === "--");
  return end !== -1 && words.indexOf(word) > end;
}

function readsBy(verb: string, rest: readonly string[], options: readonly string[]): boolean {
  if (READERS.has(verb)) return true;
  if (verb === "remote")
    return rest.length === 0 && options.every((option) => option === "-v" || option === "--verbose");
  if (verb === "branch" || verb === "tag")
    return (
      rest.length === 0 &&
      options.every((option) => /^(-a|-r|-v|-vv|-l|--list|--all|--remotes|--show-current)$/.test(option))
    );
  return verb === "config" && rest.length === 1 && options.length === 1 && options[0] === "--get";
}

const CONFIG_BYTES = 256 * 1024;

/** Settings by which a repository makes a read of git run a program, fetch, or take settings and files from elsewhere. */
const RUNS = {
  sections:
    /^\s*\[\s*(filter|include|includeif|gpg|pager|alias|credential|difftool|mergetool|interactive|trailer|uploadpack|protocol)\b/im,
  keys: /^\s*(fsmonitor|textconv|command|external|pager|hookspath|sshcommand|gitproxy|askpass|editor|worktree|showsignature|promisor|partialclone(filter)?|driver|process|clean|smudge|program|attributesfile|alternaterefscommand|packobjectshook|procreceive\w*)\s*(=|$)/im,
} as const;

/**
 * The repository that holds a directory starts nothing when it is read: its configuration names no filter, monitor, external difference or other
 * program. A directory without a repository does neither. The user's own configuration is trusted, that of a repository is not.
 */
export function repositoryRunsNothing(directory: string | undefined): boolean {
  if (directory === undefined) return false;
  for (let dir = resolve(directory); ; dir = dirname(dir)) {
    const facts = look(join(dir, ".git"));
    if (facts !== undefined)
      return configRunsNothing(facts === "directory" ? join(dir, ".git") : linked(join(dir, ".git"), dir));
    // A bare repository is one without being called so.
    if (look(join(dir, "HEAD")) === "file" && look(join(dir, "objects")) === "directory") return configRunsNothing(dir);
    if (dirname(dir) === dir) return true;
  }
}

function configRunsNothing(gitDirectory: string | undefined): boolean {
  if (gitDirectory === undefined) return false;
  const common = text(join(gitDirectory, "commondir"))?.trim();
  const places = [gitDirectory, ...(common === undefined ? [] : [resolve(gitDirectory, common)])];
  const files = places.flatMap((place) => [join(place, "config"), join(place, "config.worktree")]);
  return files.every((file) => {
    if (look(file) === undefined) return true;
    const content = text(file);
    // A line that goes on, or a key behind its section, is written to be overlooked.
    return (
      content !== undefined &&
      !RUNS.sections.test(content) &&
      !RUNS.keys.test(content.replace(/\][ \t]*/g, "]\n").replace(/\\\n/g, ""))
    );
  });
}

/** The directory that a file `.git` names: of a worktree or a submodule. */
function linked(file: string, dir: string): string | undefined {
  const named = /^gitdir: (.*)$/m.exec(text(file) ?? "")?.[1];
  return named === undefined ? undefined : resolve(dir, named.trim());
}

function look(path: string): "file" | "directory" | undefined {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts === undefined ? undefined : facts.isDirectory() ? "directory" : "file";
  } catch {
    return "file"; // there, and not readable: in doubt it does not count as a read
  }
}

function text(path: string): string | undefined {
  try {
    const facts = statSync(path);
    return facts.isFile() && facts.size <= CONFIG_BYTES ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined; // absent, or not readable
  }
}
