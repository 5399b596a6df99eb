import type { CommandContext, CommandSource, RuntimeCommand, SlashPlace } from "../define.js";
import type { CommandEntry } from "../entry.js";
import { commandAt, SHORTEST } from "./names.js";
import { quickCommandSource } from "./quick.js";

/** Where commands at run time come from: the settings, and whatever `runtime` has. */
export type RuntimeServices = Pick<CommandContext, "config"> & { readonly runtime?: CommandSource | undefined };

/** Order in which one name is looked for (core part, 14.1). */
const KINDS = ["quick", "plugin", "bundle", "skill"] as const;

/** All that can be typed in a place, each name once: of two the first in the order of 14.1, and a built-in name before all of them. */
export function listRuntimeCommands(
  services: RuntimeServices,
  entries: readonly CommandEntry[],
  place: SlashPlace = {},
): readonly RuntimeCommand[] {
  const all = [...quickCommandSource(services.config).commands(), ...(services.runtime?.commands(place) ?? [])];
  const found = new Map<string, RuntimeCommand>();
  for (const kind of KINDS)
    for (const command of all) {
      const { name, source } = command;
      if (source.kind === kind && !found.has(name) && commandAt(entries, [name]) === undefined)
        found.set(name, command);
    }
  return [...found.values()];
}

/** Several sources as one. */
export function joinSources(sources: readonly CommandSource[]): CommandSource {
  return {
    commands: (place) => sources.flatMap((source) => source.commands(place)),
    ready: async (place) => {
      for (const source of sources) await source.ready?.(place);
    },
  };
}

/** The command of exactly this name. In chats `_` arrives as `-`, and both spellings find it. */
export function findRuntimeCommand(typed: string, commands: readonly RuntimeCommand[]): RuntimeCommand | undefined {
  return (
    commands.find(({ name }) => name === typed) ?? commands.find(({ name }) => name.replaceAll("_", "-") === typed)
  );
}

/** Those whose name begins with what was typed, for a beginning that is long enough. */
export const runtimeCommandsLike = (typed: string, commands: readonly RuntimeCommand[]): readonly RuntimeCommand[] =>
  typed.length < SHORTEST ? [] : commands.filter(({ name }) => name.startsWith(typed));

/** The description with the source behind it, for lists. */
export const describeRuntime = ({ description, source }: RuntimeCommand): string =>
  source.kind === "quick"
    ? description
    : `${description} (${source.kind}${source.name === "" ? "" : ` ${source.name}`})`;

/** What a person reads who asks for help on one. */
export function runtimeHelp(command: RuntimeCommand): string {
  const { name, argsHint = "", description, source } = command;
  const from = source.kind === "quick" ? `Setting quick_commands.${name}.` : `From the ${source.kind} ${source.name}.`;
  return [description, `/${name} ${argsHint}`.trim(), from].join("\n");
}
