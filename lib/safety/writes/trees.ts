import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { UNKNOWN, type Word } from "../options/command-line.js";
import { isWithin, realTarget } from "../paths/paths.js";
import { findWriteTargets } from "./find.js";
import { followLinks, linksOf, rawPath } from "./links.js";
import { type Call, type ExecScope, hasFlag, operandPath, optionValues } from "./operands.js";

/** Files of the project that decide what runs or what is allowed. */
const PROTECTED = [
  ".agent/permissions.yaml",
  ".git/config",
  ".git/config.worktree",
  ".git/commondir",
  ".git/hooks",
  ".git/info/attributes",
] as const;

/** What a call does to protected files of the project without naming them. */
export interface TakenFiles {
  /** It removes, moves or replaces them, or a directory that holds them. */
  readonly paths: readonly string[];
  /** It takes everything of the work tree with it, those files too. */
  readonly withAll: readonly string[];
}

const NOTHING: TakenFiles = { paths: [], withAll: [] };

/** Protected files of the project that a call removes, moves away or replaces together with a directory. */
export function findTakenFiles(call: Call, calls: readonly Call[], scope: ExecScope): TakenFiles {
  const files = PROTECTED.map((name) => join(scope.project, name));
  if (call.program === "git") return takenByGit(call, calls, scope, files);
  const removed = removedBy(call).flatMap((word) => placesOf(word, call, calls));
  const gone = files.filter((file) => existsSync(file) && removed.some((place) => isWithin(file, place)));
  const replaced = copiesOf(call, calls).flatMap((copy) => files.filter((file) => brings(copy, file, calls)));
  const unpacked = unpackedBy(call, calls, scope, files);
  const synced = call.program === "rsync" && call.options.some((option) => /^--del/.test(option.names[0] ?? ""));
  const swept = synced ? call.positionals.slice(-1).flatMap((word) => placesOf(word, call, calls)) : [];
  return {
    paths: [...new Set([...gone, ...replaced, ...unpacked, ...patchedBy(call, calls, scope, files)])],
    withAll: files.filter((file) => existsSync(file) && swept.some((place) => isWithin(file, place))),
  };
}

/** Every place that a word may mean, links followed. */
function placesOf(word: Word, call: Call, calls: readonly Call[]): readonly string[] {
  const dirs = call.simple.dirs ?? [call.simple.cwd];
  return (word.choices ?? [word.text]).flatMap((text) =>
    dirs.flatMap((dir) => {
      const raw = rawPath(text.replace(/\/\*+$/, "") || "/", dir);
      return raw === undefined
        ? []
        : followLinks(raw, linksOf(calls), call).flatMap((path) =>
            path === undefined
              ? []
              : [
                  path,
                  realTarget(dirname(path)) === undefined
                    ? path
                    : join(realTarget(dirname(path)) ?? "", basename(path)),
                ],
          );
    }),
  );
}

function removedBy(call: Call): readonly Word[] {
  if (/^(rm|unlink|rmdir|shred|srm|trash|rename|mmv|truncate|chmod|chown)$/.test(call.program)) return call.operands;
  if (call.program !== "mv") return [];
  return hasFlag(call, "-t", "--target-directory") ? call.positionals : call.positionals.slice(0, -1);
}

interface Copy {
  readonly from: string;
  readonly to: string;
}

/** Trees that a call copies, each with the place where its content comes to lie. */
function copiesOf(call: Call, calls: readonly Call[]): readonly Copy[] {
  if (!/^(cp|mv|rsync|ln|install)$/.test(call.program)) return [];
  const into = optionValues(call, "-t", "--target-directory");
  const sources = into.length > 0 ? call.positionals : call.positionals.slice(0, -1);
  const places = (into.length > 0 ? into : call.positionals.slice(-1)).flatMap((word) => placesOf(word, call, calls));
  const whole = hasFlag(call, "-T", "--no-target-directory");
  return sources.flatMap((source) => {
    const path = operandPath(source.text, call.simple.cwd);
    if (path === undefined || source.text.includes(UNKNOWN)) return [];
    const content =
      /(^|\/)(\.|\*+|\.\[!\.\]\*)$/.test(source.text) || (call.program === "rsync" && source.text.endsWith("/"));
    const from = /\*|\[/.test(basename(path)) ? dirname(path) : path;
    return places.flatMap((to) =>
      content || whole || !existsSync(to) ? [{ from, to }] : [{ from, to: join(to, basename(from)) }],
    );
  });
}

/** The copied tree has a file for this place: on disk, or written by an earlier command of the line. */
function brings({ from, to }: Copy, file: string, calls: readonly Call[]): boolean {
  if (file === to) return true;
  if (!isWithin(file, to)) return false;
  const source = join(from, relative(to, file));
  return (
    existsSync(source) ||
    calls.some((call) => findWriteTargets(call, { calls }).paths.some((path) => isWithin(path, source)))
  );
}

const UNPACKS = /^(tar|bsdtar|unzip|7z|7za|cpio|unar|unrar|ar)$/;

/** What an archive holds is not known: unpacking one of this conversation over those files may replace them, and any into their directories. */
function unpackedBy(call: Call, calls: readonly Call[], scope: ExecScope, files: readonly string[]): readonly string[] {
  if (!UNPACKS.test(call.program)) return [];
  const { paths } = findWriteTargets(call, { calls, userHome: scope.userHome });
  const close = files.filter((file) =>
    paths.some((path) => path !== scope.project && isWithin(file, path) && isWithin(path, scope.project)),
  );
  const over = files.filter((file) => existsSync(file) && paths.includes(scope.project));
  const own =
    over.length > 0 &&
    call.positionals.concat(optionValues(call, "-f", "--file")).some((word) => isMade(word, call, calls, scope));
  return own ? [...close, ...over] : close;
}

function isMade(word: Word, call: Call, calls: readonly Call[], scope: ExecScope): boolean {
  const path = operandPath(word.text, call.simple.cwd);
  if (path === undefined) return false;
  const before = calls.slice(0, calls.indexOf(call));
  return (
    scope.written?.has(realTarget(path) ?? path) === true ||
    before.some((one) => findWriteTargets(one, { calls }).paths.includes(path))
  );
}

const PATCH_BYTES = 1024 * 1024;

/** Files that a patch names, where its text can be read. */
function patchedBy(call: Call, calls: readonly Call[], scope: ExecScope, files: readonly string[]): readonly string[] {
  const { redirects, cwd } = call.simple;
  const isGit = call.program === "git" && /^(apply|am)$/.test(call.positionals[0]?.text ?? "");
  if (call.program !== "patch" && !isGit) return [];
  const named = isGit
    ? call.positionals.slice(1)
    : [...call.positionals.slice(1), ...optionValues(call, "-i", "--input")];
  const read = [...named, ...redirects.filter((one) => one.op === "<").map((one) => one.target)];
  const bodies = redirects.flatMap((one) => (one.op.startsWith("<<") ? [(one.body ?? one.target).text] : []));
  const fed =
    call.simple.feed === undefined
      ? []
      : calls.slice(call.simple.feed.from, call.simple.feed.to).flatMap((one) => one.words);
  const texts = [...bodies, ...fed, ...read.map((word) => readText(operandPath(word.text, cwd)))];
  return files.filter((file) =>
    texts.some(
      (text) =>
        text.includes(relative(scope.project, file)) ||
        text.includes(basename(file) === "hooks" ? "hooks/" : `/${basename(file)}`),
    ),
  );
}

function readText(path: string | undefined): string {
  try {
    return path !== undefined && statSync(path).size <= PATCH_BYTES ? readFileSync(path, "utf8") : "";
  } catch {
    return ""; // absent: nothing is applied
  }
}

/** Paths that git takes from another commit, moves or removes; a stash with files that it does not track. */
function takenByGit(call: Call, calls: readonly Call[], scope: ExecScope, files: readonly string[]): TakenFiles {
  const [verb, ...rest] = call.positionals;
  const patched = patchedBy(call, calls, scope, files);
  if (verb?.text === "stash" && hasFlag(call, "-u", "--include-untracked", "-a", "--all"))
    return {
      paths: [],
      withAll: files.filter((file) => file.includes("/.agent/") && existsSync(file) && !isTracked(file, scope)),
    };
  if (verb?.text === "checkout-index" || verb?.text === "read-tree") {
    const prefixes = optionValues(call, "--prefix").flatMap((word) => operandPath(word.text, call.simple.cwd) ?? []);
    return {
      paths: files.filter((file) =>
        prefixes.some((place) => place !== resolve(scope.project) && isWithin(file, place)),
      ),
      withAll: [],
    };
  }
  if (!/^(rm|mv|checkout|restore|worktree|init|clone)$/.test(verb?.text ?? ""))
    return patched.length === 0 ? NOTHING : { paths: patched, withAll: [] };
  // A whole tree is a class of its own.
  const places = rest
    .flatMap((word) => placesOf(word, call, calls))
    .filter((place) => place !== scope.project && !isWithin(scope.project, place));
  const cached = verb?.text === "rm" && hasFlag(call, "--cached");
  return { paths: cached ? [] : files.filter((file) => places.some((place) => isWithin(file, place))), withAll: [] };
}

/** Git knows the file: its name stands in the index. */
function isTracked(file: string, scope: ExecScope): boolean {
  const index = join(scope.project, ".git/index");
  try {
    return statSync(index).size <= 64 * PATCH_BYTES && readFileSync(index).includes(relative(scope.project, file));
  } catch {
    return false; // no index: nothing is tracked
  }
}
