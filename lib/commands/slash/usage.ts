import type { ChatMember } from "../../contracts/chat/slash.js";
import type { CommandEntry } from "../entry.js";
import { nextWords } from "./names.js";
import { isAllowed } from "./surfaces.js";

const bare = (place: string): string => place.replace(/\.\.\.$/, "");

/** The line that says how a command is written: `usage: /kanban link <parent> <child>`. */
export function usageOf(entry: CommandEntry): string {
  const places = (entry.positionals ?? []).map((place) => {
    const name = `${bare(place)}${place.endsWith("...") ? ".." : ""}`;
    return entry.flags.find((flag) => flag.name === bare(place))?.required ? `<${name}>` : `[${name}]`;
  });
  const taken = new Set((entry.positionals ?? []).map(bare));
  const flags = entry.flags
    .filter((flag) => !taken.has(flag.name))
    .map((flag) => {
      const value = flag.type === "boolean" ? "" : ` ${flag.choices?.join("|") ?? flag.name.toUpperCase()}`;
      return `[--${flag.name.replaceAll("_", "-")}${value}]${flag.array ? ".." : ""}`;
    });
  return ["usage:", `/${entry.path}`, ...places, ...flags].join(" ");
}

/** The same for a word that needs another behind it. */
export const groupUsage = (words: readonly string[]): string =>
  `usage: /${words.join(" ")} <action> [options]; /${words.join(" ")} help lists the actions`;

/** One line for each thing that can follow. */
export function groupHelp(
  entries: readonly Pick<CommandEntry, "path" | "summary">[],
  words: readonly string[],
): string {
  // Other names of a command stand in its own help.
  const next = nextWords(
    entries.map((entry) => ({ path: entry.path, summary: entry.summary })),
    words,
  );
  const width = Math.max(...[...next.keys()].map((name) => name.length));
  const lines = [...next]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`);
  const head =
    words.length === 0
      ? "/<command> [options]; /help <command> shows details"
      : groupUsage(words).replace("usage: ", "");
  return [head, ...lines].join("\n");
}

const PAGE = 20;

/** A page of the commands that there are in a chat; with tiers, of those that the member may run. */
export function commandPage(
  entries: readonly Pick<CommandEntry, "path" | "aliases" | "summary">[],
  page: number,
  member?: ChatMember,
): string {
  const mine =
    member?.tier === "member"
      ? entries.filter((one) => one.path.startsWith("kanban ") || isAllowed(one, member))
      : entries;
  const named = mine.map(({ path, summary }) => ({ path, summary }));
  const lines = [...nextWords(named, [])]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, summary]) => `/${name}  ${summary.startsWith("/") ? `Commands of ${name}` : summary}`);
  const pages = Math.max(1, Math.ceil(lines.length / PAGE));
  const shown = Math.min(Math.max(1, page), pages);
  const head = `Commands, page ${shown} of ${pages}${shown < pages ? `; /commands ${shown + 1} shows the next` : ""}. /help <command> shows details.`;
  return [head, ...lines.slice((shown - 1) * PAGE, shown * PAGE)].join("\n");
}

/** What one command is for and takes. */
export function commandHelp(entry: CommandEntry): string {
  const lines = entry.flags.map((flag) => {
    const place = (entry.positionals ?? []).some((name) => bare(name) === flag.name);
    const name = place ? flag.name : `--${flag.name.replaceAll("_", "-")}`;
    const value = place || flag.type === "boolean" ? "" : ` ${flag.choices?.join("|") ?? flag.type.toUpperCase()}`;
    return `  ${name}${value}: ${flag.describe}`;
  });
  const also = entry.aliases?.length ? [`Also ${entry.aliases.map((alias) => `/${alias}`).join(", ")}.`] : [];
  return [
    entry.summary,
    `/${entry.path} ${(entry.positionals ?? []).map((place) => `<${bare(place)}>`).join(" ")}`.trim(),
    ...also,
    ...lines,
  ].join("\n");
}
