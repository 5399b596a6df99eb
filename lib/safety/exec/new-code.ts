import { join } from "node:path";
import { ownEntry } from "../../base/json/record.js";
import { realTarget } from "../paths/paths.js";
import { type Call, type ExecScope, operandPath, optionValues, type WrittenFiles } from "../writes/operands.js";
import { runsWrittenSettings } from "./git-settings.js";
import { callsOfScript } from "./package-scripts.js";
import { runsProjectCode } from "./project-code.js";
import { runsRecipe } from "./recipes.js";
import { filesOfScript, scriptsOf } from "./script-files.js";
import { changesSearch, loadsWritten, shadowsPython, type WrittenBefore } from "./search-paths.js";
import { createWrittenLog, noteWritten } from "./written.js";

/** Runners of one file, beside interpreters: `tsx x.ts`, `go run x.go`. */
const RUNNERS =
  /^(tsx|ts-node|esno|jiti|vite-node|Rscript|java|osascript|pwsh|expect|gdb|dotenv|jshell|ipython|groovy|kotlin|scala)$/;
/** Programs with a language of their own: the options that name a file of it. */
const PROGRAM_FILES: Readonly<Record<string, readonly string[]>> = {
  awk: ["-f", "--file", "-E", "--exec", "-i", "--include", "-l", "--load"],
  sed: ["-f", "--file"],
  psql: ["-f", "--file"],
  sqlite3: ["-init"],
  mysql: ["--defaults-file", "--defaults-extra-file"],
  gdb: ["-x", "--command", "-ix", "--init-command"],
  vim: ["-S", "-u", "-U", "-s"],
  emacs: ["-l", "--load", "--script", "-x"],
  bc: [],
  dc: ["-f", "--file"],
  tmux: ["-f"],
  screen: ["-c"],
  tsx: ["-r", "--require", "--import", "--tsconfig"],
  "ts-node": ["-r", "--require"],
  jq: ["-L", "--library-path"],
  gnuplot: [],
};
const SAME: Readonly<Record<string, string>> = {
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  gsed: "sed",
  mariadb: "mysql",
  vi: "vim",
  nvim: "vim",
  view: "vim",
  ex: "vim",
  gvim: "vim",
};
const LEVELS_AT_MOST = 3;

/**
 * The call runs a file that was written in this conversation, or a text that it is handed (core part, 20.4), or code of the project that may load
 * such a file: the text of a call does not tell which modules, tests and sources a run takes.
 */
export function runsNewCode(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  return runsWritten(call, { scope, all, seen: seenBefore(call, scope, all) }, 0);
}

interface Around {
  readonly scope: ExecScope;
  readonly all: readonly Call[];
  readonly seen: Before;
}

/** What was written before a call runs. */
type Before = WrittenBefore & Pick<WrittenFiles, "searched" | "code">;

function runsWritten(call: Call, around: Around, level: number): boolean {
  const { scope, seen, all } = around;
  const { program, simple } = call;
  const file = (text: string): boolean => {
    const path = operandPath(text, simple.cwd);
    return path !== undefined && seen.has(path);
  };
  const word = simple.words[0]?.text ?? "";
  if (word.includes("/") && file(word)) return true;
  if (!word.includes("/") && seen.searched.some((dir) => seen.has(join(dir, program)))) return true;
  if (
    simple.under.some((by) => /^(npx|npm|pnpm|pnpx|yarn|bunx|bun)$/.test(by)) &&
    file(join("node_modules/.bin", program))
  )
    return true;
  if (changesSearch(call, seen, scope) || loadsWritten(call, seen) || runsWrittenSettings(call, seen)) return true;
  const scripts = scriptsOf(call);
  if (scripts !== undefined) {
    if (scripts.files.some((text) => filesOfScript(text, simple.cwd).some((path) => seen.has(path)))) return true;
    if (scripts.input && readsFile(call)) return true;
    if (runsModule(call) && simple.cwd !== undefined && shadowsPython(simple.cwd, seen)) return true;
  }
  if (seen.code(scope.project) && runsProjectCode(call, scope)) return true;
  if (programFiles(call, all).some((text) => file(text) || isHanded(text))) return true;
  if (program === "go" && call.positionals[0]?.text === "generate" && isBelow(".", call, seen)) return true;
  if (/^node/.test(program) && optionValues(call, "--run").length > 0 && file("package.json")) return true;
  if (program === "go" && call.positionals[0]?.text === "run")
    return call.positionals.slice(1).some((one) => runsPackage(one.text, file, call, seen));
  if (runsRecipe(call, file)) return true;
  return level < LEVELS_AT_MOST && callsOfScript(call, scope).some((inner) => runsWritten(inner, around, level + 1));
}

function isBelow(dir: string, call: Call, seen: WrittenBefore): boolean {
  const path = operandPath(dir, call.simple.cwd);
  return path !== undefined && seen.below(path);
}

const runsModule = (call: Call): boolean => /^(python|pypy)/.test(call.program) && optionValues(call, "-m").length > 0;

const readsFile = ({ simple }: Call): boolean =>
  simple.redirects.some((one) => one.op === "<" && !/^(\/dev\/null|\d+)$/.test(one.target.text));

/** `go run .` runs every file of the directory. */
function runsPackage(text: string, file: (text: string) => boolean, call: Call, seen: WrittenBefore): boolean {
  const path = operandPath(text, call.simple.cwd);
  return file(text) || (!text.endsWith(".go") && path !== undefined && seen.below(path));
}

const isHanded = (text: string): boolean => /^\/dev\/(stdin|fd\/\d+)$/.test(text);

/** What was written earlier in the conversation, or by a command that stands before in the line. */
function seenBefore(call: Call, scope: ExecScope, all: readonly Call[]): Before {
  const logs = () => {
    const at = all.indexOf(call);
    const line = writersOf(all, scope).flatMap(({ index, log }) => (index < at ? [log] : []));
    return scope.written === undefined ? line : [scope.written, ...line];
  };
  const either = (path: string, test: (log: WrittenFiles, path: string) => boolean) => {
    const found = logs();
    const real = found.length === 0 ? path : (realTarget(path) ?? path);
    return found.some((log) => test(log, path) || test(log, real));
  };
  return {
    has: (path) => either(path, (log, one) => log.has(one)),
    below: (dir) => either(dir, (log, one) => log.below(one)),
    code: (dir) => either(dir, (log, one) => log.code(one)),
    get searched() {
      return logs().flatMap((log) => log.searched);
    },
    get loaded() {
      return logs().flatMap((log) => log.loaded);
    },
  };
}

interface Writer {
  readonly index: number;
  readonly log: WrittenFiles;
}

const writers = new WeakMap<readonly Call[], readonly Writer[]>();

/** Calls of a line that write, each with what it writes; found once for a line. */
function writersOf(all: readonly Call[], scope: ExecScope): readonly Writer[] {
  const known = writers.get(all);
  if (known !== undefined) return known;
  const found: Writer[] = [];
  const isKnown = (path: string) => scope.written?.has(path) === true || found.some(({ log }) => log.has(path));
  for (const [index, call] of all.entries()) {
    const log = createWrittenLog();
    noteWritten(log, call, isKnown);
    if (log.below("/") || log.searched.length + log.loaded.length > 0) found.push({ index, log });
  }
  writers.set(all, found);
  return found;
}

/** Files of a language that a program of the system reads: those of options, scripts that are operands, and what is read from a file. */
function programFiles(call: Call, all: readonly Call[]): readonly string[] {
  const name = ownEntry(SAME, call.program) ?? call.program;
  const options = Object.hasOwn(PROGRAM_FILES, name) ? PROGRAM_FILES[name] : undefined;
  if (options === undefined && !RUNNERS.test(call.program)) return [];
  const named =
    options === undefined || options.length === 0 ? [] : optionValues(call, ...options).map((word) => word.text);
  const read = /^(psql|sqlite3|mysql|bc|dc|gnuplot|ed|ex|vim)$/.test(name)
    ? call.simple.redirects.filter((one) => one.op === "<").map((one) => one.target.text)
    : [];
  const first =
    RUNNERS.test(call.program) || /^(bc|gnuplot)$/.test(name)
      ? call.positionals.slice(0, 1).map((word) => word.text)
      : [];
  const joined = named.flatMap((text) => [text, `${text}.awk`, `${text}.so`]);
  return [
    ...joined,
    ...first,
    ...read.filter((text) => !/^(\/dev\/null|\d+)$/.test(text)),
    ...sqlFiles(name, call, feedersOf(call, all)),
  ];
}

const feedersOf = ({ simple }: Call, all: readonly Call[]): readonly Call[] =>
  simple.feed === undefined ? [] : all.slice(simple.feed.from, simple.feed.to);

/** `.read x.sql` and `.load ./x` of sqlite, `\\i x.sql` of psql. */
function sqlFiles(name: string, call: Call, feeders: readonly Call[]): readonly string[] {
  if (!/^(sqlite3|psql|mysql)$/.test(name)) return [];
  const bodies = call.simple.redirects.flatMap((one) =>
    one.op.startsWith("<<") ? [(one.body ?? one.target).text] : [],
  );
  const told = feeders.flatMap((one) => (/^(echo|printf)$/.test(one.program) ? one.words : []));
  const fed = feeders.flatMap((one) => (one.program === "cat" ? one.positionals.map((word) => word.text) : []));
  const texts = [...call.words, ...bodies, ...told].join("\n").slice(0, 20_000);
  const pattern =
    /^\s*(?:\.(?:re(?:a|ad)?|load?|lo)\s+|\\(?:i|ir|include|include_relative)\s+|source\s+|\\\.\s+)["']?([^\s"';]+)/gm;
  return [...fed, ...[...texts.matchAll(pattern)].flatMap((match) => [match[1] ?? "", `${match[1] ?? ""}.so`])];
}
