import { baseName } from "./programs.js";
import { sedChanges } from "./sed.js";
import type { ParsedCommand, Simple } from "./types.js";

/** Programs that only read, with the words that would make them write or run something (core part, 20.2). */
const READERS: Readonly<Record<string, RegExp | undefined>> = {
  ls: undefined,
  cat: undefined,
  head: undefined,
  tail: undefined,
  wc: undefined,
  grep: undefined,
  egrep: undefined,
  fgrep: undefined,
  rg: /^--pre(=|$)|^--hostname-bin/,
  find: /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/,
  file: /^(-C|--compile)$/,
  stat: undefined,
  du: undefined,
  df: undefined,
  pwd: undefined,
  echo: undefined,
  printf: /^-v/,
  which: undefined,
  type: undefined,
  date: /^(-s|--set)/,
  uname: undefined,
  ps: undefined,
  id: undefined,
  whoami: undefined,
  sort: /^(-[a-zA-Z]*o|--output|--compress-program|-T|--temporary-directory)/,
  uniq: undefined,
  cut: undefined,
  tr: undefined,
  diff: undefined,
  cmp: undefined,
  comm: undefined,
  jq: undefined,
  tree: /^-[a-zA-Z]*o/,
  basename: undefined,
  dirname: undefined,
  realpath: undefined,
  readlink: undefined,
  test: undefined,
  "[": undefined,
  "[[": undefined,
  true: undefined,
  false: undefined,
  ":": undefined,
  seq: undefined,
  sleep: undefined,
  md5sum: undefined,
  sha1sum: undefined,
  sha256sum: undefined,
  sed: undefined,
};

const GIT_READERS = new Set(["status", "log", "diff", "show", "rev-parse", "ls-files", "ls-tree", "blame", "describe"]);

/** Every simple command only reads and nothing is redirected to a file: no checkpoint, and other readers may run beside it. */
export function isReadOnly(parsed: ParsedCommand): boolean {
  return parsed.findings.length === 0 && parsed.functions.size === 0 && parsed.commands.every(onlyReads);
}

function onlyReads(simple: Simple): boolean {
  if (simple.redirects.some((one) => writes(one.op) && !isHarmless(one.target.text))) return false;
  if (simple.assignments.length > 0) return false;
  const [program, ...rest] = simple.words;
  if (program === undefined) return true;
  if (!program.literal) return false;
  const words = rest.map((word) => word.text);
  if (program.text === "git") return gitReads(words);
  if (program.text === "sed" && sedChanges(words)) return false;
  if (program.text === "uniq" && words.filter((word) => !word.startsWith("-")).length > 1) return false;
  if (!Object.hasOwn(READERS, program.text)) return false;
  const never = READERS[baseName(program.text)];
  return never === undefined || !words.some((word) => never.test(word));
}

const writes = (op: string) => op.includes(">");
const isHarmless = (target: string) =>
  target === "/dev/null" || /^\d+$|^-$/.test(target) || target === "/dev/stderr" || target === "/dev/stdout";

function gitReads(words: readonly string[]): boolean {
  const [sub = "", ...rest] = words;
  const outputs = rest.some((word) => /^(--output|-o|--ext-diff|--textconv|--open-files-in-pager)(=|$)/.test(word));
  if (GIT_READERS.has(sub)) return !outputs;
  if (sub === "remote") return rest.length === 0 || (rest.length === 1 && rest[0] === "-v");
  if (sub === "branch" || sub === "tag")
    return rest.every((word) => /^(-a|-r|-v|-vv|-l|--list|--all|--remotes|--show-current)$/.test(word));
  return sub === "config" && rest[0] === "--get" && rest.length === 2;
}
