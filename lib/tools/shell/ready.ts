import { basename, dirname, join } from "node:path";
import { LIMITS } from "../../base/limits.js";
import { openZygote, type ZygoteSpec } from "../../base/perf/shell-zygote.js";
import type { Child } from "../../base/process/spawn.js";
import { cageEnv } from "../../safety/cage/arguments.js";
import type { ToolContext } from "../core/define.js";
import { quoteWord } from "./exports.js";
import type { ReadyShell, Shell } from "./image.js";

/** The shell reads its command byte by byte, which is quick for a short one only. */
const COMMAND_BYTES = 2_000;

/**
 * Makes the file for its state, unless it is that of an earlier shell, which takes the system longer than to run a small command, then waits on
 * standard input for directory and command and goes on like a shell that was started with them. Its end of input is the order to leave. In one
 * line, so that the lines of errors are numbered as without it.
 */
const waitWith = (stateFile: string, trap: string): readonly string[] => [
  `{ builtin : >>${stateFile}; } 2>/dev/null`,
  `IFS= builtin read -r -d '' AGENT_DIR && IFS= builtin read -r -d '' AGENT_LINE || { command rm -f -- ${stateFile}; exit 0; }`,
  "exec </dev/null",
  'builtin cd -P -- "$AGENT_DIR" || exit',
  trap,
  'set -- "$AGENT_LINE"',
  "unset AGENT_DIR AGENT_LINE OLDPWD",
  "export OLDPWD",
  "SECONDS=0",
];

/**
 * Start the shell of the next command while the model thinks, a moment from now, so that what the last command gave goes on its way first.
 */
export function prepareNext(ctx: ToolContext, shell: Shell): void {
  if (shell.file !== "bash" || shell.closed) return;
  ctx.ports.clock.after(0, () => {
    shell.starting ??= start(ctx, shell)
      .catch((error: unknown) => ctx.log.info("no shell could be started ahead", { error: String(error) }))
      .finally(() => {
        shell.starting = undefined;
      });
  });
}

async function start(ctx: ToolContext, shell: Shell): Promise<void> {
  await shell.renewCage?.();
  const { env, cage } = shell;
  if (shell.closed || (shell.next?.env === env && shell.next.cage === cage?.key)) return dropSpare(shell);
  dropWaiting(shell);
  const stateFile = shell.spare ?? newStateFile(ctx, shell);
  shell.spare = undefined;
  const child = await startWaiting(ctx, shell, basename(stateFile)).catch((error: unknown) => {
    keepStateFile(shell, stateFile);
    dropSpare(shell);
    throw error;
  });
  const cancel = ctx.ports.clock.after(
    cage === undefined ? LIMITS.shellIdleMs : LIMITS.cageIdleMs,
    () => shell.next === ready && dropReady(shell),
  );
  const ready: ReadyShell = { child, stateFile, env, cage: cage?.key, cancel };
  if (shell.closed || shell.next !== undefined || shell.env !== env) {
    leave(shell, ready);
    return;
  }
  shell.next = ready;
  child.exited.then(() => shell.next === ready && dropReady(shell), undefined); // never rejects
}

/** From the zygote of this environment, which is made when it is first needed; where there can be none, from here. */
async function startWaiting(ctx: ToolContext, shell: Shell, file: string): Promise<Child> {
  const { spawner, clock, ids } = ctx.ports;
  const { env, cage } = shell;
  if (shell.zygote && (shell.zygote.env !== env || shell.zygote.cage !== cage?.key)) closeZygote(shell);
  const born = shell.zygote ? await shell.zygote.of.start(file) : undefined;
  if (born !== undefined) return born;
  const script = waiting(shell);
  if (shell.zygote !== null) {
    closeZygote(shell);
    const made = await openZygote({ spawner, clock }, { ...zygoteOf(shell), name: `${ids.hex(8)}.out`, script });
    shell.zygote = made === undefined ? null : { of: made, env, cage: cage?.key };
    const first = await made?.start(file);
    if (first !== undefined) return first;
  }
  if (cage !== undefined) throw new Error("no shell can wait in a cage on this system");
  const args = ["--norc", "--noprofile", "-c", script, "bash", file];
  return spawner.spawn({ file: "bash", args, cwd: "/", env, stdin: "pipe", stderr: "ignore", endsWithOwner: true });
}

/** The pipe of a caged shell lies outside of the directory that its commands can write. */
function zygoteOf({ env, dir, cage }: Shell): Pick<ZygoteSpec, "env" | "dir" | "cage"> {
  if (cage === undefined) return { env, dir };
  return { env: cageEnv(env, cage.plan), dir: dirname(dir), cage: cage.wrapLoop(env) };
}

function closeZygote(shell: Shell): void {
  shell.zygote?.of.close();
  shell.zygote = undefined;
}

/** Give `command` to the shell that waits, when there is one that fits. */
export async function takeReady(shell: Shell, command: string, cwd: string): Promise<ReadyShell | undefined> {
  await shell.starting; // begun already, so that it is there sooner than another one
  const ready = shell.next;
  if (
    ready === undefined ||
    ready.env !== shell.env ||
    ready.cage !== shell.cage?.key ||
    command.includes("\0") ||
    Buffer.byteLength(command) > COMMAND_BYTES
  )
    return undefined;
  shell.next = undefined;
  ready.cancel();
  ready.child.write(`${cwd}\0${command}\0`);
  ready.child.closeInput();
  return ready;
}

/**
 * The shell that had this file has ended, and the next one gets it: to make, fill and remove a file takes the system 0.5 ms on ext4, to write over
 * it 0.01. What it holds, exports and a directory, whoever can read it can read of the shell that waits as well, and it goes with that one.
 */
export function keepStateFile(shell: Shell, file: string): void {
  dropSpare(shell);
  shell.spare = file;
  if (shell.closed) dropSpare(shell);
}

function dropSpare(shell: Shell): void {
  const { spare } = shell;
  shell.spare = undefined;
  if (spare !== undefined) removeLater(shell, spare);
}

/** Not waited for before a command is answered: beside a sync of the store the file system takes longer for it than for the command. */
export function removeLater(shell: Shell, stateFile: string): void {
  shell.removed = Promise.all([shell.removed, shell.remove(stateFile)]).then(() => undefined);
}

/** Let the waiting shell go, and what starts it. Harmless when there is none. */
export function dropReady(shell: Shell): void {
  dropWaiting(shell);
  dropSpare(shell);
  if (shell.zygote) closeZygote(shell);
}

function dropWaiting(shell: Shell): void {
  const ready = shell.next;
  shell.next = undefined;
  if (ready !== undefined) leave(shell, ready);
}

function leave(shell: Shell, { child, cancel, stateFile }: ReadyShell): void {
  cancel();
  child.onOutput(() => undefined); // its pipe closes once it was read
  child.closeInput();
  child.exited.then(() => shell.remove(stateFile), undefined); // one that was killed has not removed it; never rejects
}

/** A private file through which a command hands back its state. */
export function newStateFile(ctx: ToolContext, shell: Shell): string {
  return join(shell.dir, `${ctx.ports.ids.hex(8)}.state`);
}

/** Over what an earlier shell has left in the file, whose end may stay behind it: to empty it first takes the system ten times as long. */
const HAND = `{ export -p; printf '\\0'; pwd -P; printf '\\0%s\\0' "$$"; } 1<>`;

/** What a shell has handed back. */
export interface HandedState {
  /** As `export -p` prints them. */
  readonly exports: string;
  readonly cwd: string;
}

/** @param pid of the shell, where the file may hold what another one has left @returns undefined when the shell has not come to its end */
export function readHanded(text: string, pid?: number): HandedState | undefined {
  const [exports, cwd, writer] = text.split("\0", 3);
  if (exports === undefined || cwd === undefined || writer === undefined || writer === "") return undefined;
  return pid === undefined || writer === String(pid) ? { exports, cwd: cwd.replace(/\n$/, "") } : undefined;
}

/** Functions and aliases first, then the trap that hands the state back even when the command calls `exit`. */
export function wrapper(shell: Shell, stateFile: string, body: string): string {
  return [...beginning(shell), `trap ${quoteWord(`${HAND}${quoteWord(stateFile)} 2>/dev/null`)} EXIT`, body].join("\n");
}

/** The same for a shell that waits: `$1` is the name of its file till it has its command, so that every one of them runs the same text. */
function waiting(shell: Shell): string {
  const folder = quoteWord(`${shell.dir}/`);
  if (shell.cage !== undefined) return waitingCaged(shell, folder);
  const trap = `trap ${quoteWord(`${HAND}${folder}`)}"$1"${quoteWord(" 2>/dev/null")} EXIT`;
  return [...beginning(shell), waitWith(`${folder}"$1"`, trap).join("; "), 'eval "$1"'].join("\n");
}

/**
 * In a cage every shell has the same pid, so `$2`, the one outside, names the writer. The last word is the exit code, once nothing more is written: the
 * cage is then ended from outside, which is quicker than its own end.
 */
function waitingCaged(shell: Shell, folder: string): string {
  const hand = `AGENT_CODE=$?; { export -p; printf '\\0'; pwd -P; printf '\\0%s\\0' `;
  const last = " 2>/dev/null; exec >&- 2>&-; builtin printf 'x%s\\n' \"$AGENT_CODE\" >&";
  const trap = `trap ${quoteWord(hand)}"$2"${quoteWord(`; } 1<>${folder}`)}"$1"${quoteWord(last)}"$4" EXIT`;
  return [...beginning(shell), waitWith(`${folder}"$1"`, trap).join("; "), 'eval "$1"'].join("\n");
}

const beginning = ({ image }: Shell) => ["exec 2>&1", ...(image === undefined ? [] : [`. ${quoteWord(image)}`])];
