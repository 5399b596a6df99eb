import { AppError, exitCodeOf, toAppError, toWireError } from "../base/errors.js";
import type { CommandContext, CommandResult, RuntimeCommand, SlashPlace } from "../commands/define.js";
import type { CommandEntry } from "../commands/entry.js";
import {
  commandAt,
  distinct,
  firstWords,
  matchNames,
  nextWords,
  wholeNames,
  withSlashes,
} from "../commands/slash/names.js";
import { allowRuntimeCommand } from "../commands/slash/quick.js";
import { closedWords, explainChatRefusal, forbidden, goesOn } from "../commands/slash/rules.js";
import {
  describeRuntime,
  findRuntimeCommand,
  listRuntimeCommands,
  runtimeCommandsLike,
  runtimeHelp,
} from "../commands/slash/runtime-commands.js";
import { parseShellLine, runShellLine } from "../commands/slash/shell-line.js";
import { cutAtLineEnd, joinOutput } from "../commands/slash/show.js";
import { isInChats } from "../commands/slash/surfaces.js";
import { commandHelp, commandPage, groupHelp, groupUsage, usageOf } from "../commands/slash/usage.js";
import { splitWords } from "../commands/slash/words.js";
import { nearest } from "../config/check-settings.js";
import type { SlashAnswer, SlashCall } from "../contracts/chat/slash.js";
import { type Invocation, prefixOf } from "./invocation.js";
import { wrongParam } from "./param-issue.js";
import { type ParsedLine, parseCommandLine } from "./parse-command-line.js";

/** What a slash command is run with, besides its text. A chat has no streams: the answer is one text. */
export type SlashServices = Omit<Invocation, "argv" | "gone" | "out" | "err" | "stdin" | "pipeExit" | "origin">;

/** Run a line that begins with `/`, or the shell line behind `!`. Never rejects: every failure is an answer with its exit code. It concerns no turn and waits for none. */
export async function runSlash(
  call: SlashCall,
  services: SlashServices,
  all: readonly CommandEntry[],
): Promise<SlashAnswer> {
  const slash = all.filter((entry) => entry.surfaces.includes("slash"));
  const entries = call.origin === undefined ? slash : slash.filter(isInChats);
  try {
    const line = parseShellLine(call.text);
    if (line !== undefined) return await runShellLine(line, call, services.chat);
    if (call.origin !== undefined) refuseHidden(call, slash);
    const others = namesBuiltIn(call, entries)
      ? []
      : await runtimeCommandsIn(placeOf(call, services), services, entries);
    const typed = runtimeOf(call, entries, others);
    const aliased = typed && aliasOf(typed, entries, others);
    if (aliased !== undefined) return await runSlash({ ...call, text: aliased }, services, all);
    if (typed !== undefined) return await performRuntime(typed, call, services);
    const said = verbatimOf(call, entries);
    const words = said?.words ?? wordsOf(call);
    const help = helpAnswer(words, entries, others) ?? listAnswer(words, [...entries, ...others.map(toRow)], call);
    if (said !== undefined && help === undefined)
      return await performVerbatim(said, { call, services, entries, all, others, words });
    if (help !== undefined) return { ...help, text: cutAtLineEnd(help.text, mostOf(call, words[0] ?? "")) };
    return await perform({ call, services, entries, all, others, words });
  } catch (error) {
    return failed(error, services, { call, entries, path: [] });
  }
}

/** What only a terminal has is not unknown. @throws E_FORBIDDEN */
function refuseHidden(call: SlashCall, slash: readonly CommandEntry[]): void {
  const words = /^\/(\S+)/.test(call.text) ? quietWords(call) : [];
  const found = commandAt(slash, words);
  if (found === undefined || isInChats(found.entry)) return;
  const why =
    explainChatRefusal(found.entry, {}, call.origin) ??
    `/${found.entry.path} is not available in a chat; run it on the machine`;
  throw new AppError("E_FORBIDDEN", why, { hint: "" });
}

function quietWords(call: SlashCall): readonly string[] {
  try {
    return wordsOf(call);
  } catch {
    return []; /* ok to lose: the next reader of the line says what is wrong with it */
  }
}

/** All that are not built in; what is being loaded is waited for. */
async function runtimeCommandsIn(place: SlashPlace, services: SlashServices, entries: readonly CommandEntry[]) {
  await services.runtime?.ready?.(place);
  return listRuntimeCommands(services, entries, place);
}

/** Where it is typed. */
const placeOf = ({ origin }: SlashCall, { cwd, env }: SlashServices): SlashPlace => ({
  cwd,
  env,
  ...(origin === undefined ? {} : { platform: origin.platform }),
});

/** The line can concern built-in commands only: whatever is being loaded need not be waited for. */
function namesBuiltIn({ text }: SlashCall, entries: readonly CommandEntry[]): boolean {
  const word = /^\/([^\s'"@]+)/.exec(text)?.[1] ?? "";
  return word !== "help" && word !== "commands" && firstWords(entries).includes(word.replaceAll("_", "-"));
}

/** As a row of a list of commands. */
const toRow = (command: RuntimeCommand) => ({ path: command.name, summary: describeRuntime(command) });

interface Typed {
  readonly command: RuntimeCommand;
  /** The text after the name. */
  readonly args: string;
}

/** A command that is not built in, by its name or the beginning of only one; undefined: a built-in one is meant, or nothing that is known. */
function runtimeOf(
  call: SlashCall,
  entries: readonly CommandEntry[],
  others: readonly RuntimeCommand[],
): Typed | undefined {
  const word = /^\/([^\s'"]+)/.exec(call.text)?.[1];
  if (word === undefined || others.length === 0) return undefined;
  const name = call.origin === undefined ? word : word.replace(/@.*$/, "").replaceAll("_", "-");
  const names = firstWords(entries);
  if (names.includes(name) || name === "help" || name === "commands") return undefined;
  const typed = call.text.slice(word.length + 1).trim();
  const args = call.origin === undefined ? typed : typed.replaceAll(/(?<=^|\s)\S+/g, hyphens);
  const exact = findRuntimeCommand(name, others);
  if (exact !== undefined) return { command: exact, args };
  if (matchNames(name, names).length > 0) return undefined;
  const [only, ...more] = runtimeCommandsLike(name, others);
  if (more.length === 0) return only && { command: only, args };
  throw new AppError("E_USAGE", `Ambiguous command: ${[only, ...more].map((one) => one?.name).join(", ")}`, {
    hint: "type more characters",
  });
}

/** The line that an alias stands for; undefined: it is not an alias. @throws E_USAGE when it stands for another alias */
function aliasOf(
  { command, args }: Typed,
  entries: readonly CommandEntry[],
  others: readonly RuntimeCommand[],
): string | undefined {
  const line = command.expand?.(args);
  if (line === undefined) return undefined;
  const [target = ""] = splitWords(line.slice(1), "keep").map((word) => word.text);
  const other = firstWords(entries).includes(target) ? undefined : findRuntimeCommand(target, others);
  if (other?.expand?.("") === undefined) return line;
  throw new AppError("E_USAGE", `/${command.name} is an alias for /${target}, which is itself an alias`, {
    hint: `use a command in quick_commands.${command.name}.target`,
  });
}

async function performRuntime({ command, args }: Typed, call: SlashCall, services: SlashServices) {
  if (ASKS.has(args)) return told(runtimeHelp(command));
  allowRuntimeCommand(command.name, call.member);
  const said = { out: "", err: "" };
  const result = await command.run(args, contextOf(call, {}, services, said));
  return toAnswer(result, { call, said, name: command.name, json: false });
}

const ASKS = new Set(["-h", "--help"]);

interface Asked {
  readonly call: SlashCall;
  readonly services: SlashServices;
  readonly entries: readonly CommandEntry[];
  /** Those of every surface. */
  readonly all: readonly CommandEntry[];
  /** Commands that are not built in. */
  readonly others: readonly RuntimeCommand[];
  /** Without the slash; the first one is a known name. */
  readonly words: readonly string[];
}

/** The words of the line. Telephones turn hyphens into dashes and platforms add the name of the bot. */
function wordsOf({ text, origin }: SlashCall): readonly string[] {
  let words: readonly string[];
  try {
    words = splitWords(text.slice(1)).map((word) => word.text);
  } catch (error) {
    const first = /^\/([^\s'"]*)/.exec(text)?.[1] ?? "";
    throw usageError(first, toAppError(error).message, groupUsage([first]));
  }
  if (origin === undefined) return words;
  const [first = "", ...rest] = words;
  return [first.replace(/@.*$/, "").replaceAll("_", "-"), ...rest.map(hyphens)];
}

interface Verbatim {
  readonly entry: CommandEntry;
  readonly text: string;
  /** Its name, and the only word behind it when that asks for help. */
  readonly words: readonly string[];
}

/** A command that takes the rest of the line as one text, whatever signs are in it. */
function verbatimOf({ text: line, origin }: SlashCall, entries: readonly CommandEntry[]): Verbatim | undefined {
  const typed = /^\/(\S+)\s*/.exec(line);
  if (typed === null) return undefined;
  const word = origin === undefined ? (typed[1] ?? "") : (typed[1] ?? "").replace(/@.*$/, "").replaceAll("_", "-");
  const [name, ...others] = matchNames(word, firstWords(entries));
  const found = name === undefined || others.length > 0 ? undefined : commandAt(entries, [name]);
  if (name === undefined || found?.entry.verbatim !== true) return undefined;
  if (name !== word && wholeNames(entries).has(name)) return undefined; // refused with the others
  const text = line.slice(typed[0].length).trim();
  return { entry: found.entry, text, words: HELP.has(text) ? [name, text] : [name] };
}

const hyphens = (word: string): string =>
  /^[\u2013\u2014]\p{L}/u.test(word) ? `${word.length > 2 ? "--" : "-"}${word.slice(1)}` : word;

const HELP = new Set(["help", "-h", "--help", "?"]);

/** `/`, `/help`, `/kanban`, `/kanban help`, `/kanban create -h`, `/help kanban create`. */
function helpAnswer(
  words: readonly string[],
  entries: readonly CommandEntry[],
  others: readonly RuntimeCommand[],
): SlashAnswer | undefined {
  const [first, ...rest] = words;
  const whole = () => told(groupHelp([...entries, ...others.map(toRow)], []));
  if (first === undefined) return whole();
  if (first === "help" || first === "commands") {
    const topic = rest.filter((word) => !HELP.has(word));
    if (rest.length > 0 && topic.length === 0) return whole();
    const known = topic.length === 0 ? undefined : about(topic, entries);
    const other = findRuntimeCommand((topic[0] ?? "").replace(/^\//, ""), others);
    return known ?? (other && told(runtimeHelp(other)));
  }
  const asked = words.findIndex((word) => HELP.has(word));
  const end = words.indexOf("--");
  const named = asked < 0 || (end >= 0 && end < asked) ? words : words.slice(0, asked);
  const [name] = matchNames(first, firstWords(entries));
  if (name === undefined || (asked < 0 && commandAt(entries, [name, ...rest]) !== undefined)) return undefined;
  // `help` and `?` are words that a command may be given; behind an action they ask for nothing.
  if (asked >= 0 && !words[asked]?.startsWith("-") && commandAt(entries, [name, ...named.slice(1)]) !== undefined)
    return undefined;
  return about([name, ...named.slice(1)], entries);
}

/** Help about a command or a group; undefined leaves the words to who knows help topics, or refuses them. */
function about(words: readonly string[], entries: readonly CommandEntry[]): SlashAnswer | undefined {
  const names = words.map((word, at) => (at === 0 ? word.replace(/^\//, "") : word));
  if (nextWords(entries, names).size > 0) return told(groupHelp(entries, names));
  const found = commandAt(entries, names);
  return found === undefined ? undefined : told(commandHelp(found.entry));
}

/** `/commands` and `/help`, in a chat a page at a time. */
function listAnswer(
  words: readonly string[],
  entries: Parameters<typeof commandPage>[0],
  { member, origin }: SlashCall,
): SlashAnswer | undefined {
  const [first, page, ...more] = words;
  if ((first !== "commands" && first !== "help") || more.length > 0) return undefined;
  if (page === undefined && origin === undefined) return told(groupHelp(entries, []));
  return /^\d{1,3}$/.test(page ?? "1") ? told(commandPage(entries, Number(page ?? "1"), member)) : undefined;
}

const told = (text: string): SlashAnswer => ({ text, data: { text }, exit: 0 });

/** A screen scrolls, and shows more than a chat on a platform takes; the board answers alike everywhere (board part, 12). */
const mostOf = ({ origin }: SlashCall, first: string): number | undefined =>
  origin === undefined && first !== "kanban" ? MOST_ON_SCREEN : undefined;
const MOST_ON_SCREEN = 60_000;

async function perform(asked: Asked): Promise<SlashAnswer> {
  const { call, services, entries } = asked;
  const first = nameOf(asked.words[0] ?? "", asked);
  const words = [first, ...asked.words.slice(1)];
  const absent = commandAt(entries, words) === undefined ? closedWords(words) : undefined;
  if (absent !== undefined) throw new AppError("E_FORBIDDEN", absent, { hint: "" });
  const parsed = await parse(words, entries);
  const { entry } = parsed;
  const params = checked(await entry.load(), parsed, first);
  if (call.follows === true && call.origin === undefined && goesOn(entry, params)) {
    return { text: "(follows; Ctrl+C stops it)", data: null, exit: 0, follow: words };
  }
  const closed = explainChatRefusal(entry, params, call.origin);
  if (closed !== undefined) throw new AppError("E_FORBIDDEN", closed, { hint: "" });
  const refusal = forbidden(entry, params, call);
  if (refusal !== undefined) throw new AppError("E_FORBIDDEN", refusal);
  await makeRoom(entry, call, services);
  return run(asked, { ...parsed, entry, params }, services);
}

async function performVerbatim({ entry, text }: Verbatim, asked: Asked): Promise<SlashAnswer> {
  const { call, services } = asked;
  const params = { text };
  const refusal = explainChatRefusal(entry, params, call.origin) ?? forbidden(entry, params, call);
  if (refusal !== undefined) throw new AppError("E_FORBIDDEN", refusal);
  await makeRoom(entry, call, services);
  return run(asked, { entry, globals: {}, params, words: [entry.path] }, services);
}

/** @throws E_USAGE naming what was nearly typed */
function nameOf(word: string, { entries, all, others, call }: Asked): string {
  const chat = call.origin !== undefined;
  const names = firstWords(entries);
  const found = distinct(matchNames(word, names), entries);
  const [only] = found;
  if (found.length === 1 && only !== undefined) {
    if (only === word || !wholeNames(entries).has(only)) return only;
    throw new AppError("E_USAGE", `Type /${only} in full`, { hint: "" });
  }
  if (found.length > 1)
    throw new AppError("E_USAGE", `Ambiguous command: ${found.join(", ")}`, { hint: "type more characters" });
  if (!chat) refuseElsewhere(word, all);
  const guesses = nearestOf(word, [...names, ...others.map(({ name }) => name)], chat ? 3 : 1).map(
    (name) => `/${name}`,
  );
  throw new AppError(
    "E_USAGE",
    `Unknown command /${word}${guesses.length === 0 ? "" : `, did you mean ${guesses.join(", ")}?`}`,
    {
      hint: `/${chat ? "commands" : "help"} lists the commands; put a space before the slash to send it as text`,
    },
  );
}

/** What line mode has and the workspace shows otherwise. */
const LINE_MODE: ReadonlyMap<string, string> = new Map([
  ["show", "In the workspace press F2 and then o on a call to see its output"],
]);

/** A command that exists in another place is not unknown. @throws E_USAGE */
function refuseElsewhere(word: string, all: readonly CommandEntry[]): void {
  const instead = LINE_MODE.get(word);
  if (instead !== undefined)
    throw new AppError("E_USAGE", `/${word} is available in line mode only (agent --inline)`, { hint: instead });
  if (!firstWords(all.filter((entry) => entry.surfaces.includes("cli"))).includes(word)) return;
  throw new AppError("E_USAGE", `/${word} is not available in a session`, { hint: `run agent ${word} in a shell` });
}

function nearestOf(word: string, names: readonly string[], most: number): readonly string[] {
  const found: string[] = [];
  for (let left = names; found.length < most; left = left.filter((name) => !found.includes(name))) {
    const next = nearest(word, left);
    if (next === undefined) break;
    found.push(next);
  }
  return found;
}

/** What a running turn has to say to a command (core part, 14.1). */
async function makeRoom(entry: CommandEntry, { session }: SlashCall, { chat }: SlashServices): Promise<void> {
  if (session === undefined || (entry.busy ?? "now") === "now" || !(await chat.isBusy(session))) return;
  if (entry.busy === "stop") await chat.interrupt(session);
  else
    throw new AppError("E_STATE", `/${entry.path} must wait until the turn has ended`, {
      session,
      hint: "wait, or run /stop",
    });
}

type Found = ParsedLine & { readonly entry: CommandEntry };

/** Options of the program that mean something in a chat. */
const SHARED = new Set(["json", "board", "help"]);

async function parse(argv: readonly string[], entries: readonly CommandEntry[]): Promise<Found> {
  const [first = ""] = argv;
  const { Parser } = await import("yargs/helpers");
  const known = commandAt(
    entries,
    argv.filter((word) => !word.startsWith("-")),
  );
  const usage = known === undefined ? groupUsage([first]) : usageOf(known.entry);
  let parsed: ParsedLine;
  try {
    parsed = parseCommandLine(argv, entries, Parser);
  } catch (error) {
    throw usageError(first, toAppError(error).message.replace(/^agent [a-z ]+: /, ""), usage);
  }
  const { entry } = parsed;
  if (entry === undefined) throw usageError(first, "missing action", groupUsage([first]));
  const foreign = Object.keys(parsed.globals).find((name) => !SHARED.has(name));
  if (foreign !== undefined)
    throw usageError(first, `--${foreign.replaceAll("_", "-")} is not available in a chat`, usageOf(entry));
  return { ...parsed, entry };
}

function checked(command: Awaited<ReturnType<CommandEntry["load"]>>, { entry, params }: Found, first: string) {
  const parsed = command.params.safeParse(params);
  if (parsed.success) return parsed.data;
  throw usageError(first, wrongParam(entry, params, parsed.error.issues[0]), usageOf(entry));
}

function usageError(first: string, reason: string, usage: string): AppError {
  return new AppError("E_USAGE", `⚠ /${first} usage error\n${reason}\n${usage}`, { hint: "" });
}

/** What the line of a one-shot says about its run, which a slash command may show. */
const optionsOfRun = ({ direct }: SlashServices): Readonly<Record<string, unknown>> =>
  direct?.globals["checkpoints"] === true ? { checkpoints: true } : {};

/** What a command has written at once. */
interface Said {
  out: string;
  err: string;
}

function contextOf(
  call: SlashCall,
  globals: Readonly<Record<string, unknown>>,
  services: SlashServices,
  said: Said,
): CommandContext {
  return {
    ...services,
    ...(call.origin === undefined ? {} : { origin: call.origin }),
    ...(call.session === undefined ? {} : { session: call.session }),
    ...(call.member === undefined ? {} : { member: call.member }),
    ...(call.work === undefined ? {} : { work: call.work }),
    ...(call.waits === true ? { waits: true } : {}),
    surface: "slash",
    json: globals["json"] === true,
    globals: { ...optionsOfRun(services), ...globals },
    gone: new AbortController().signal,
    pipeExit: () => undefined,
    out: async (text) => {
      said.out += text;
    },
    err: async (text) => {
      said.err += text;
    },
    stdin: () =>
      Promise.reject(new AppError("E_USAGE", "standard input is not available in a chat; pass the text itself")),
  };
}

async function run(
  { call, entries }: Asked,
  found: Found & { params: Record<string, unknown> },
  services: SlashServices,
): Promise<SlashAnswer> {
  const said = { out: "", err: "" };
  const ctx = contextOf(call, found.globals, services, said);
  const { path } = found.entry;
  const [first = ""] = path.split(" ");
  const asked = { call, entries, path: [path] };
  try {
    const result = await (await found.entry.load()).run(found.params, ctx);
    return toAnswer(result, { call, said, name: path, json: ctx.json });
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== "E_USAGE") return failed(error, services, asked, ctx.json);
    const hint = error.data["hint"]; // one that the command gave; the usage line stands for that of every usage error
    const told = typeof hint === "string" && hint !== "" ? `${error.message}\n${hint}` : error.message;
    return failed(usageError(first, told, usageOf(found.entry)), services, asked, ctx.json);
  }
}

interface Shown {
  readonly call: SlashCall;
  readonly said: Said;
  /** Path of the command. */
  readonly name: string;
  readonly json: boolean;
}

function toAnswer(result: CommandResult, { call, said, name, json }: Shown): SlashAnswer {
  const prefix = prefixFor(call, [name]);
  const err = said.err + (result.warnings ?? []).map((line) => `${prefix}${line}\n`).join("");
  const whole = joinOutput(said.out + printed(result, json), err);
  const [first = ""] = name.split(" ");
  return {
    text: result.uncut === true && call.waits === true ? whole : cutAtLineEnd(whole, mostOf(call, first)),
    data: result.data,
    exit: result.exit ?? 0,
    ...(result.next === undefined ? {} : { next: result.next }),
    ...(result.streamed === true ? { streamed: true } : {}),
  };
}

/** A chat shows who writes; only a terminal needs the name of the program before a line. */
const prefixFor = ({ origin }: SlashCall, words: readonly string[]): string =>
  origin === undefined ? prefixOf(words) : "";

function printed(result: CommandResult, json: boolean): string {
  if (result.streamed) return "";
  if (!json) return result.text ?? "";
  if (result.lines && Array.isArray(result.data)) return result.data.map((row) => JSON.stringify(row)).join("\n");
  return JSON.stringify(result.data, null, 2);
}

interface Failing {
  readonly call: SlashCall;
  readonly entries: readonly CommandEntry[];
  readonly path: readonly string[];
}

function failed(thrown: unknown, { log }: SlashServices, { call, entries, path }: Failing, json = false): SlashAnswer {
  const error = toAppError(thrown);
  if (error.code === "E_INTERNAL")
    log.error("a slash command failed", { error: error.message, stack: String(error.stack).slice(0, 2000) });
  const wire = toWireError(error);
  const known = error.code === "E_USAGE" || error.code === "E_FORBIDDEN";
  const prefix = prefixFor(call, path);
  // A chat does not have a command line to type the program's name into.
  const hint = call.origin === undefined ? error.hint : withSlashes(error.hint, entries);
  const lines = [error.message, hint].filter((line) => line !== "").map((line) => (known ? line : `${prefix}${line}`));
  const text = json ? JSON.stringify({ error: wire }) : cutAtLineEnd(lines.join("\n"));
  return { text, data: { error: wire }, exit: exitCodeOf(error), error: wire };
}
