import { AppError } from "../base/errors.js";
import type { CommandEntry, FlagMeta } from "../commands/entry.js";
import { GLOBAL_SHORT, GLOBALS, KANBAN_GLOBALS, NAMING } from "../commands/globals.js";
import { isTaskId } from "../commands/params/task-id.js";
import { nearest } from "../config/check-settings.js";

/** What a command line asks for. */
export interface ParsedLine {
  /** Undefined: no command was named (workspace, or `-z`). */
  readonly entry: CommandEntry | undefined;
  readonly globals: Readonly<Record<string, unknown>>;
  /** Values for the command's schema, texts and numbers already told apart. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Words that were typed for the command, to name it in messages. */
  readonly words: readonly string[];
}

type Parser = typeof import("yargs/helpers")["Parser"];

const SETTINGS = {
  "camel-case-expansion": false,
  "dot-notation": false,
  "boolean-negation": false, // `--no-auto` is a flag of its own
  "parse-numbers": false,
  "parse-positional-numbers": false,
  "greedy-arrays": false,
  "populate--": true,
  "strip-aliased": true,
} as const;

/** @throws E_USAGE naming the word that is wrong and the nearest right one. */
export function parseCommandLine(
  argv: readonly string[],
  entries: readonly CommandEntry[],
  parser: Parser,
): ParsedLine {
  const line = read(parser, argv, { flags: [...GLOBALS, ...KANBAN_GLOBALS], short: GLOBAL_SHORT, loose: true });
  if (helpsWithCommand(line.words, entries)) {
    const at = argv.indexOf("help");
    return parseCommandLine([...argv.slice(0, at), ...argv.slice(at + 1), "--help"], entries, parser);
  }
  const found = findEntry(line.words, entries);
  try {
    const parsed = found ? forCommand(argv, found, parser) : forNone(argv, refuseUnknown(line.words, entries), parser);
    refuseNoNames(parsed.globals);
    return parsed;
  } catch (error) {
    throw pointing(error, found?.entry);
  }
}

/** `agent help kanban create` is the help of that command, as `/help kanban create` is; one word alone is a topic. */
function helpsWithCommand([first, ...words]: readonly string[], entries: readonly CommandEntry[]): boolean {
  const path = words.join(" ");
  return (
    first === "help" &&
    words.length > 1 &&
    entries.some((entry) => entry.path === path || entry.path.startsWith(`${path} `))
  );
}

function forNone(argv: readonly string[], words: readonly string[], parser: Parser): ParsedLine {
  const known = globalsFor(undefined);
  const { values, unknown } = read(parser, argv, { flags: known, short: GLOBAL_SHORT, loose: false });
  if (words.length === 0) refuseUnknownFlags(unknown, known);
  return { entry: undefined, globals: values, params: {}, words };
}

/** A variable of a script that is not set: to go on without it would do something else, in another session or with every tool. */
function refuseNoNames(globals: Readonly<Record<string, unknown>>): void {
  for (const name of NAMING) {
    const value = globals[name];
    if (typeof value === "string" && value.trim() === "")
      throw new AppError("E_USAGE", `--${flagName(name)} requires a value, not '${value}'`);
  }
}

function forCommand(argv: readonly string[], { entry, used }: FoundEntry, parser: Parser): ParsedLine {
  const flags = flagsOf(entry);
  const own = new Set(flags.map((flag) => flag.name));
  const globals = globalsFor(entry).filter((flag) => !own.has(flag.name));
  const short = { ...dropTaken(GLOBAL_SHORT, entry.short ?? {}, own), ...entry.short };
  const line = argumentLine(argv, flags);
  const strict = read(parser, line, { flags: [...globals, ...flags], short, loose: false });
  refuseUnknownFlags(strict.unknown, [...globals, ...flags]);
  const names = new Set(globals.map((flag) => flag.name));
  const split = (wanted: boolean) =>
    Object.fromEntries(Object.entries(strict.values).filter(([name]) => names.has(name) === wanted));
  const places = placePositionals(entry, [...strict.words.slice(used), ...strict.rest]);
  return { entry, globals: split(true), params: { ...split(false), ...places }, words: strict.words.slice(0, used) };
}

/** The line with the flags that take more than one word written once for each. */
function argumentLine(argv: readonly string[], flags: readonly FlagMeta[]): readonly string[] {
  const has = (name: string) => flags.some((flag) => flag.name === name);
  if (has("ids")) return repeatIdsFlag(argv);
  return has("args") ? repeatArgsFlag(argv) : argv;
}

/** What follows `--args` belongs to another program, whatever it looks like. */
function repeatArgsFlag(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf("--args");
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  if (at < 0 || at > end) return argv;
  return [...argv.slice(0, at), ...argv.slice(at + 1).map((word) => `--args=${word}`)];
}

/** `--ids A B C` lists all three: words after it that look like task ids are its values, too. What follows them is text again. */
function repeatIdsFlag(argv: readonly string[]): readonly string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const line: string[] = [];
  let listing = false;
  for (const [at, word] of argv.entries()) {
    const before = argv[at - 1];
    const startsList = word === "--ids" || word.startsWith("--ids=");
    const isValue = before === "--ids";
    if (listing && !isValue && !startsList && at < end && isTaskId(word)) line.push("--ids");
    listing = at < end && (startsList || isValue || (listing && isTaskId(word)));
    line.push(word);
  }
  return line;
}

/** A refusal of a command line that has no hint of its own names the help that lists what there is. */
export function pointing(error: unknown, entry: Pick<CommandEntry, "path"> | undefined): unknown {
  if (!(error instanceof AppError) || error.code !== "E_USAGE" || error.data["hint"] !== undefined) return error;
  const command = entry === undefined ? "agent" : `agent ${entry.path}`;
  return new AppError(error.code, error.message, { ...error.data, hint: `${command} --help shows the options` }, error);
}

/** Positionals have no flag. */
export function flagsOf(entry: CommandEntry): readonly FlagMeta[] {
  const places = new Set((entry.positionals ?? []).map(placeName));
  return entry.flags.filter((flag) => !places.has(flag.name));
}

export function globalsFor(entry: CommandEntry | undefined): readonly FlagMeta[] {
  return entry?.path.startsWith("kanban") ? [...GLOBALS, ...KANBAN_GLOBALS] : GLOBALS;
}

export const placeName = (place: string): string => place.replace(/\.\.\.$/, "").replace(/[[\]<>?]/g, "");
export const flagName = (name: string): string => name.replaceAll("_", "-");

interface Read {
  readonly values: Record<string, unknown>;
  readonly words: readonly string[];
  readonly rest: readonly string[];
  readonly unknown: readonly string[];
}

interface Known {
  readonly flags: readonly FlagMeta[];
  readonly short: Readonly<Record<string, string>>;
  /** Do not look at the values yet: which command it is decides what they are. */
  readonly loose: boolean;
}

function read(parser: Parser, argv: readonly string[], { flags, short, loose }: Known): Read {
  const named = (test: (flag: FlagMeta) => boolean) => flags.filter(test).map((flag) => flagName(flag.name));
  const valued = named((flag) => flag.type !== "boolean");
  const detailed = parser.detailed([...argv], {
    boolean: named((flag) => flag.type === "boolean"),
    string: valued,
    array: named((flag) => flag.array === true),
    narg: Object.fromEntries(named((flag) => flag.type !== "boolean" && !flag.bare).map((name) => [name, 1])),
    alias: Object.fromEntries(
      flags.flatMap((flag) =>
        short[flag.name] === undefined ? [] : [[flagName(flag.name), [short[flag.name] ?? ""]]],
      ),
    ),
    configuration: { ...SETTINGS, "unknown-options-as-args": true },
  });
  if (detailed.error && !loose) throw new AppError("E_USAGE", usageText(detailed.error.message));
  const words = (detailed.argv._ as (string | number)[]).map(String); // positional numbers are not parsed, but the type allows them
  const rest = ((detailed.argv["--"] ?? []) as string[]).map(String);
  const values: Record<string, unknown> = {};
  for (const flag of flags) {
    const value: unknown = detailed.argv[flagName(flag.name)];
    if (value !== undefined) values[flag.name] = loose ? value : typed(flag, value, `--${flagName(flag.name)}`);
  }
  return { values, words: words.filter((word) => !isFlag(word)), rest, unknown: words.filter(isFlag) };
}

const isFlag = (word: string): boolean => /^-(?!\d|$)/.test(word);

function usageText(message: string): string {
  const hit = /Not enough arguments following: (.+)/.exec(message);
  const name = hit?.[1] ?? "";
  return hit ? `${name.length === 1 ? "-" : "--"}${name} requires a value` : message;
}

function typed(flag: FlagMeta, value: unknown, shown: string): unknown {
  if (flag.array) return (Array.isArray(value) ? value : [value]).map((item) => scalar(flag, item, shown));
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return scalar(flag, last, shown);
}

/** @param shown how messages name it: `--limit`, `<period>` */
function scalar(flag: FlagMeta, value: unknown, shown: string): unknown {
  if (flag.type === "boolean") return value === true || value === "true";
  const text = String(value);
  if (flag.choices && !flag.choices.includes(text))
    throw new AppError("E_USAGE", `${shown} must be one of ${flag.choices.join(", ")}, not '${text}'`);
  if (flag.type === "string") return text;
  if (!/^[+-]?\d+(\.\d+)?$/.test(text)) throw new AppError("E_USAGE", `${shown} must be a number, not '${text}'`);
  return Number(text);
}

interface FoundEntry {
  readonly entry: CommandEntry;
  /** Words that named it. */
  readonly used: number;
}

function findEntry(words: readonly string[], entries: readonly CommandEntry[]): FoundEntry | undefined {
  for (let used = Math.min(3, words.length); used > 0; used--) {
    const path = words.slice(0, used).join(" ");
    const entry = entries.find((known) => known.path === path || known.aliases?.includes(path));
    if (entry) return { entry, used };
  }
  return undefined;
}

/** A word that no command goes on with is refused; a group without a verb (`agent kanban`) is help, decided by the caller. */
function refuseUnknown(words: readonly string[], entries: readonly CommandEntry[]): readonly string[] {
  // The longest beginning that is a group: `kanban`, `kanban boards`.
  const groups = words.map((_word, at) => words.slice(0, at + 1).join(" "));
  const depth = groups.findLastIndex((group) => entries.some((entry) => entry.path.startsWith(`${group} `))) + 1;
  const wrong = words[depth];
  if (wrong === undefined) return words;
  const within = depth === 0 ? "" : `${groups[depth - 1]} `;
  const known = entries
    .filter((entry) => entry.path.startsWith(within))
    .map((entry) => entry.path.split(" ")[depth] ?? "");
  const guess = nearest(wrong, known);
  const where = depth === 0 ? "" : `agent ${within.trim()}: `;
  const told = `${where}unknown command '${wrong}'${guess === undefined ? "" : `, did you mean '${guess}'?`}`;
  throw new AppError("E_USAGE", told, { hint: `agent ${within}--help lists the commands` });
}

function refuseUnknownFlags(unknown: readonly string[], flags: readonly FlagMeta[]): void {
  const first = unknown[0];
  if (first === undefined) return;
  const name = first.replace(/^-+/, "").replace(/=.*$/s, "");
  const guess = nearest(
    name,
    flags.map((flag) => flagName(flag.name)),
  );
  throw new AppError(
    "E_USAGE",
    `unknown option '${first.replace(/=.*$/s, "")}'${guess === undefined ? "" : `, did you mean '--${guess}'?`}`,
  );
}

function dropTaken(
  short: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  names: ReadonlySet<string>,
): Record<string, string> {
  const taken = new Set(Object.values(own));
  return Object.fromEntries(Object.entries(short).filter(([name, letter]) => !taken.has(letter) && !names.has(name)));
}

function placePositionals(entry: CommandEntry, words: readonly string[]): Record<string, unknown> {
  const places = entry.positionals ?? [];
  const values: Record<string, unknown> = {};
  let at = 0;
  for (const place of places) {
    const name = placeName(place);
    const flag = entry.flags.find((known) => known.name === name);
    const taken = (word: string) => (flag === undefined ? word : scalar(flag, word, `<${flagName(name)}>`));
    if (place.endsWith("...")) {
      if (at < words.length) values[name] = words.slice(at).map(taken);
      at = words.length;
      continue;
    }
    const word = words[at];
    if (word === undefined) break;
    values[name] = taken(word);
    at += 1;
  }
  if (at < words.length) throw new AppError("E_USAGE", `agent ${entry.path}: unexpected argument '${words[at] ?? ""}'`);
  return values;
}
