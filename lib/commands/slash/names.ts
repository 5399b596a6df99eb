import type { CommandEntry } from "../entry.js";

type Named = Pick<CommandEntry, "path" | "aliases" | "summary">;

/** Paths of a command, aliases included. */
const pathsOf = (entry: Pick<Named, "path" | "aliases">): readonly string[] => [entry.path, ...(entry.aliases ?? [])];

/** Words that may stand directly behind the slash, in order. */
export function firstWords(entries: readonly CommandEntry[]): readonly string[] {
  return sorted(entries.flatMap(pathsOf));
}

/** The same for a list that may be cut: what is seldom typed stands behind the rest, other names of commands behind their own. */
export function firstWordsByUse(entries: readonly CommandEntry[]): readonly string[] {
  const own = sorted(entries.map(({ path }) => path));
  return [...new Set([...own.filter((name) => !SELDOM.has(name)), ...own, ...firstWords(entries)])];
}

/** Looks of the screen and care of the machine: set once, if ever. */
const SELDOM: ReadonlySet<string> = new Set([
  "details",
  "indicator",
  "layout",
  "mouse",
  "redraw",
  "statusbar",
  "verbose",
  "footer",
  "keys",
  "restart",
  "sethome",
  "handoff",
  "platform",
  "memory",
  "plugins",
  "proxy",
  "owner",
  "checkpoints",
  "insights",
  "version",
  "whoami",
  "hooks",
  "mcp",
  "browser",
  "reload",
  "reload-mcp",
  "reload-skills",
  "bundles",
  "skills",
  "curator",
  "vendor-runtime",
]);

const sorted = (paths: readonly string[]): string[] =>
  [...new Set(paths.map((path) => path.split(" ")[0] ?? ""))].sort();

/** Words that may follow `words`, with the first summary of each; empty when `words` are a command or nothing. */
export function nextWords(entries: readonly Named[], words: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const groups = new Map<string, Map<string, string>>();
  for (const entry of entries) {
    for (const path of pathsOf(entry)) {
      const parts = path.split(" ");
      const [next, action] = parts.slice(words.length);
      if (next === undefined || !words.every((word, at) => parts[at] === word)) continue;
      if (!found.has(next)) found.set(next, "");
      if (action === undefined) found.set(next, entry.summary);
      else groups.set(next, (groups.get(next) ?? new Map<string, string>()).set(action, entry.summary));
    }
  }
  for (const [name, actions] of groups) if (found.get(name) === "") found.set(name, describeActions(actions));
  return found;
}

const NAMED = 6;

/** `list, show, create and 12 more`: what a word that is not a command by itself leads to; a single action by its summary, for its name says little. */
function describeActions(actions: ReadonlyMap<string, string>): string {
  const names = [...actions.keys()];
  const more = names.length - NAMED;
  if (names.length === 1) return [...actions.values()].join("");
  return more > 1 ? `${names.slice(0, NAMED).join(", ")} and ${more} more.` : `${names.join(", ")}.`;
}

/** The command that `words` begin with, and how many of them name it. */
export function commandAt(
  entries: readonly CommandEntry[],
  words: readonly string[],
): { entry: CommandEntry; used: number } | undefined {
  for (let used = Math.min(3, words.length); used > 0; used--) {
    const path = words.slice(0, used).join(" ");
    const entry = entries.find((known) => pathsOf(known).includes(path));
    if (entry) return { entry, used };
  }
  return undefined;
}

/** A text whose command lines, where they are among `entries`, are slash commands: `agent cron list` -> `/cron list`. */
export const withSlashes = (text: string, entries: readonly CommandEntry[]): string =>
  text.replace(/\bagent (?=([a-z][a-z-]*(?: [a-z][a-z-]*)*))/g, (found, words: string) =>
    commandAt(entries, words.split(" ")) === undefined ? found : "/",
  );

/** Fewest letters that stand for a whole name (core part, 14.1). */
export const SHORTEST = 3;

/** What a first word means: a name, the only one that begins with it, or the several that do. */
export function matchNames(word: string, names: readonly string[]): readonly string[] {
  if (names.includes(word)) return [word];
  return word.length < SHORTEST ? [] : names.filter((name) => name.startsWith(word));
}

/** Of several names of one command the one that is its own. */
export function distinct(names: readonly string[], entries: readonly CommandEntry[]): readonly string[] {
  if (names.length < 2) return names;
  const ownOf = (name: string) => entries.find((entry) => pathsOf(entry).includes(name))?.path ?? name;
  return [...new Set(names.map(ownOf))];
}

/** Names of commands that are typed in full. */
export function wholeNames(entries: readonly CommandEntry[]): ReadonlySet<string> {
  return new Set(entries.filter((entry) => entry.whole === true).flatMap(pathsOf));
}
