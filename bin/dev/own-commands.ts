import type { AnyCommand } from "../../lib/commands/define.js";
import { GLOBALS } from "../../lib/commands/globals.js";
import type { Found } from "./registries.js";

/** Text of lib/safety/agent-self/commands.gen.ts: what each command line command does, for the classes of commands, which import no command. */
export function ownCommands(found: readonly Found[]): string {
  const commands = found.map(({ definition }) => definition as AnyCommand); // checked when the index was rendered
  const rows = commands
    .filter(({ surfaces }) => surfaces.includes("cli"))
    .flatMap((command) => [command.path, ...(command.aliases ?? [])].map((name) => ({ name, row: describe(command) })))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const switches = GLOBALS.flatMap(({ name, type }) => (type === "boolean" ? [`--${name.replaceAll("_", "-")}`] : []));
  return [
    "// Written by `make index`. Do not edit.\n",
    'import type { OwnCommand } from "./command.js";\n\n',
    "/** Every command of the command line, by its path and by each alias. */\n",
    "export const OWN_COMMANDS: Readonly<Record<string, OwnCommand>> = {\n",
    ...rows.map(({ name, row }) => `  ${JSON.stringify(name)}: ${row},\n`),
    "};\n\n/** Options before any command that take no value. */\n",
    `export const OWN_SWITCHES: ReadonlySet<string> = new Set([\n${switches.map((name) => `  ${JSON.stringify(name)},\n`).join("")}]);\n`,
  ].join("");
}

function describe({ access, self, writesWith, listens, staysWith }: AnyCommand): string {
  const does = self ?? (access === "read" && listens !== true ? "reads" : "writes");
  const words = [writesWith, staysWith].filter((word) => word !== undefined);
  return `{ does: ${JSON.stringify(does)}${words.length === 0 ? "" : `, writesWith: ${JSON.stringify(words)}`} }`;
}
