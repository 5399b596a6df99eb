import type { RuntimeCommand } from "../../commands/define.js";
import type { CommandEntry } from "../../commands/entry.js";
import { firstWordsByUse, nextWords } from "../../commands/slash/names.js";
import { closedWords } from "../../commands/slash/rules.js";
import { isInChats } from "../../commands/slash/surfaces.js";
import type { OfferedCommand } from "../adapter/define-platform.js";

/** Words that stand for a family of commands have no line of their own in the registry. */
const FAMILY = /^\/(\S+) \.\.\.$/;

/** The commands of the registry that a chat can begin with, the same word once; then those that are not built in. */
export function offeredCommands(
  entries: readonly CommandEntry[],
  runtime: readonly RuntimeCommand[] = [],
): readonly OfferedCommand[] {
  const inChats = entries.filter(
    (entry) => entry.surfaces.includes("slash") && isInChats(entry) && entry.follow !== true,
  );
  const lines = nextWords(inChats, []);
  const own = new Set(inChats.map(({ path }) => path.split(" ")[0]));
  const builtIn = firstWordsByUse(inChats).flatMap((name) => {
    if (!own.has(name) || closedWords([name]) !== undefined) return [];
    const line = lines.get(name) ?? "";
    return [{ name, description: FAMILY.test(line) ? `Commands of ${name}` : line }];
  });
  return [...builtIn, ...runtime.map(({ name, description }) => ({ name, description }))];
}
