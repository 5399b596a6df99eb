import { basename } from "node:path";
import type { McpEntry } from "../../lib/contracts/mcp/entry.js";
import { inspect } from "../../lib/safety/exec/exec.js";
import type { McpParts } from "./parts.js";

const SHELLS = /^(ba|da|z|k|a|fi)?sh$/;
/** Classes of commands that no server needs in order to start. */
const REFUSED: ReadonlySet<string> = new Set(["download-run", "upload"]);

/** Why the command of an entry must not run: a shell that pipes a download into an interpreter, or sends local data out (extensions part, 2.3). */
export function refusalOf(entry: McpEntry, { home, env }: Pick<McpParts, "home" | "env">): string | undefined {
  if (entry.url !== undefined || entry.command === undefined) return undefined;
  const script = inlineScript(entry.command, entry.args);
  if (script === undefined) return undefined;
  const userHome = env["HOME"] ?? home.dir;
  const { risks } = inspect(script, { cwd: entry.cwd ?? userHome, userHome, home, project: userHome, env });
  const found = risks.find((risk) => REFUSED.has(risk.class));
  if (found === undefined) return undefined;
  const what = found.class === "upload" ? "sends local data to a host" : "runs what it downloads";
  return `its command ${what} (${found.text}); put what it needs on this machine and start that`;
}

/** The script in `sh -c script`, also behind `env` and with other options before. */
function inlineScript(command: string, args: readonly string[]): string | undefined {
  const words = basename(command) === "env" ? args.filter((arg) => !/^(-\S*|\w+=.*)$/.test(arg)) : [command, ...args];
  if (!SHELLS.test(basename(words[0] ?? ""))) return undefined;
  const at = args.findIndex((arg) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(arg));
  return at === -1 ? undefined : args[at + 1];
}
