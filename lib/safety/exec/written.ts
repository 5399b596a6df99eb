import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { UNKNOWN } from "../options/command-line.js";
import { isWithin, realTarget } from "../paths/paths.js";
import { writeTargets } from "../writes/find.js";
import { type Call, hasFlag, operandPath, type WrittenFiles } from "../writes/operands.js";
import { isCode } from "./project-code.js";
import { loadedDirectories, searchedDirectories } from "./search-paths.js";

/** Paths that one conversation keeps in mind. Beyond them every file counts as written. */
const PATHS_AT_MOST = 10_000;

/** `WrittenFiles` that grows. */
export interface WrittenLog extends WrittenFiles {
  file(path: string): void;
  /** Everything below the directory. */
  tree(dir: string): void;
  search(dir: string): void;
  load(dir: string): void;
  remote(name: string): void;
}

export function createWrittenLog(): WrittenLog {
  const files = new Set<string>();
  const trees = new Set<string>();
  const searched = new Set<string>();
  const loaded = new Set<string>();
  const remotes = new Set<string>();
  let full = false;
  const keep = (set: Set<string>, text: string) => {
    if (files.size + trees.size + searched.size + loaded.size + remotes.size >= PATHS_AT_MOST) full = true;
    else set.add(text);
  };
  const holds = (dir: string, counts: (path: string) => boolean) =>
    full ||
    [...files].some((path) => isWithin(path, dir) && counts(path)) ||
    [...trees].some((one) => isWithin(one, dir) || isWithin(dir, one));
  return {
    has: (path) => full || files.has(path) || [...trees].some((dir) => isWithin(path, dir)),
    below: (dir) => holds(dir, () => true),
    code: (dir) => holds(dir, (path) => path !== dir && isCode(path)),
    get searched() {
      return [...searched];
    },
    get loaded() {
      return [...loaded];
    },
    get remotes() {
      return [...remotes];
    },
    file: (path) => keep(files, realTarget(path) ?? path),
    tree: (dir) => keep(trees, realTarget(dir) ?? dir),
    search: (dir) => keep(searched, dir),
    load: (dir) => keep(loaded, dir),
    remote: (name) => keep(remotes, name),
  };
}

const COPIES = /^(cp|mv|install|ln|rsync|scp)$/;
/** Programs that write files which their words do not name. */
const UNPACKS = /^(tar|bsdtar|unzip|7z|7za|cpio|patch|unsquashfs|ar|gunzip|unxz|bunzip2|unzstd)$/;

/**
 * Remember what a call writes: its targets, unless they are compiled from what was there before, files that a copy makes in a directory, and trees that are copied or unpacked.
 *
 * @param isKnown whether a real path was written before: what is unpacked from it is new, too
 */
export function noteWritten(log: WrittenLog, call: Call, isKnown: (path: string) => boolean): void {
  const { cwd } = call.simple;
  for (const dir of searchedDirectories(call)) log.search(dir);
  for (const dir of loadedDirectories(call)) log.load(dir);
  const targets = compilesKnownSources(call, isKnown) ? [] : writeTargets(call).filter((path) => path !== undefined);
  for (const target of targets) {
    if (/^\/dev\//.test(target)) continue;
    if (!/^(mkdir|touch|chmod|chown|chgrp)$/.test(call.program) || call.simple.redirects.length > 0) log.file(target);
    if (COPIES.test(call.program)) {
      for (const word of call.operands) log.file(join(target, basename(word.text)));
      if (call.program === "mv" || hasFlag(call, "-r", "-R", "-a", "--recursive", "--archive")) log.tree(target);
    }
  }
  if (/^g?make$/.test(call.program)) for (const path of builtByRule(call)) log.file(path);
  if (UNPACKS.test(call.program) || gitApplies(call)) noteUnpacked(log, call, isKnown);
  if (call.program === "git") noteRemote(log, call);
  if (/^(curl|wget|aria2c)$/.test(call.program) && cwd !== undefined) noteDownloaded(log, call, cwd);
}

/** A program that is compiled from sources of the project is as old as they are. Any option that could bring other code in counts against it. */
function compilesKnownSources(call: Call, isKnown: (path: string) => boolean): boolean {
  if (!/^(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)$/.test(call.program) || call.simple.redirects.length > 0) return false;
  const output = call.words.indexOf("-o");
  const rest = output === -1 ? call.words : call.words.toSpliced(output, 2);
  return rest.every((word) => {
    if (word.startsWith("-"))
      return /^-(g\d?|O[0-3sg]?|W(all|extra|error|pedantic)|pedantic|std=[\w+]+|lm|c|w|pthread)$/.test(word);
    const path = /\.(c|cc|cpp|cxx)$/.test(word) ? operandPath(word, call.simple.cwd) : undefined;
    return path !== undefined && !isKnown(realTarget(path) ?? path);
  });
}

/** `make x` without a rule for it compiles `x.c` to `x`. */
function builtByRule(call: Call): readonly string[] {
  return call.positionals.flatMap((word) => {
    const path = /^[\w./-]+$/.test(word.text) ? operandPath(word.text, call.simple.cwd) : undefined;
    return path !== undefined && [".c", ".cc", ".cpp", ".sh", ".s", ".go"].some((end) => existsSync(path + end))
      ? [path]
      : [];
  });
}

const gitApplies = (call: Call): boolean => call.program === "git" && /^(apply|am)$/.test(call.operands[0]?.text ?? "");

/** What is unpacked counts as written where a directory is named, and elsewhere when the archive itself was made in this conversation. */
function noteUnpacked(log: WrittenLog, call: Call, isKnown: (path: string) => boolean): void {
  const { cwd, feed, redirects } = call.simple;
  const named = call.words.flatMap((word, index) => {
    if (/^(-C|-d|--directory)$/.test(word)) return [call.words[index + 1] ?? ""];
    return /^(?:--directory=|-C|-d)(.+)$/.exec(word)?.slice(1) ?? [];
  });
  const dirs = named.flatMap((text) => operandPath(text, cwd) ?? []);
  const sources = [...call.operands, ...redirects.filter((one) => one.op === "<").map((one) => one.target)];
  const made =
    feed !== undefined ||
    redirects.some((one) => one.op.startsWith("<<")) ||
    sources.some((word) => {
      const path = operandPath(word.text, cwd);
      return path !== undefined && isKnown(realTarget(path) ?? path);
    });
  if (!made) return;
  if (dirs.length > 0) for (const dir of dirs) log.tree(dir);
  else if (cwd !== undefined) log.tree(cwd);
}

function noteRemote(log: WrittenLog, call: Call): void {
  const texts = call.operands.map((word) => word.text);
  const at = texts.indexOf("remote");
  if (at !== -1 && /^(add|set-url|rename)$/.test(texts[at + 1] ?? ""))
    for (const text of texts.slice(at + 2)) log.remote(text);
  const key = call.words.find((word) =>
    /^(remote\..*\.(push)?url|url\..*\.(pushi|i)nsteadof|branch\..*\.(push)?remote|remote\.pushdefault)$/i.test(word),
  );
  if (call.words.includes("config") && key !== undefined)
    log.remote(/^remote\.(.*)\.(?:push)?url$/i.exec(key)?.[1] ?? "*");
}

function noteDownloaded(log: WrittenLog, call: Call, cwd: string): void {
  const keeps =
    call.program !== "curl" || call.words.some((word) => /^(-[a-zA-Z]*[OJ][a-zA-Z]*|--remote-name(-all)?)$/.test(word));
  if (!keeps) return;
  for (const { text } of call.operands) {
    if (text.includes(UNKNOWN)) continue;
    const name = basename(text.replace(/[?#].*$/, ""));
    if (name !== "") log.file(join(cwd, name));
  }
}
