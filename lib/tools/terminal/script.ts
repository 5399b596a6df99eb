import { join } from "node:path";
import { readText, removeFile, writeAtomic } from "../../base/files.js";
import type { Child } from "../../base/spawn.js";
import type { ToolContext } from "../define.js";
import { parseExports, quoteWord } from "./exports.js";
import { type Shell, withoutShellState } from "./image.js";

/** One argument of a program holds 128 KiB on Linux; a longer command goes through a file. */
const ARGUMENT_BYTES = 100_000;

/** A started command. */
export interface Started {
  readonly child: Child;
  /** Take over exports and directory that the command left. */
  collect(): Promise<{ cwd: string | undefined }>;
}

export interface StartOptions {
  readonly cwd: string;
  readonly pty: boolean;
  /** Keep its input open for text that comes later. */
  readonly stdin?: boolean;
}

/**
 * Start `command` in a new shell that begins where the last one ended. The state comes back through a private file that is removed as soon
 * as it is read: its exports may hold secrets.
 */
export async function startCommand(ctx: ToolContext, shell: Shell, command: string, options: StartOptions): Promise<Started> {
  const name = ctx.ports.ids.hex(8);
  const stateFile = join(shell.dir, `${name}.state`);
  const longFile = Buffer.byteLength(command) > ARGUMENT_BYTES ? join(shell.dir, `${name}.sh`) : undefined;
  if (longFile !== undefined) await writeAtomic(longFile, command, 0o600, false);
  const args = [...(shell.file === "bash" ? ["--norc", "--noprofile"] : []), "-c", wrapper(shell, stateFile, longFile), shell.file];
  if (longFile === undefined) args.push(command);
  const spec = options.pty
    ? { file: "script", args: ["-qec", [shell.file, ...args].map(quoteWord).join(" "), "/dev/null"] }
    : { file: shell.file, args };
  const child = await ctx.ports.spawner.spawn({
    ...spec,
    cwd: options.cwd,
    env: shell.env,
    stdin: options.stdin ? "pipe" : "ignore",
    stderr: "ignore",
  });
  return {
    child,
    collect: async () => {
      const left = await readText(stateFile);
      if (left !== undefined) await removeFile(stateFile);
      if (longFile !== undefined) await removeFile(longFile);
      return left === undefined ? { cwd: undefined } : takeOver(shell, left);
    },
  };
}

/** Functions and aliases first, then the trap that hands the state back even when the command calls `exit`. */
function wrapper(shell: Shell, stateFile: string, longFile: string | undefined): string {
  const hand = `{ export -p; printf '\\0'; pwd -P; printf '\\0'; } >${quoteWord(stateFile)} 2>/dev/null`;
  return [
    "exec 2>&1",
    ...(shell.image === undefined ? [] : [`. ${quoteWord(shell.image)}`]),
    `trap ${quoteWord(hand)} EXIT`,
    longFile === undefined ? 'eval "$1"' : `. ${quoteWord(longFile)}`,
  ].join("\n");
}

function takeOver(shell: Shell, left: string): { cwd: string | undefined } {
  const [exports = "", cwd = ""] = left.split("\0");
  const functions = Object.entries(shell.env).filter(([name]) => name.startsWith("BASH_FUNC_"));
  if (left.endsWith("\0") && cwd !== "") shell.env = withoutShellState({ ...Object.fromEntries(functions), ...parseExports(exports) });
  return { cwd: cwd.replace(/\n$/, "") || undefined };
}
