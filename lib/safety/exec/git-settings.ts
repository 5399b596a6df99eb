import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Call, hasFlag, operandPath, optionValues, type WrittenFiles } from "../writes/operands.js";

const EDITS = [
  "--add",
  "--replace-all",
  "--unset",
  "--unset-all",
  "--rename-section",
  "--remove-section",
  "-e",
  "--edit",
];
const READS = [
  "--get",
  "--get-all",
  "--get-regexp",
  "--get-urlmatch",
  "--get-color",
  "--get-colorbool",
  "-l",
  "--list",
];
const ELSEWHERE = ["--global", "--system", "-f", "--file", "--blob"];

/** `git config` changes the settings of the repository that the call works in, and that repository is there before the line runs. */
export function changesRepositorySettings(call: Call): boolean {
  const [verb, ...rest] = call.positionals.map((word) => word.text);
  if (call.program !== "git" || verb !== "config" || hasFlag(call, ...READS) || hasFlag(call, ...ELSEWHERE))
    return false;
  const named = ["set", "unset", "rename-section", "remove-section", "edit"].includes(rest[0] ?? "");
  const { cwd } = call.simple;
  return (
    (rest.length > 1 || named || hasFlag(call, ...EDITS)) &&
    rest[0] !== "get" &&
    cwd !== undefined &&
    existsSync(cwd) &&
    hasSettings(cwd)
  );
}

function hasSettings(start: string): boolean {
  let dir = start;
  for (let level = 0; level < LEVELS_AT_MOST && dirname(dir) !== dir; level++) {
    if (existsSync(join(dir, ".git"))) return true;
    dir = dirname(dir);
  }
  return false;
}

const LEVELS_AT_MOST = 40;
/** Files of a repository from which git takes what it runs. */
const FILES = ["config", "config.worktree", "commondir", "info/attributes"] as const;

/** Git works in a repository whose settings this conversation wrote: they name programs that git runs. */
export function runsWrittenSettings(call: Call, { has, below }: Pick<WrittenFiles, "has" | "below">): boolean {
  if (call.program !== "git") return false;
  const named = optionValues(call, "--git-dir").flatMap((word) => operandPath(word.text, call.simple.cwd) ?? []);
  if (named.some((dir) => below(dir))) return true;
  const moved = optionValues(call, "-C").map((word) => operandPath(word.text, call.simple.cwd));
  return [call.simple.cwd, ...moved].some((start) => start !== undefined && isWritten(start, has));
}

function isWritten(start: string, has: WrittenFiles["has"]): boolean {
  let dir = start;
  for (let level = 0; level < LEVELS_AT_MOST; level++) {
    if (FILES.some((name) => has(join(dir, ".git", name))) || has(join(dir, ".git"))) return true;
    // A bare repository is one without being called so.
    if (has(join(dir, "HEAD")) && has(join(dir, "config"))) return true;
    if (dirname(dir) === dir) return false;
    dir = dirname(dir);
  }
  return false;
}
