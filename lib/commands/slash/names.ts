import type { CommandEntry } from "../entry.js";

type Named = Pick<CommandEntry, "path" | "aliases" | "summary">;

/** Paths of a command, aliases included. */
const pathsOf = (entry: Pick<Named, "path" | "aliases">): readonly string[] => [entry.path, ...(entry.aliases ?? [])];

/** Words that may stand directly behind the slash, in order. */
export function firstWords(entries: readonly CommandEntry[]): readonly string[] {
  return sorted(entries.flatMap(pathsOf));
}

/** The same for a list that may be cut: other names of commands stand behind their own. */
export function firstWordsByUse(entries: readonly CommandEntry[]): readonly string[] {
  return [...new Set([...sorted(entries.map(({ path }) => path)), ...firstWords(entries)])];
}

const sorted = (paths: readonly string[]): string[] => [...new Set(paths.map((path) => path.split(" ")[0] ?? ""))].sort();

/** Words that may follow `words`, with the first summary of each; empty when `words` are a command or nothing. */
export function nextWords(entries: readonly Named[], words: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of entries) {
    for (const path of pathsOf(entry)) {
      const parts = path.split(" ");
      const next = parts[words.length];
      if (next === undefined || !words.every((word, at) => parts[at] === word)) continue;
      if (parts.length === words.length + 1) found.set(next, entry.summary);
      else if (!found.has(next)) found.set(next, `/${parts.slice(0, words.length + 1).join(" ")} ...`);
    }
  }
  return found;
}

/** The command that `words` begin with, and how many of them name it. */
export function commandAt(entries: readonly CommandEntry[], words: readonly string[]): { entry: CommandEntry; used: number } | undefined {
  for (let used = Math.min(3, words.length); used > 0; used--) {
    const path = words.slice(0, used).join(" ");
    const entry = entries.find((known) => pathsOf(known).includes(path));
    if (entry) return { entry, used };
  }
  return undefined;
}

/** Fewest letters that stand for a whole name (core part, 14.1). */
const SHORTEST = 3;

/** What a first word means: a name, the only one that begins with it, or the several that do. */
export function meant(word: string, names: readonly string[]): readonly string[] {
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
