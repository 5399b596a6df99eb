import type { AnyCommand } from "../../lib/commands/define.js";
import type { Found } from "./registries.js";

export const REPEATED_FILE = "lib/contracts/ui/repeated-lines.gen.ts";

/** What commands of the board begin with. */
const BOARD = "kanban ";

/** Text of `repeated-lines.gen.ts`: commands of the board whose line is run again when its owner ends before it answers. */
export function repeatedLines(found: readonly Found[]): string {
  const commands = found.map(({ definition }) => definition as AnyCommand); // checked when the index was rendered
  const names = commands
    .filter(isRepeated)
    .flatMap(({ path, aliases = [] }) => [path, ...aliases])
    .toSorted();
  return [
    "// Written by `make index`. Do not edit.\n",
    "/** Commands that are run again by themselves when their owner ends before it answers. */\n",
    `export const REPEATED: ReadonlySet<string> = new Set([\n${names.map((name) => `  ${JSON.stringify(name)},\n`).join("")}]);\n`,
  ].join("");
}

/** Reads change nothing; a change says so itself. */
function isRepeated({ path, access, follow, writesWith, repeats }: AnyCommand): boolean {
  if (repeats !== undefined && !path.startsWith(BOARD)) throw new Error(`${path}: only commands of the board repeat`);
  const reads = access === "read" && follow !== true && writesWith === undefined;
  return path.startsWith(BOARD) && (repeats === true || reads);
}
