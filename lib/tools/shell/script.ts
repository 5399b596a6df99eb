import { join } from "node:path";
import { readRegularFileSync, removeFile, writeAtomic } from "../../base/fs/files.js";
import type { Child, SpawnSpec } from "../../base/process/spawn.js";
import { moveStraySettings } from "../../safety/cage/repository.js";
import type { ToolContext } from "../core/define.js";
import { skillVariables } from "../core/skill-variables.js";
import { parseExports, quoteWord } from "./exports.js";
import { type Shell, withoutShellState } from "./image.js";

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
 * Run `command` in a new shell that begins where the last one ended. The state comes back through a private file whose removal begins as soon as it is
 * read: its exports may hold secrets.
 */
export async function startCommand(
  ctx: ToolContext,
  shell: Shell,
  command: string,
  options: StartOptions,
): Promise<Started> {
  const stateFile = join(shell.dir, `${ctx.ports.ids.hex(8)}.state`);
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
    env: { ...shell.env, ...skillVariables(ctx) },
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
const readState = (path: string): string | undefined => readRegularFileSync(path, STATE_BYTES)?.toString("utf8");

async function collect(shell: Shell, stateFile: string, longFile: string | undefined): Promise<CommandResidue> {
  const left = readState(stateFile);
  if (left !== undefined) removeLater(shell, stateFile);
  if (longFile !== undefined) await removeFile(longFile);
  return takeOver(shell, left === undefined ? undefined : readHanded(left));
}

function takeOver(shell: Shell, left: HandedState | undefined): CommandResidue {
  const moved = shell.cage === undefined ? [] : moveStraySettings(shell.cage.plan);
  if (left === undefined) return { cwd: undefined, moved };
  const { exports, cwd } = left;
  const functions = Object.entries(shell.env).filter(([name]) => name.startsWith("BASH_FUNC_"));
  shell.env = withoutShellState({ ...Object.fromEntries(functions), ...parseExports(exports) });
  return { cwd: cwd || undefined, moved };
}

/** Not waited for before a command is answered: beside a sync of the store the file system takes longer for it than for the command. */
function removeLater(shell: Shell, stateFile: string): void {
  shell.removed = Promise.all([shell.removed, shell.remove(stateFile)]).then(() => undefined);
}

/** What a shell has handed back. */
interface HandedState {
  /** As `export -p` prints them. */
  readonly exports: string;
  readonly cwd: string;
}

/** @returns undefined when the shell has not come to its end */
function readHanded(text: string): HandedState | undefined {
  const [exports, cwd, end] = text.split("\0", 3);
  if (exports === undefined || cwd === undefined || end === undefined) return undefined;
  return { exports, cwd: cwd.replace(/\n$/, "") };
}

/** Functions and aliases first, then the trap that hands the state back even when the command calls `exit`, and whatever options it has set. */
function wrapper({ image }: Shell, stateFile: string, body: string): string {
  const hand = `{ export -p; printf '\\0'; pwd -P; printf '\\0'; } >|${quoteWord(stateFile)} 2>/dev/null`;
  const definitions = image === undefined ? [] : [`. ${quoteWord(image)}`];
  return ["exec 2>&1", ...definitions, `trap ${quoteWord(hand)} EXIT`, body].join("\n");
}
