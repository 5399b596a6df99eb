import { isDeepStrictEqual } from "node:util";
import { readPlain, removeFile, writeAtomic } from "../../base/fs/files.js";
import type { Child, SpawnSpec } from "../../base/process/spawn.js";
import { moveStraySettings } from "../../safety/cage/repository.js";
import type { ToolContext } from "../core/define.js";
import { parseExports, quoteWord } from "./exports.js";
import { type ReadyShell, type Shell, withoutShellState } from "./image.js";
import { type HandedState, keepStateFile, newStateFile, readHanded, removeLater, takeReady, wrapper } from "./ready.js";

/** One argument of a program holds 128 KiB on Linux; a longer command goes through a file. */
const ARGUMENT_BYTES = 100_000;

/** A started command. */
export interface Started {
  readonly child: Child;
  /** Take over exports and directory that the command left. */
  collect(): Promise<CommandResidue>;
}

/** What a command has left. */
export interface CommandResidue {
  readonly cwd: string | undefined;
  /** Settings of git that it has made, which were moved away. */
  readonly moved?: readonly string[];
}

export interface StartOptions {
  readonly cwd: string;
  readonly pty: boolean;
  /** Keep its input open for text that comes later. */
  readonly stdin?: boolean;
  /** A person typed it: what it starts may act as that person does. */
  readonly forPerson?: true;
}

/**
 * Run `command` in a new shell that begins where the last one ended; where one waits already, in that one. The state comes back through a private
 * file whose removal begins as soon as it is read, or the shell that waits for the next command is let go: its exports may hold secrets.
 */
export async function startCommand(
  ctx: ToolContext,
  shell: Shell,
  command: string,
  options: StartOptions,
): Promise<Started> {
  const ready =
    options.pty || options.stdin || options.forPerson ? undefined : await takeReady(shell, command, options.cwd);
  if (ready !== undefined) return { child: ready.child, collect: () => collectReady(shell, ready) };
  const stateFile = newStateFile(ctx, shell);
  const longFile = Buffer.byteLength(command) > ARGUMENT_BYTES ? `${stateFile}.sh` : undefined;
  if (longFile !== undefined) await writeAtomic(longFile, command, 0o600, false);
  const body = longFile === undefined ? 'eval "$1"' : `. ${quoteWord(longFile)}`;
  const script = wrapper(shell, stateFile, body);
  const args = [...(shell.file === "bash" ? ["--norc", "--noprofile"] : []), "-c", script, shell.file];
  if (longFile === undefined) args.push(command);
  const spec = options.pty
    ? { file: "script", args: ["-qec", [shell.file, ...args].map(quoteWord).join(" "), "/dev/null"] }
    : { file: shell.file, args };
  const all: SpawnSpec = {
    ...spec,
    cwd: options.cwd,
    env: shell.env,
    stdin: options.stdin ? "pipe" : "ignore",
    stderr: "ignore",
    endsWithOwner: true,
    ...(options.forPerson === undefined ? {} : { forPerson: true }),
  };
  // What bubblewrap itself has to say belongs to the output: a mount that fails, a directory that is not there.
  const child = await ctx.ports.spawner.spawn(
    shell.cage === undefined ? all : shell.cage.wrap({ ...all, stderr: "stdout" }),
  );
  return { child, collect: () => collect(shell, stateFile, longFile) };
}

/** Most bytes of exports that are taken over. */
const STATE_BYTES = 4 << 20;

/** A command can put anything in the place of its file: only a plain file of some size is read. */
const readState = (path: string): string | undefined => readPlain(path, STATE_BYTES)?.toString("utf8");

async function collect(shell: Shell, stateFile: string, longFile: string | undefined): Promise<CommandResidue> {
  const left = readState(stateFile);
  if (left !== undefined) removeLater(shell, stateFile);
  if (longFile !== undefined) await removeFile(longFile);
  return takeOver(shell, left === undefined ? undefined : readHanded(left));
}

/** Of a shell that was ready: the next one goes on with its file. */
async function collectReady(shell: Shell, { stateFile, child }: ReadyShell): Promise<CommandResidue> {
  const left = readState(stateFile);
  if (left !== undefined) keepStateFile(shell, stateFile);
  return takeOver(shell, left === undefined ? undefined : readHanded(left, child.pid));
}

function takeOver(shell: Shell, left: HandedState | undefined): CommandResidue {
  const moved = shell.cage === undefined ? [] : moveStraySettings(shell.cage.plan);
  if (left === undefined) return { cwd: undefined, moved };
  const { exports, cwd } = left;
  if (exports !== shell.exports) {
    const functions = Object.entries(shell.env).filter(([name]) => name.startsWith("BASH_FUNC_"));
    const env = withoutShellState({ ...Object.fromEntries(functions), ...parseExports(exports) });
    if (!isDeepStrictEqual(env, shell.env)) shell.env = env; // the same object as long as nothing changes: shells for it may wait already
    shell.exports = exports; // most commands export nothing: what they print is not read again
  }
  return { cwd: cwd || undefined, moved };
}
