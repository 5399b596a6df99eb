import type { AnyCommand } from "../../lib/commands/define.js";
import type { Found } from "./registries.js";

/** Commands that look at the terminal they are started on. */
const NEED_TERMINAL = new Set(["chat"]);

/** Text of bin/thin-set.gen.ts: the command paths that the thin client may send without knowing anything about them. */
export function thinSet(found: readonly Found[]): string {
  const commands = found.map(({ definition }) => definition as AnyCommand); // checked when the index was rendered
  const thin = commands.filter(
    (command) => command.surfaces.includes("cli") && !command.follow && !command.stdin && !NEED_TERMINAL.has(command.path),
  );
  const paths = thin.flatMap((command) => [command.path, ...(command.aliases ?? [])]).toSorted();
  const lines = paths.map((path) => `  ${JSON.stringify(path)},\n`);
  return [
    "// Written by `make index`. Do not edit.\n",
    "/** Commands without questions, standard input, editor or screen: the client only carries their words to the owner. */\n",
    `export const THIN_SET: ReadonlySet<string> = new Set([\n${lines.join("")}]);\n`,
  ].join("");
}
