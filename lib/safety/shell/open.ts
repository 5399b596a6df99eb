import { resolve } from "node:path";
import { memo } from "../../base/async/memo.js";
import { ownEntry } from "../../base/json/record.js";
import { spellCharacter } from "../../base/text/bidi.js";
import {
  type LineFinding,
  type ParsedCommand,
  type Range,
  type ShellScope,
  type Simple,
  UNKNOWN,
  type Word,
} from "../options/command-line.js";
import {
  baseName,
  COMMAND_OPTIONS,
  findProgramEntry,
  INTERPRETERS,
  SHELLS,
  SUBCOMMAND_VALUES,
  SUBCOMMAND_WRAPPERS,
  WRAPPERS,
} from "../options/programs.js";
import { isOneOf, readOptions, toTable } from "../options/read.js";
import { optionTable, sameAs } from "../options/tables.js";
import type { GivenOption } from "../options/types.js";
import { runsByCommand } from "./client-commands.js";
import { PROMPT_VARIABLE, scriptsIn } from "./evaluate.js";
import { parseShell } from "./parse.js";
import { passedOn } from "./passed-on.js";
import { sedRuns } from "./sed.js";
import { gitRuns } from "./starts.js";
import { codeVariable } from "./variables.js";
import { findHidden, visibleLine } from "./visible.js";

/** Commands that one line may hold when everything in it is opened. */
const COMMANDS_AT_MOST = 2_000;
const OPENED_DEPTH = 12;

/** A parsed line with its wrappers opened: what really runs is in the list, beside what starts it. */
export function readCommandLine(text: string, { cwd, userHome, agentHome }: ShellScope): ParsedCommand {
  return readBefore(text, cwd, userHome, agentHome);
}

/** One call asks for its line more than once: what it touches, and whether it may run. A line may have 100,000 characters, so few are kept. */
const readBefore = memo(
  (text: string, cwd: string | undefined, userHome: string, agentHome: string) =>
    readLine(text, { cwd, userHome, agentHome }),
  4,
);

function readLine(text: string, scope: ShellScope): ParsedCommand {
  const first = openLine(text, scope, []);
  // What an inner text evaluates may stand in the line around it.
  const opened = first.evaluates.length > first.outer ? openLine(text, scope, first.evaluates) : first;
  addDisguise(opened, text);
  const { commands, findings, functions, evaluates } = opened;
  return {
    commands,
    findings,
    functions,
    evaluates,
    ...(commands.length > COMMANDS_AT_MOST ? { tooMany: true as const } : {}),
  };
}

function openLine(text: string, scope: ShellScope, evaluates: readonly string[]): Opened & { readonly outer: number } {
  const parsed = parseShell(text, scope, evaluates);
  const opened: Opened = {
    scope,
    commands: [],
    findings: [...parsed.findings],
    functions: new Set(parsed.functions),
    evaluates: [...parsed.evaluates],
    depth: 0,
  };
  addAll(opened, parsed, []);
  return { ...opened, outer: parsed.evaluates.length };
}

interface Opened {
  readonly scope: ShellScope;
  readonly commands: Simple[];
  readonly findings: LineFinding[];
  readonly functions: Set<string>;
  readonly evaluates: string[];
  depth: number;
}

/** Add the commands of a parse. Their ranges name places in that parse, so they are moved to places in the whole list. */
function addAll(opened: Opened, parsed: ParsedCommand, under: readonly string[]): void {
  const places: number[] = [];
  for (const simple of parsed.commands) {
    places.push(opened.commands.length);
    const moved = moveRanges(simple, places, opened.commands.length);
    add(opened, { ...moved, under: [...under, ...simple.under] });
  }
}

function moveRanges(simple: Simple, places: readonly number[], end: number): Simple {
  const move = (range: Range): Range => ({ from: places[range.from] ?? end, to: places[range.to] ?? end });
  const moveWord = (word: Word): Word => (word.inner.length === 0 ? word : { ...word, inner: word.inner.map(move) });
  return {
    ...simple,
    words: simple.words.map(moveWord),
    assignments: simple.assignments.map(moveWord),
    redirects: simple.redirects.map((one) => ({
      ...one,
      target: moveWord(one.target),
      ...(one.body === undefined ? {} : { body: moveWord(one.body) }),
    })),
    feed: simple.feed === undefined ? undefined : move(simple.feed),
  };
}

function add(opened: Opened, simple: Simple): void {
  if (opened.commands.length > COMMANDS_AT_MOST) return;
  opened.commands.push(simple);
  const variable = codeVariable(simple, opened.scope.userHome);
  if (variable !== undefined) noteInline(opened, simple, `${variable} decides what a program runs`);
  const program = simple.words[0];
  if (program === undefined) return;
  if (program.text.includes(UNKNOWN) || !program.literal) {
    opened.findings.push({
      kind: "dynamic-program",
      text: `the program of '${renderSimpleCommand(simple)}' comes from a variable or substitution`,
    });
  }
  if (/[^\x20-\x7e\0]/.test(program.text))
    opened.findings.push({
      kind: "disguised",
      text: `program name with unusual characters: ${program.text.replace(/[^\x20-\x7e]/gu, spellCharacter)}`,
    });
  opened.depth += 1;
  if (opened.depth <= OPENED_DEPTH) open(opened, simple, baseName(program.text));
  else if (Object.hasOwn(WRAPPERS, baseName(program.text)))
    opened.findings.push({ kind: "unparsable", text: "programs that start each other too deeply" });
  opened.depth -= 1;
}

function open(opened: Opened, simple: Simple, program: string): void {
  if (SHELLS.has(program)) openShell(opened, simple, program);
  else if (program === "eval") openText(opened, simple, simple.words.slice(1), program);
  else if (program === "find") openFind(opened, simple);
  else if (program === "ssh") openSsh(opened, simple);
  else if (/^(su|sg|script)$/.test(program)) openOption(opened, simple, "-c");
  else if (program === "alias") for (const word of simple.words.slice(1)) openAlias(opened, simple, word);
  else if (
    program === "shopt" &&
    simple.words.some((word) => CHANGES_NAMES.test(word.text)) &&
    simple.words.some((word) => /^-\w*s/.test(word.text))
  )
    noteInline(opened, simple, "a setting of the shell changes what names mean");
  else if (program === "jobs" || program === "hash" || program === "enable") openBuiltin(opened, simple, program);
  else if (program === "trap") openText(opened, simple, simple.words.slice(1, 2), program);
  else if (program === "source" || program === ".") openSource(opened, simple, program);
  else if (Object.hasOwn(WRAPPERS, program.replaceAll("-", "_")))
    openWrapper(opened, simple, program.replaceAll("-", "_"));
  else openSubcommand(opened, simple, program);
  if (/^(runuser|npx|flock|npm|pnpm)$/.test(program))
    openOption(opened, simple, program === "npm" || program === "npx" ? "--call" : "-c");
  noteInterpreter(opened, simple, program);
  noteOptions(opened, simple, program);
  for (const script of scriptsIn(simple)) {
    noteInline(opened, simple, `${program} runs a text as a command`);
    openText(opened, simple, [script], program);
  }
  const feeders = simple.feed === undefined ? [] : opened.commands.slice(simple.feed.from, simple.feed.to);
  noteInline(opened, simple, runsByCommand(simple, program, feeders));
  const passed = passedOn(simple, program);
  noteInline(opened, simple, passed.code);
  for (const words of passed.calls) add(opened, inner(simple, words, program));
  openPrompts(opened, simple);
}

/** Settings of bash by which a name becomes another command, or another directory. */
const CHANGES_NAMES = /^(expand_aliases|cdable_vars|autocd|cdspell|extdebug|sourcepath)$/;

/** `jobs -x COMMAND`, `hash -p PATH NAME`, `enable -f FILE NAME`: what runs is named by an option. */
function openBuiltin(opened: Opened, simple: Simple, program: string): void {
  const at = simple.words.findIndex((word) =>
    (program === "jobs" ? /^-\w*x/ : program === "hash" ? /^-\w*p/ : /^-\w*f/).test(word.text),
  );
  if (at === -1) return;
  noteInline(opened, simple, `${program} names what runs`);
  if (program === "jobs" && at + 1 < simple.words.length)
    add(opened, inner(simple, simple.words.slice(at + 1), program));
}

/** `PROMPT_COMMAND='rm -rf /'`: the shell runs the text later. */
function openPrompts(opened: Opened, simple: Simple): void {
  for (const word of [...simple.assignments, ...simple.words.slice(1)]) {
    const [, name, value] = PROMPT_VARIABLE.exec(word.text) ?? [];
    if (name === "PROMPT_COMMAND" && value !== undefined) openText(opened, simple, [{ ...word, text: value }], name);
  }
}

/** `alias ls='rm -rf /'`: the text runs when the name does. */
function openAlias(opened: Opened, simple: Simple, word: Word): void {
  const at = word.text.indexOf("=");
  if (at > 0) openText(opened, simple, [{ ...word, text: word.text.slice(at + 1) }], "alias");
}

/** `uv run x`, `npm exec x`, `git bisect run x`, `python -m x`. */
function openSubcommand(opened: Opened, simple: Simple, program: string): void {
  const { words } = simple;
  const verbs = findProgramEntry(SUBCOMMAND_WRAPPERS, program);
  const verb = verbs === undefined ? -1 : words.findIndex((word, index) => index > 0 && verbs.includes(word.text));
  if (verb > 0) {
    let at = verb + 1;
    while (at < words.length && (words[at]?.text ?? "").startsWith("-"))
      at += SUBCOMMAND_VALUES.has(words[at]?.text ?? "") ? 2 : 1;
    if (at < words.length) add(opened, inner(simple, words.slice(at), program));
  }
  if (/^(python|pypy)[\d.]*$/.test(program)) {
    const at = words.findIndex((word) => word.text === "-m");
    const early = at > 0 && words.slice(1, at).every((word) => word.text.startsWith("-"));
    if (early && at + 1 < words.length) add(opened, inner(simple, words.slice(at + 1), program));
  }
  if (program !== "git") return;
  const sub = afterOptions(words);
  const told = gitRuns(simple);
  if (told === undefined) return;
  noteInline(opened, simple, told);
  const run = sub.findIndex((word) => /^(run|foreach)$/.test(word.text));
  const command = sub.slice(run + 1);
  if (run > 0 && command.length === 1) openText(opened, simple, command, "git");
  else if (run > 0 && command.length > 1) add(opened, inner(simple, command, "git"));
}

const GIT_VALUES = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"]);

/** Words of a git call from its subcommand on. */
function afterOptions(words: readonly Word[]): readonly Word[] {
  let at = 1;
  while (at < words.length && (words[at]?.text ?? "").startsWith("-"))
    at += GIT_VALUES.has(words[at]?.text ?? "") ? 2 : 1;
  return words.slice(at);
}

function openSource(opened: Opened, simple: Simple, program: string): void {
  const [, file] = simple.words;
  if (file?.inner.length) noteInline(opened, simple, "a substitution is run as a script");
  if (/^(-|\/dev\/(stdin|fd\/0))$/.test(file?.text ?? ""))
    openInput(opened, { ...simple, words: simple.words.slice(0, 1) }, program);
}

function inner(simple: Simple, words: readonly Word[], by: string, assignments: readonly Word[] = []): Simple {
  return { ...simple, words, assignments, redirects: [], under: [...simple.under, by] };
}

function openWrapper(opened: Opened, simple: Simple, program: string): void {
  const wrapper = WRAPPERS[program];
  if (wrapper === undefined) return;
  const [, ...words] = simple.words;
  const { options, operands } = readOptions(words, optionTable(program) ?? EARLY);
  const split = options.find((option) => program === "env" && isOneOf(option, ["-S", "--split-string"]));
  if (split !== undefined) {
    openText(opened, simple, [...(split.value === undefined ? [] : [split.value]), ...operands], "env");
    return;
  }
  if (program === "command" && options.some((option) => isOneOf(option, ["-v", "-V"]))) return;
  // The first word behind an option that the table does not have may be its value.
  const moves = options.flatMap((option) =>
    option.value !== undefined && isOneOf(option, ownEntry(MOVING, program) ?? []) ? [option.value] : [],
  );
  const there = moves.length === 0 ? simple : movedTo(simple, moves.slice(-1));
  for (const from of options.some(isUnknown) ? [0, 1] : [0]) startInner(opened, there, program, operands.slice(from));
}

/** Options of wrappers that change the directory. */
const MOVING: Readonly<Record<string, readonly string[]>> = {
  env: ["-C", "--chdir"],
  sudo: ["-D", "--chdir"],
  systemd_run: ["--working-directory"],
};
const EARLY = toTable("", { permuted: false });
const isUnknown = ({ known, names, text, joined }: GivenOption): boolean =>
  !known && names[0] === text && !joined && !/^-\d/.test(text);

/** Start what stands behind the operands and assignments of a wrapper. */
function startInner(opened: Opened, simple: Simple, program: string, words: readonly Word[]): void {
  const wrapper = WRAPPERS[program];
  const assignments: Word[] = [];
  let operands = wrapper?.operands ?? 0;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word !== undefined && wrapper?.assignments && /^[^=-][^=]*=/.test(word.text)) assignments.push(word);
    else if (operands > 0) operands -= 1;
    else break;
  }
  // `flock FILE -c TEXT` and the like have options behind their operands.
  while (wrapper !== undefined && wrapper.operands > 0 && (words[at]?.text ?? "").startsWith("-")) at += 1;
  const rest = words.slice(at);
  if (rest.length === 0) return;
  // Programs that hand one text to a shell: `watch 'rm x'`, `parallel 'rm {}'`.
  if (rest.length === 1 && /\s/.test(rest[0]?.text ?? "")) openText(opened, simple, rest, program);
  else add(opened, inner(simple, rest, program, assignments));
}

function openShell(opened: Opened, simple: Simple, program: string): void {
  const words = simple.words;
  const at = words.findIndex((word, index) => index > 0 && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.text));
  if (at !== -1) {
    const script = words.slice(at + 1).find((word) => !/^[-+]/.test(word.text));
    if (script !== undefined) openText(opened, simple, [script], program);
    return;
  }
  openInput(opened, simple, program);
  const file = words.slice(1).find((word) => !word.text.startsWith("-"));
  if (file?.inner.length) noteInline(opened, simple, "the output of a substitution is run as a script");
}

/** What a shell reads from a here-document or a pipe. Text that is known is opened; the rest is inline code. */
function openInput(opened: Opened, simple: Simple, program: string): void {
  const here = simple.redirects.find((one) => one.op.startsWith("<<"));
  const text = here?.op === "<<<" ? here.target : here?.body;
  if (text !== undefined) openText(opened, simple, [text], program);
  const reads = simple.words.slice(1).every((word) => word.text.startsWith("-"));
  if (simple.feed === undefined || !reads) return;
  noteInline(opened, simple, `${program} runs what it reads from a pipe`);
  for (const feeder of opened.commands.slice(simple.feed.from, simple.feed.to)) {
    const body = feeder.words.length === 1 ? feeder.redirects.find((one) => one.op.startsWith("<<")) : undefined;
    if (feeder.words[0]?.text === "cat" && body !== undefined)
      openText(opened, simple, [body.op === "<<<" ? body.target : (body.body ?? body.target)], program);
    if (/^(echo|printf)$/.test(feeder.words[0]?.text ?? ""))
      openText(
        opened,
        simple,
        feeder.words.slice(1).filter((word) => !/^-[neE]+$/.test(word.text)),
        program,
      );
  }
}

function openText(opened: Opened, simple: Simple, words: readonly Word[], by: string): void {
  const text = words.map((word) => word.text).join(" ");
  if (words.some((word) => !word.literal)) noteInline(opened, simple, `${by} runs a text that is made when it runs`);
  if (text.trim() === "" || text === "-") return;
  const { dirs: _, ...around } = opened.scope;
  const scope = { ...around, cwd: simple.cwd, ...(simple.dirs === undefined ? {} : { dirs: simple.dirs }) };
  const parsed = parseShell(text.replaceAll(UNKNOWN, "$_"), scope, opened.evaluates);
  opened.findings.push(...parsed.findings);
  opened.evaluates.push(...parsed.evaluates.filter((why) => !opened.evaluates.includes(why)));
  for (const name of parsed.functions) opened.functions.add(name);
  addAll({ ...opened, scope }, parsed, [...simple.under, by]);
}

function openFind(opened: Opened, simple: Simple): void {
  const { words } = simple;
  for (let at = 1; at < words.length; at++) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[at]?.text ?? "")) continue;
    const end = words.findIndex((word, index) => index > at && (word.text === ";" || word.text === "+"));
    const command = words.slice(at + 1, end === -1 ? words.length : end);
    if (command.length > 0)
      add(opened, inner(/dir$/.test(words[at]?.text ?? "") ? inRoots(simple) : simple, command, "find"));
    at = end === -1 ? words.length : end;
  }
}

/** `-execdir` runs in the directories that are found, somewhere below the first operands. */
function inRoots(simple: Simple): Simple {
  const end = simple.words.findIndex((word, at) => at > 0 && /^[-(!]/.test(word.text) && !/^-[HLP]$/.test(word.text));
  const roots = simple.words.slice(1, end === -1 ? undefined : end).filter((word) => !word.text.startsWith("-"));
  return roots.length === 0 ? simple : movedTo(simple, roots);
}

/** The same command in directories that words name. */
function movedTo(simple: Simple, words: readonly Word[]): Simple {
  const starts = simple.dirs ?? [simple.cwd];
  const dirs = words.flatMap(({ text }) =>
    starts.map((dir) =>
      text.includes(UNKNOWN) || (dir === undefined && !text.startsWith("/")) ? undefined : resolve(dir ?? "/", text),
    ),
  );
  return { ...simple, cwd: dirs[0], dirs };
}

const SSH_VALUES = /^-[bcDEeFIiJLlmOopQRSWw]$/;

function openSsh(opened: Opened, simple: Simple): void {
  const { words } = simple;
  let at = 1;
  while (at < words.length && (words[at]?.text ?? "").startsWith("-"))
    at += SSH_VALUES.test(words[at]?.text ?? "") ? 2 : 1;
  const command = words.slice(at + 1);
  // What runs on another machine has other directories.
  if (command.length > 0) openText(opened, { ...simple, cwd: undefined, dirs: [undefined] }, command, "ssh");
}

function openOption(opened: Opened, simple: Simple, option: string): void {
  const { options } = readOptions(simple.words.slice(1), optionTable(baseName(simple.words[0]?.text ?? "")));
  const known = options.find((one) => one.value !== undefined && isOneOf(one, [option]))?.value;
  if (known !== undefined) {
    openText(opened, simple, [known], baseName(simple.words[0]?.text ?? ""));
    return;
  }
  const at = simple.words.findIndex(
    (word) =>
      word.text === option ||
      (option === "-c" && /^-[a-z]*c$/.test(word.text)) ||
      (option === "--call" && word.text === "-c"),
  );
  const script = at === -1 ? undefined : simple.words[at + 1];
  if (script !== undefined) openText(opened, simple, [script], baseName(simple.words[0]?.text ?? ""));
}

function noteInline(opened: Opened, simple: Simple, what: string | undefined): void {
  if (what !== undefined)
    opened.findings.push({ kind: "inline-code", text: `${what}: ${renderSimpleCommand(simple)}` });
}

function noteInterpreter(opened: Opened, simple: Simple, program: string): void {
  const options = findProgramEntry(INTERPRETERS, program);
  if (options !== undefined) {
    const rest = simple.words.slice(1);
    const code = rest.some((word) => options.some((option) => word.text === option || isJoined(word.text, option)));
    const asks = rest.some((word) => /^(-V|-v|--version|--help|-h)$/.test(word.text));
    const file = rest.some((word) => !word.text.startsWith("-"));
    const input =
      simple.redirects.some((one) => one.op.startsWith("<<")) ||
      (simple.feed !== undefined && (!file || rest.some((word) => word.text === "-")));
    if (code) noteInline(opened, simple, `${program} runs code of the command line`);
    else if (input && !asks) noteInline(opened, simple, `${program} runs code that it reads`);
    else if (rest.some((word) => word.inner.length > 0 && !file))
      noteInline(opened, simple, `${program} runs code of a substitution`);
  }
  if (
    /^(g|m|n)?awk$/.test(program) &&
    simple.words.some((word) => /\bsystem\s*\(|\|\s*getline|\|\s*"|"\s*\|/.test(word.text))
  ) {
    noteInline(opened, simple, `${program} starts programs`);
  }
  if (
    /^g?sed$/.test(program) &&
    (simple.words.slice(1).some((word) => sedCallsOut(word.text)) || sedRuns(simple.words.map((word) => word.text)))
  )
    noteInline(opened, simple, `${program} starts programs`);
}

/** `-c'code'` and `-pe 'code'`: short options written together, or with their value. */
function isJoined(text: string, option: string): boolean {
  if (option.startsWith("--")) return text.startsWith(`${option}=`);
  if (option.length !== 2 || !option.startsWith("-") || text.startsWith("--") || !text.startsWith("-")) return false;
  return text.startsWith(option) || new RegExp(`^-[a-zA-Z0-9]{0,6}${option[1] ?? ""}$`).test(text);
}

const sedCallsOut = (text: string) =>
  /(^|[;{\n0-9/$])\s*e(\s|$)/.test(text) ||
  /^(\d*,?\d*)?s(.)(?:(?!\2).)*\2(?:(?!\2).)*\2[gpiIm0-9]*e/.test(text.slice(0, 2_000));

function noteOptions(opened: Opened, simple: Simple, program: string): void {
  const rows =
    findProgramEntry(COMMAND_OPTIONS, program) ?? findProgramEntry(COMMAND_OPTIONS, sameAs(program) ?? "") ?? [];
  if (rows.length === 0) return;
  const words = simple.words.slice(1);
  const written = words.map((word, index) => ({ text: word.text, next: words[index + 1]?.text ?? "" }));
  // As the program takes them: completed, and with their values.
  const read = readOptions(words, optionTable(program)).options.flatMap(({ names, value }) =>
    names.flatMap((name) => [
      { text: name, next: value?.text ?? "" },
      { text: `${name}=${value?.text ?? ""}`, next: "" },
    ]),
  );
  const hit = [...written, ...read].some(({ text, next }) =>
    rows.some(({ option, when }) => option.test(text) && (when === undefined || when.test(next))),
  );
  if (hit) noteInline(opened, simple, `an option of ${program} names a command`);
}

function addDisguise(opened: Opened, text: string): void {
  const found = findHidden(text);
  if (found !== undefined)
    opened.findings.push({
      kind: "disguised",
      text: `the command contains the invisible character ${spellCharacter(found)}`,
    });
}

/** A simple command for a message: words joined, unknown parts as `?`. */
export function renderSimpleCommand(simple: Simple): string {
  return visibleLine(
    simple.words
      .map((word) => word.text.replaceAll(UNKNOWN, "?"))
      .join(" ")
      .slice(0, 200),
  );
}
