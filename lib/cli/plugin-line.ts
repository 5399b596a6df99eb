import type { CommandEntry } from "../commands/entry.js";
import { GLOBAL_SHORT, GLOBALS } from "../commands/globals.js";
import { flagName } from "./parse-command-line.js";

/** Options of the program whose value is the next word. */
const VALUED: ReadonlySet<string> = new Set(
  GLOBALS.filter(({ type }) => type !== "boolean").flatMap(({ name }) => {
    const short = GLOBAL_SHORT[name];
    return [`--${flagName(name)}`, ...(short === undefined ? [] : [`-${short}`])];
  }),
);

/**
 * A line whose first word is a command of a plugin, as the command that runs it: `agent weather Bern` is `agent plugins run weather -- Bern`.
 *
 * @param names looks for commands of plugins; called only when the word is not a built-in command
 */
export async function withPluginCommand(
  argv: readonly string[],
  entries: readonly CommandEntry[],
  names: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const at = argv.findIndex((word, place) => !word.startsWith("-") && !VALUED.has(argv[place - 1] ?? ""));
  const word = argv[at];
  if (word === undefined || !/^[a-z][a-z0-9-]*$/.test(word)) return argv;
  if (argv.some((one) => one === "-z" || one === "--oneshot" || one.startsWith("--oneshot="))) return argv;
  const builtIn = entries.some(({ path, aliases = [] }) =>
    [path, ...aliases].some((one) => one.split(" ")[0] === word),
  );
  if (builtIn || !(await names()).includes(word)) return argv;
  const rest = argv.slice(at + 1);
  const json = rest.includes("--json") ? ["--json"] : [];
  return [...argv.slice(0, at), ...json, "plugins", "run", word, "--", ...rest.filter((one) => one !== "--json")];
}
