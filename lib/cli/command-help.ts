import { EOL } from "node:os";
import type { Argv } from "yargs";
import type { CommandEntry, FlagMeta } from "../commands/entry.js";
import { GLOBAL_SHORT } from "../commands/globals.js";
import { flagName, flagsOf, globalsFor, placeName } from "./parse-command-line.js";

const FORMS = [
  ["agent", "open the workspace; attaches to a running owner"],
  ["agent --headless", "own this home without a screen and run the dispatcher"],
  ["agent -z PROMPT", "run one turn and print only the answer"],
] as const;

/** Help of one command, of a group (`agent kanban`), or of the program. Rendered by yargs from the registry; no command is loaded. */
export async function helpFor(
  entry: CommandEntry | undefined,
  words: readonly string[],
  entries: readonly CommandEntry[],
  columns: number,
): Promise<string> {
  // The package is an ES module with a default export; its types still describe the older form, where the module was that export.
  const { default: yargs } = (await import("yargs")) as unknown as { default: (args: readonly string[]) => Argv };
  const screen = yargs([])
    .scriptName("agent")
    .help(false)
    .version(false)
    .wrap(Math.min(Math.max(columns, 40), 110))
    .exitProcess(false);
  const short: Readonly<Record<string, string>> = { ...GLOBAL_SHORT, ...entry?.short };
  if (entry) {
    screen.usage(
      `agent ${entry.path} ${(entry.positionals ?? []).map((place) => placeForm(entry, place)).join(" ")}${EOL}${EOL}${entry.summary}`,
    );
    for (const place of entry.positionals ?? []) addPlace(screen, entry, place);
    for (const flag of flagsOf(entry)) screen.option(flagName(flag.name), optionOf(flag, short, "Options:"));
    for (const [name, summary] of groupOf(entry, words, entries).map(named)) screen.command(name, summary);
  } else addCommands(screen, words, entries);
  for (const flag of shownGlobals(entry, words))
    screen.option(flagName(flag.name), optionOf(flag, short, "Global options:"));
  return screen.getHelp();
}

const EVERYWHERE = new Set(["help", "json", "board"]);

/** All options of the program belong to its own help and to the command that starts turns; elsewhere they would bury the command's own. */
function shownGlobals(entry: CommandEntry | undefined, words: readonly string[]): readonly FlagMeta[] {
  const all = globalsFor(entry).filter((flag) => flag.name !== "board" || entry !== undefined || words[0] === "kanban");
  return (entry === undefined && words.length === 0) || entry?.path === "chat"
    ? all
    : all.filter((flag) => EVERYWHERE.has(flag.name));
}

/** `agent sessions` and `agent dashboard` are commands and groups: the others of the group are listed too. */
function groupOf(
  entry: CommandEntry,
  words: readonly string[],
  entries: readonly CommandEntry[],
): readonly CommandEntry[] {
  const group = words.join(" ");
  return entries.filter((other) => other !== entry && other.path.startsWith(`${group} `));
}

type Screen = Argv;

function addCommands(screen: Screen, words: readonly string[], entries: readonly CommandEntry[]): void {
  const group = words.length === 0 ? undefined : words.join(" ");
  const shown =
    group === undefined ? topLevel(entries) : entries.filter((entry) => entry.path.startsWith(`${group} `)).map(named);
  const forms =
    group === undefined
      ? FORMS.map(([form, what]) => `  ${form.padEnd(20)} ${what}`).join(EOL)
      : `agent ${group} <action> [options]`;
  screen.usage(group === undefined ? `agent: a tool-using AI agent for the terminal${EOL}${EOL}${forms}` : forms);
  for (const [name, summary] of shown) screen.command(name, summary);
}

const named = (entry: CommandEntry): readonly [string, string] => [
  [entry.path, ...(entry.positionals ?? []).map((place) => placeForm(entry, place))].join(" "),
  entry.summary,
];

/** Single commands as they are; a group once, with its actions. */
function topLevel(entries: readonly CommandEntry[]): (readonly [string, string])[] {
  const groups = new Map<string, string[]>();
  for (const entry of entries) {
    const [first = "", second] = entry.path.split(" ");
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), second]);
  }
  const single = entries.filter((entry) => !entry.path.includes(" ")).map(named);
  return [
    ...single,
    ...[...groups].map(([name, actions]) => [`${name} <action>`, [...new Set(actions)].join(", ")] as const),
  ];
}

function placeForm(entry: CommandEntry, place: string): string {
  const name = placeName(place);
  const many = place.endsWith("...") ? ".." : "";
  const required = entry.flags.find((flag) => flag.name === name)?.required === true;
  return required ? `<${name}${many}>` : `[${name}${many}]`;
}

function addPlace(screen: Screen, entry: CommandEntry, place: string): void {
  const flag = entry.flags.find((known) => known.name === placeName(place));
  if (!flag) return;
  const { describe, type, choices } = flag;
  screen.positional(flag.name, { describe, type, ...(choices === undefined ? {} : { choices }) });
}

function optionOf(flag: FlagMeta, short: Readonly<Record<string, string>>, group: string) {
  const letter = short[flag.name];
  return {
    describe: flag.describe,
    group,
    ...(flag.array ? { array: true } : { type: flag.type }),
    ...(letter === undefined ? {} : { alias: letter }),
    ...(flag.choices === undefined ? {} : { choices: flag.choices }),
    ...(flag.default === undefined || flag.default === false
      ? {}
      : { defaultDescription: JSON.stringify(flag.default) }),
  } as const;
}
