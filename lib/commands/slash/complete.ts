import type { Completion } from "../../contracts/chat/slash.js";
import type { RuntimeCommand } from "../define.js";
import type { CommandEntry, FlagMeta } from "../entry.js";
import { commandAt, firstWordsByUse, nextWords } from "./names.js";
import { describeRuntime } from "./runtime-commands.js";
import { splitWords } from "./words.js";

const MOST = 50; // core part, 1.3

/**
 * What can be typed at the cursor of a line that begins with `/`. Nothing is read for it.
 *
 * @param runtime commands that are not built in: of the settings, plugins, bundles, skills
 */
export function completeSlashLine(
  text: string,
  cursor: number,
  entries: readonly CommandEntry[],
  runtime: readonly RuntimeCommand[] = [],
): readonly Completion[] {
  if (!text.startsWith("/")) return [];
  const words = splitWords(text.slice(1, Math.max(1, cursor)), "keep");
  const last = words.at(-1);
  const typed = last === undefined || last.closed ? "" : last.text;
  const before = words
    .slice(0, typed === "" && (last === undefined || last.closed) ? words.length : -1)
    .map((word) => word.text);
  const own = before.length > 0 ? [] : runtime.map(toRuntimeCompletion);
  return [...own, ...candidates(before, entries)].filter((one) => one.text.startsWith(typed)).slice(0, MOST);
}

const toRuntimeCompletion = (command: RuntimeCommand): Completion => ({
  text: command.name,
  label: `/${command.name}`,
  detail: describeRuntime(command),
  kind: "command",
});

function candidates(before: readonly string[], entries: readonly CommandEntry[]): readonly Completion[] {
  if (before.length === 0) {
    const summaries = nextWords(entries, []);
    return firstWordsByUse(entries).map((name) => ({
      text: name,
      label: `/${name}`,
      detail: summaries.get(name) ?? "",
      kind: "command",
    }));
  }
  const found = commandAt(entries, before);
  const actions = [...nextWords(entries, before)].map(
    ([name, detail]) => ({ text: name, label: name, detail, kind: "action" }) as const,
  );
  if (found === undefined || actions.length > 0) return actions;
  return arguments_(found.entry, before.slice(found.used));
}

const named = (flag: FlagMeta): string => `--${flag.name.replaceAll("_", "-")}`;

function arguments_(entry: CommandEntry, typed: readonly string[]): readonly Completion[] {
  const last = typed.at(-1);
  const open = entry.flags.find((flag) => named(flag) === last && flag.type !== "boolean");
  if (open)
    return (open.choices ?? []).map((value) => ({ text: value, label: value, detail: open.describe, kind: "value" }));
  const places = (entry.positionals ?? []).map((place) => place.replace(/\.\.\.$/, ""));
  const flags = entry.flags
    .filter((flag) => !places.includes(flag.name) && (flag.array || !typed.includes(named(flag))))
    .map((flag) => ({ text: named(flag), label: named(flag), detail: flag.describe, kind: "option" }) as const);
  const place = entry.flags.find((flag) => flag.name === places[typed.length]);
  const values = (place?.choices ?? []).map(
    (value) => ({ text: value, label: value, detail: place?.describe ?? "", kind: "value" }) as const,
  );
  return [...values, ...flags];
}

/** The same, each with the place where the word begins that it stands for. */
export function completeSlash(
  text: string,
  cursor: number,
  entries: readonly CommandEntry[],
  runtime: readonly RuntimeCommand[],
): readonly Completion[] {
  const last = splitWords(text.slice(1, Math.max(1, cursor)), "keep").at(-1);
  const from = last === undefined || last.closed ? Math.max(1, cursor) : last.at + 1;
  return completeSlashLine(text, cursor, entries, runtime).map((one) => ({ ...one, from }));
}
