import { join } from "node:path";
import { realTarget } from "../paths.js";
import { INTERPRETERS, lookUp, SHELLS } from "../shell/programs.js";
import { UNKNOWN } from "../shell/types.js";
import { type Call, type ExecScope, operandPath, type WrittenFiles } from "./operands.js";
import { createWrittenLog, noteWritten } from "./written.js";

/** Tools that run what a file of the project says, and the files where they look without being told. */
const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  gmake: ["GNUmakefile", "makefile", "Makefile"],
  npm: ["package.json", ".npmrc"],
  pnpm: ["package.json", ".npmrc"],
  yarn: ["package.json", ".yarnrc.yml"],
  bun: ["package.json"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  rake: ["Rakefile", "rakefile"],
  gradle: ["build.gradle", "build.gradle.kts", "settings.gradle"],
  composer: ["composer.json"],
  invoke: ["tasks.py"],
  "docker-compose": ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
  docker: ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
  podman: ["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
  ansible: [],
};

/** Words of those tools without which they run nothing of the file. */
const RUNS: Readonly<Record<string, RegExp>> = {
  npm: /^(run|run-script|test|t|tst|start|stop|restart|i|install|ci|exec|x)$/,
  pnpm: /^(run|test|t|start|i|install|exec|[a-z][\w:-]*)$/,
  yarn: /^(run|test|start|install|[a-z][\w:-]*)$/,
  bun: /^(run|test|install|i|start)$/,
  composer: /^(run|run-script|install|update|test)$/,
  docker: /^compose$/,
  podman: /^compose$/,
};

/** Runners of one file, beside interpreters: `tsx x.ts`, `go run x.go`. */
const RUNNERS =
  /^(tsx|ts-node|esno|jiti|vite-node|Rscript|java|osascript|pwsh|awk|gawk|mawk|sed|gsed|psql|sqlite3|mysql|expect|gdb|dotenv)$/;

/**
 * The call runs a file that was written in this conversation, or a text that it is handed (core part, 20.4). Tests that the project's own
 * runners find are not meant: writing and running them is everyday work.
 */
export function runsNewCode(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  const seen = writtenBefore(call, scope, all);
  const isNew = seen.has;
  const { program, simple } = call;
  const file = (text: string): boolean => {
    const path = operandPath(text, simple.cwd);
    return path !== undefined && isNew(path);
  };
  const word = simple.words[0]?.text ?? "";
  if (word.includes("/") && file(word)) return true;
  if (!word.includes("/") && (scope.written?.searched ?? []).some((dir) => isNew(join(dir, program)))) return true;
  if (simple.under.some((by) => /^(npx|npm|pnpm|pnpx|yarn|bunx|bun)$/.test(by)) && file(join("node_modules/.bin", program))) return true;
  if (changesSearch(call, seen.below)) return true;
  if (SHELLS.has(program) || /^(source|\.)$/.test(program) || lookUp(INTERPRETERS, program) !== undefined) {
    if (preloads(call).some(file)) return true;
    const script = scriptOf(call);
    if (script === undefined) return simple.redirects.some((one) => one.op === "<" && !/^(\/dev\/null|\d+)$/.test(one.target.text));
    return script.includes(UNKNOWN) ? false : ["", ".js", ".cjs", ".mjs", ".ts", "/index.js"].some((end) => file(script + end));
  }
  if (RUNNERS.test(program)) return programFiles(call).some(file);
  if (program === "go" && call.operands[0]?.text === "run") return call.operands.slice(1).some((one) => file(one.text));
  if (program === "make" || program === "gmake") return runsMake(call, file);
  return runsRecipe(call, file);
}

/** What was written earlier in the conversation, or by a command that stands before in the line. */
function writtenBefore(call: Call, scope: ExecScope, all: readonly Call[]): Pick<WrittenFiles, "has" | "below"> {
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
  return { has: (path) => either(path, (log, one) => log.has(one)), below: (dir) => either(dir, (log, one) => log.below(one)) };
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
    if (log.below("/")) found.push({ index, log });
  }
  writers.set(all, found);
  return found;
}

/** Options of interpreters whose value is no script. */
const SCRIPT_VALUES =
  /^(-W|-X|-Q|--check-hash-based-pycs|-r|--require|--import|--loader|-I|-C|-o|-O|\+o|\+O|--rcfile|--init-file|-S|-L|-R|--conditions|--env-file|--title)$/;

/** File that an interpreter is given as its program; undefined when it reads its program elsewhere, or runs a module or tests. */
function scriptOf(call: Call): string | undefined {
  const { words } = call;
  const known = SHELLS.has(call.program) ? /^(-c|--version|--help)$/ : /^(-m|-c|-e|--eval|-p|--print|--test|--version|-V|--help)$/;
  if (words.some((word) => known.test(word))) return "";
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (SCRIPT_VALUES.test(word)) at += 1;
    else if (word === "run" && /^(deno|bun)$/.test(call.program)) continue;
    else if (word === "-" || /^\/dev\/(stdin|fd\/0)$/.test(word)) return undefined;
    else if (!word.startsWith("-") && !word.startsWith("+")) return word;
  }
  return undefined;
}

/** Files that an interpreter loads before its program. */
const preloads = ({ words }: Call): readonly string[] =>
  words.flatMap((word, index) => {
    const joined = /^(?:--require|--import|--loader|--rcfile|--init-file)=(.+)$/.exec(word)?.[1];
    if (joined !== undefined) return [joined];
    return /^(-r|--require|--import|--loader|--rcfile|--init-file)$/.test(word) ? [words[index + 1] ?? ""] : [];
  });

/** Program files behind `-f`, and the first operand of what has no data operands. */
function programFiles(call: Call): readonly string[] {
  const behind = call.words.flatMap((word, index) => {
    if (/^(-f|--file|-x|-init|-E|--exec)$/.test(word)) return [call.words[index + 1] ?? ""];
    return /^(?:-f|--file=)(.+)$/.exec(word)?.slice(1) ?? [];
  });
  const read = call.simple.redirects.filter((one) => one.op === "<").map((one) => one.target.text);
  const first = /^(awk|gawk|mawk|sed|gsed|psql|sqlite3|mysql)$/.test(call.program)
    ? []
    : call.operands.slice(0, 1).map((word) => word.text);
  return [...behind, ...first, ...(/^(psql|sqlite3|mysql)$/.test(call.program) ? read : [])];
}

function runsMake(call: Call, file: (text: string) => boolean): boolean {
  const named = call.words.flatMap((word, index) => {
    if (/^(-f|--file|--makefile)$/.test(word)) return [call.words[index + 1] ?? ""];
    return /^(?:-f|--file=|--makefile=)(.+)$/.exec(word)?.slice(1) ?? [];
  });
  if (named.some((one) => one === "-" || one.includes(UNKNOWN) || /^\/dev\/(stdin|fd\/\d+)$/.test(one))) return true;
  if (named.length > 0) return named.some(file);
  const moved = call.words.flatMap((word, index) => {
    if (/^(-C|--directory)$/.test(word)) return [call.words[index + 1] ?? ""];
    return /^(?:-C|--directory=)(.+)$/.exec(word)?.slice(1) ?? [];
  });
  return (RECIPES["make"] ?? []).some((name) => file(join(moved.at(-1) ?? "", name)));
}

function runsRecipe(call: Call, file: (text: string) => boolean): boolean {
  const files = Object.hasOwn(RECIPES, call.program) ? RECIPES[call.program] : undefined;
  if (files === undefined) return false;
  const verbs = Object.hasOwn(RUNS, call.program) ? RUNS[call.program] : undefined;
  if (verbs !== undefined && !call.operands.some((word) => verbs.test(word.text))) return false;
  const named = call.words.flatMap((word, index) =>
    /^(-f|--file|--justfile|--taskfile)$/.test(word) ? [call.words[index + 1] ?? ""] : [],
  );
  return (named.length > 0 ? named : files).some(file);
}

/** `PATH=x:$PATH` with a directory in which something was written: any name may mean that. */
function changesSearch(call: Call, below: (dir: string) => boolean): boolean {
  const words = [...call.simple.assignments, ...(/^(export|declare|typeset)$/.test(call.program) ? call.simple.words.slice(1) : [])];
  return words.some(({ text }) => {
    const value = /^PATH\+?=(.*)$/s.exec(text)?.[1];
    return value?.split(":").some((dir) => {
      const path = dir.includes(UNKNOWN) || dir === "" ? undefined : operandPath(dir, call.simple.cwd);
      return path !== undefined && below(path);
    });
  });
}

/** Directories that the call adds to those where programs are searched for. */
export function searchedDirectories(call: Call): readonly string[] {
  if (!/^(export|declare|typeset)$/.test(call.program) && call.simple.words.length > 0) return [];
  return [...call.simple.assignments, ...call.simple.words.slice(1)].flatMap(({ text }) => {
    const value = /^PATH\+?=(.*)$/s.exec(text)?.[1];
    return (value?.split(":") ?? []).flatMap((dir) =>
      dir.includes(UNKNOWN) || dir === "" ? [] : (operandPath(dir, call.simple.cwd) ?? []),
    );
  });
}
