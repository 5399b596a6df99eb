import type { AnyCommand } from "../../lib/commands/define.js";
import type { Found } from "./registries.js";

/** Commands that look at the terminal they are started on. */
const NEED_TERMINAL = new Set(["chat"]);

/** Text of bin/thin-set.gen.ts: the command paths that the thin client may send without knowing anything about them. */
export function thinSet(found: readonly Found[]): string {
  const commands = found.map(({ definition }) => definition as AnyCommand); // checked when the index was rendered
  const fits = ({ path, surfaces, follow, stdin, outside }: AnyCommand) =>
    surfaces.includes("cli") && !follow && !stdin && !outside && !NEED_TERMINAL.has(path);
  const thin = commands.filter(fits);
  const names = (some: readonly AnyCommand[]) =>
    some.flatMap((command) => [command.path, ...(command.aliases ?? [])]).toSorted();
  const paths = names(thin);
  const whole = names(commands.filter((command) => !thin.includes(command))).filter((path) =>
    paths.some((one) => path.startsWith(`${one} `)),
  );
  const set = (values: readonly string[]) =>
    `new Set([\n${values.map((path) => `  ${JSON.stringify(path)},\n`).join("")}]);\n`;
  return [
    "// Written by `make index`. Do not edit.\n",
    "/** Commands without questions, standard input, editor or screen: the client only carries their words to the owner. */\n",
    `export const THIN_SET: ReadonlySet<string> = ${set(paths)}`,
    "/** Commands that are not, although their first words are one of those. */\n",
    `export const WHOLE_SET: ReadonlySet<string> = ${set(whole)}`,
  ].join("");
}
