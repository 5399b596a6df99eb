import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { UNKNOWN } from "../options/command-line.js";
import { INTERPRETERS, SHELLS } from "../options/programs.js";
import { readCommandLine } from "../shell/open.js";
import { type Call, type ExecScope, toCall } from "../writes/operands.js";
import { gravest, judgeOwnWords, type OwnLine, type OwnWork } from "./command.js";
import { findProgramFile, holdsOwnProgram, isOwnFile, isOwnName, readScript } from "./program.js";
import { findRecipe } from "./scripts.js";

/** Programs that show, compare or count what they are given. */
const READERS =
  /^(echo|printf|cat|bat|head|tail|wc|[efz]?grep|rg|ag|ls|stat|file|du|diff|cmp|less|more|which|type|whereis|command|test|\[|sha\d+sum|md5sum|sort|uniq|cut|tr|jq|basename|dirname|realpath|readlink|find|fd|tree|sleep|true|false|git|cd|pwd|mkdir|man|apropos)$/;
/** Programs that make another name or a copy of what they are given. */
const COPIERS = /^(cp|ln|mv|install|rsync|scp|dd|tar|bsdtar|zip|7z|cpio|pax|tee|link|gcp|gln|ditto)$/;
const PACKAGE_RUNNERS = /^(npx|npm|pnpm|pnpx|yarn|yarnpkg|bun|bunx|corepack|volta|asdf|mise|nvm|fnm|n)$/;
const PACKAGE_LOOKS =
  /^(i|install|add|view|info|ls|list|outdated|uninstall|remove|rm|why|pack|ci|update|audit|explain)$/;
/** Files and variables of the owner that are for front ends alone. */
const OWNER_FILES = /owner\.(sock|token)\b/;
const LOOSENED = /^AGENT_YOLO_MODE=/;
/** Words of a call that could be a path to the program; more are file operands of other work. */
const WORDS_AT_MOST = 60;
const DEPTH = 3;
const FILES_AT_MOST = 20;

interface Judging {
  readonly scope: ExecScope;
  readonly depth: number;
  /** Files that may still be opened for this call. */
  readonly left: { files: number };
}

const judged = new WeakMap<Call, { readonly scope: ExecScope; readonly work: OwnWork | undefined }>();

/** What a call does to this program, however it names or starts it; undefined: nothing that can be found. */
export function findOwnWork(call: Call, scope: ExecScope): OwnWork | undefined {
  const known = judged.get(call);
  if (known?.scope === scope) return known.work;
  const work = judge(call, { scope, depth: 0, left: { files: FILES_AT_MOST } });
  judged.set(call, { scope, work });
  return work;
}

function judge(call: Call, judging: Judging): OwnWork | undefined {
  const works = [...loosened(call), ...ownerFiles(call, judging.scope), ...named(call, judging), ...run(call, judging)];
  return works.length === 0 ? undefined : gravest(works);
}

function loosened({ program, words }: Call): readonly OwnWork[] {
  return /^(export|declare|typeset|readonly)$/.test(program) && words.some((word) => LOOSENED.test(word))
    ? ["starts"]
    : [];
}

function ownerFiles({ words, simple }: Call, { home }: ExecScope): readonly OwnWork[] {
  const texts = [...words, ...simple.redirects.flatMap(({ target, body }) => [target.text, body?.text ?? ""])];
  return texts.some((text) => OWNER_FILES.test(text) || text.includes(home.runDir)) ? ["control"] : [];
}

/** Words of the call that name this program, with the words behind them. */
function named(call: Call, { scope, depth }: Judging): readonly OwnWork[] {
  const { program, words, simple } = call;
  const path = pathOf(call, scope);
  const how: OwnLine = {
    more: simple.under.some((by) => /^(xargs|parallel|find)$/.test(by)),
    board: depth > 0 || isWorker(scope),
  };
  const first = simple.words[0]?.text ?? "";
  const file = findProgramFile(first, simple.cwd, path);
  if (isOwnName(first) || (file !== undefined && isOwnFile(file)))
    return simple.assignments.some(({ text }) => LOOSENED.test(text)) ? ["starts"] : [judgeOwnWords(words, how)];
  const copied = COPIERS.test(program) || simple.redirects.some(({ op }) => op.includes(">"));
  if (READERS.test(program) && !copied) return [];
  const runner = PACKAGE_RUNNERS.test(program) && !words.some((word) => PACKAGE_LOOKS.test(word));
  return words.slice(0, WORDS_AT_MOST).flatMap((word, at): readonly OwnWork[] => {
    const rest = words.slice(at + 1);
    const place = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
    if (place.includes(UNKNOWN)) return [];
    if (runner && isOwnName(place.replace(/(?<=.)@[^/]*$/, ""))) return [judgeOwnWords(rest, how)];
    const target = simple.cwd === undefined && !place.startsWith("/") ? undefined : resolve(simple.cwd ?? "/", place);
    if (copied) return target !== undefined && holdsOwnProgram(target) ? ["starts"] : [];
    if (target !== undefined && isOwnFile(target)) return [judgeOwnWords(rest, how)];
    if (isOwnName(place))
      return interprets(program) && mayBeOwn(target) ? [judgeOwnWords(rest, how)] : knownCommand(rest, how);
    return /\bagent\.[cm]?js\b/.test(place) && (place.includes(" ") || place.includes("(")) ? ["starts"] : [];
  });
}

/** A file with the name of this program that is not there yet, or that reads the variable of the home as every build of it does. */
const mayBeOwn = (file: string | undefined): boolean =>
  file === undefined || !existsSync(file) || readScript(file)?.includes("AGENT_HOME") === true;

/** The bare word may be anything; it counts where a command of this program follows it that is more than a look. */
function knownCommand(rest: readonly string[], how: OwnLine): readonly OwnWork[] {
  const [next] = rest;
  const work = judgeOwnWords(rest, how);
  return next === undefined || work === "starts" || work === "reads" ? [] : [work];
}

const isWorker = ({ env }: ExecScope): boolean => env["AGENT_WORKER_MARK"] !== undefined;

function pathOf({ simple }: Call, { env }: ExecScope): string | undefined {
  const given = simple.assignments.findLast(({ text }) => text.startsWith("PATH="))?.text.slice("PATH=".length);
  return given === undefined || given.includes(UNKNOWN) ? env["PATH"] : given;
}

/** What the scripts do that the call runs. */
function run(call: Call, judging: Judging): readonly OwnWork[] {
  if (judging.depth >= DEPTH) return [];
  const recipe = findRecipe(call, judging.scope.project);
  const works = recipe === undefined ? [] : recipe.lines.flatMap((line) => judgeText(line, recipe.cwd, judging));
  return [...works, ...scriptFiles(call, judging.scope).flatMap((file) => judgeScript(file, call, judging))];
}

function scriptFiles(call: Call, scope: ExecScope): readonly string[] {
  const { program, simple, operands } = call;
  const first = findProgramFile(simple.words[0]?.text ?? "", simple.cwd, pathOf(call, scope));
  const runs = SHELLS.has(program) || interprets(program) || program === "." || program === "source";
  const inputs = SHELLS.has(program)
    ? simple.redirects.filter(({ op }) => op === "<").map(({ target }) => target.text)
    : [];
  const given = runs ? [...operands.slice(0, 2).map(({ text }) => text), ...inputs] : [];
  const { cwd } = simple;
  const files = given.flatMap((text) => (text.includes(UNKNOWN) || cwd === undefined ? [] : [resolve(cwd, text)]));
  return first === undefined ? files : [first, ...files];
}

const interprets = (program: string): boolean =>
  Object.hasOwn(INTERPRETERS, program) ||
  Object.hasOwn(INTERPRETERS, program.replace(/[\d.]+$/, "")) ||
  /^(tsx|ts-node|esr|zx)$/.test(program);

function judgeScript(file: string, call: Call, judging: Judging): readonly OwnWork[] {
  if (judging.left.files-- <= 0 || isOwnFile(file)) return [];
  const text = readScript(file);
  if (text === undefined) return [];
  const first = text.split("\n", 1)[0] ?? "";
  const [, named = ""] = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(first) ?? [];
  const shell = SHELLS.has(basename(named)) || (named === "" && !interprets(call.program));
  return shell ? judgeText(text, call.simple.cwd, judging) : judgeProgram(text);
}

function judgeText(text: string, cwd: string | undefined, judging: Judging): readonly OwnWork[] {
  if (!/agent|\/|\$|[a-z]/i.test(text)) return [];
  const { scope, depth } = judging;
  const { commands } = readCommandLine(text, { cwd, userHome: scope.userHome, agentHome: scope.home.dir });
  return commands.flatMap((simple) => judge(toCall(simple), { ...judging, depth: depth + 1 }) ?? []);
}

/** A script in another language: that it names this program, or the owner's files, is all that can be read. */
const judgeProgram = (text: string): readonly OwnWork[] =>
  /\bagent\.[cm]?js\b/.test(text) || OWNER_FILES.test(text) || /(["'`])(?:[\w.~/-]*\/)?agent(?:\1|\s)/.test(text)
    ? ["starts"]
    : [];
