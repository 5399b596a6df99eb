import { existsSync, fstatSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { findForeign } from "../lib/base/fs/home-owner.js";
import { type Home, homeFrom, layOutHome } from "../lib/base/home.js";
import { exitCodeOfSignal } from "../lib/base/process/signal-exit.js";
import { systemClock } from "../lib/base/time/clock.js";
import { afterWaiting } from "../lib/base/time/suspend-safe-timer.js";
import { explainStdoutError, forceWholeWrites } from "../lib/base/unwritten.js";
import { lineKey, namesKey, repeats } from "../lib/contracts/ui/keyed-line.js";
import type { RunFrame, RunRequest, RunSignal } from "../lib/contracts/wire/wire.js";
import { isTurn, wantsRoot } from "./thin-set.js";

/** Variables that commands look at. Everything else of the caller's environment stays with the caller. */
const ENV_NAMES = new Set([
  "NO_COLOR",
  "FORCE_COLOR",
  "TERM",
  "COLORTERM",
  "COLUMNS",
  "LANG",
  "TZ",
  "USER",
  "LOGNAME",
  "HOME",
  "EDITOR",
  "VISUAL",
]);
const ENV_PREFIXES = ["AGENT_", "LC_"];
/** Milliseconds after which an owner that accepts but is silent is named. */
const SILENT_MS = 3_000;
const SIGNALS: readonly RunSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

interface Answer extends Omit<RunFrame, "id"> {
  readonly id?: number | null;
  readonly result?: { readonly exit: number };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

interface Own {
  readonly argv: readonly string[];
  readonly home: Home;
  readonly socket: Socket;
  /** Of a line that may be run again. */
  readonly key: string | undefined;
  readonly finish: (outcome: Outcome) => void;
  /** Streams that cannot take more yet. */
  readonly full: Set<NodeJS.WriteStream>;
  /** The owner has begun; without it nothing was started and another owner may be asked. */
  begun: boolean;
  /** Something of the answer was shown: run again, the line would show it twice. */
  shown: boolean;
  /** Exit code when the output is closed early. */
  pipe: number;
  /** What was written could not be kept: the disk that it goes to is full. */
  lost: boolean;
  done: boolean;
}

/** `again`: an owner ended in the middle of a line that may be run again, with this key. */
type Outcome = "no owner" | "done" | { readonly again: string };

/**
 * Let the owner run this command line; copy what it writes and take over its exit code.
 *
 * @returns what this process has to do: nothing, the line, or the line once more
 */
export async function run(argv: readonly string[]): Promise<Outcome> {
  const home = homeOf(argv);
  if (findForeign(home.dir) !== undefined) return "no owner"; // the whole program refuses the home and explains
  const key = mayRepeat(argv) ? lineKey(process.pid, process.hrtime.bigint()) : undefined;
  const socket = await dial(home.socket, argv, key);
  return socket === undefined ? "no owner" : await converse({ argv, home, socket, key });
}

function homeOf(argv: readonly string[]): Home {
  const home = homeFrom(process.env);
  return wantsRoot(argv) && home.root !== home.dir ? layOutHome(home.root) : home;
}

/**
 * Ask before anything else is made ready: the owner works meanwhile. No owner, and a socket that cannot be used, are the same here: the whole
 * program finds out and explains.
 */
async function dial(path: string, argv: readonly string[], key: string | undefined): Promise<Socket | undefined> {
  if (!existsSync(path)) return undefined;
  const { connect } = await import("node:net"); // a seventh of a short command's time, and only with an owner
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.write(`${JSON.stringify({ id: 1, method: "run", params: requestOf(argv), key })}\n`);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

function converse(given: Pick<Own, "argv" | "home" | "socket" | "key">): Promise<Outcome> {
  return new Promise((resolve) => {
    const own: Own = {
      ...given,
      finish: finishWith,
      full: new Set(),
      begun: false,
      shown: false,
      pipe: 0,
      lost: false,
      done: false,
    };
    const undo = hook(own);
    function finishWith(outcome: Outcome): void {
      if (own.done) return;
      own.done = true;
      undo();
      given.socket.destroy();
      resolve(outcome);
    }
  });
}

function requestOf(argv: readonly string[]): Omit<RunRequest, "stdin"> {
  const { env } = process;
  const is_tty = fstatSync(1).isCharacterDevice() && process.stdout.isTTY === true; // anything but a device is not opened yet: that takes a while
  const columns = is_tty ? process.stdout.columns : Number(env["COLUMNS"]);
  return {
    argv: [...argv],
    cwd: process.cwd(),
    env: isTurn(argv) ? all(env) : chosen(env),
    columns: Number.isInteger(columns) && columns > 0 ? columns : 80,
    color: is_tty && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    is_tty,
    raw: true,
  };
}

/** The commands of a turn run in the caller's environment; the owner filters it for each of them. */
function all(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function chosen(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (ENV_NAMES.has(name) || ENV_PREFIXES.some((prefix) => name.startsWith(prefix))))
      kept[name] = value;
  }
  return kept;
}

/** Listen to everything that can happen; the returned function stops that. */
function hook(own: Own): () => void {
  const { socket } = own;
  const silent = () => (own.begun ? undefined : explain(own, { code: "E_OWNER", ...silentOwner(own.home) }));
  const stopWaiting = afterWaiting(systemClock, SILENT_MS, silent);
  const unkept = (error: unknown) => failed(own, error);
  const closed = () => outputClosed(own);
  const signals = SIGNALS.map((signal) => [signal, forwarder(own, signal)] as const);
  for (const [signal, forward] of signals) process.on(signal, forward);
  process.stdout.on("error", unkept);
  process.stdout.on("error", closed);
  process.stderr.on("error", closed);
  forceWholeWrites(process.stdout);
  socket.on(
    "data",
    reader(
      (line) => frame(own, line),
      (piece) => (own.done ? undefined : write(own, process.stdout, piece)),
    ),
  );
  socket.removeAllListeners("error");
  socket.on("error", () => undefined); // "close" follows
  socket.on("close", () => ended(own));
  return () => {
    stopWaiting();
    for (const [signal, forward] of signals) process.off(signal, forward);
    process.stdout.off("error", unkept);
    process.stdout.off("error", closed);
    process.stderr.off("error", closed);
    process.stdout.on("error", () => undefined); // what is still on its way out has no reader any more
  };
}

/** The words of the command come first: a line of another form is left to the whole program. */
function mayRepeat(argv: readonly string[]): boolean {
  const [first, second, third] = argv;
  return repeats(`${first} ${second}`, argv) || repeats(`${first} ${second} ${third}`, argv);
}

/** The owner has closed the connection before it answered. */
function ended(own: Own): void {
  const { argv, begun, shown, key } = own;
  if (!begun || (!shown && key === undefined && namesKey(argv))) own.finish("no owner");
  else if (!shown && key !== undefined) own.finish({ again: key });
  else explain(own, OWNER_LOST);
}

const NEWLINE = 0x0a;

/** Lines, and behind some of them bytes: `line` tells how many. */
function reader(line: (text: string) => number, bytes: (piece: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = [];
  let raw = 0;
  return (chunk) => {
    for (let from = 0; from < chunk.length; ) {
      const end = raw > 0 ? Math.min(from + raw, chunk.length) : chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      from += part.length + (raw > 0 ? 0 : 1);
      if (raw > 0) {
        raw -= part.length;
        bytes(part);
      } else if (end === -1) rest.push(part);
      else {
        raw = line(Buffer.concat([...rest, part]).toString("utf8"));
        rest = [];
      }
    }
  };
}

/** @returns how many bytes of standard output follow the line */
function frame(own: Own, line: string): number {
  if (own.done) return 0;
  const answer: Answer = JSON.parse(line); // the owner's own serialiser wrote it
  if (answer.ack) own.begun = true;
  if (answer.pipe !== undefined) own.pipe = answer.pipe;
  own.shown ||= answer.out !== undefined || answer.err !== undefined || answer.bytes !== undefined;
  if (answer.out !== undefined) write(own, process.stdout, answer.out);
  if (answer.err !== undefined) write(own, process.stderr, answer.err);
  if (answer.error !== undefined) refused(own, answer.error);
  else if (answer.result !== undefined) settled(own, answer.result.exit);
  return answer.bytes ?? 0;
}

/** The last write may still find its reader gone. */
function settled(own: Own, code: number): void {
  process.stdout.write("", (error) => exit(own, error ? lostCode(own) : code));
}

/** When its reader is gone the command says how it ends; what could not be written is a failure. */
const lostCode = (own: Own): number => (own.lost ? 1 : own.pipe);

/** Told once: what comes after it has no place either. */
function failed(own: Own, error: unknown): void {
  const why = explainStdoutError(error);
  if (why === undefined || own.lost) return;
  own.lost = true;
  process.stderr.write(why);
}

/** What the terminal cannot take yet stays with the owner. */
function write(own: Own, stream: NodeJS.WriteStream, text: string | Buffer): void {
  if (stream.write(text, (error) => stream === process.stdout && failed(own, error)) || own.full.has(stream)) return;
  own.full.add(stream);
  own.socket.pause();
  stream.once("drain", () => {
    own.full.delete(stream);
    if (own.full.size === 0) own.socket.resume();
  });
}

function refused(own: Own, error: NonNullable<Answer["error"]>): void {
  if (!own.begun && error.code === "E_OWNER_LOST") {
    own.finish("no owner");
    return;
  }
  explain(own, error);
}

/** Like the whole program: a text for people, or one JSON value alone. */
function explain(own: Own, error: NonNullable<Answer["error"]>): void {
  if (own.done) return;
  if (own.argv.includes("--json")) process.stdout.write(`${JSON.stringify({ type: "error", error })}\n`);
  else
    process.stderr.write(
      [error.message, ...(error.hint ? [error.hint] : [])].map((line) => `agent: ${line}\n`).join(""),
    );
  exit(own, 1);
}

function exit(own: Own, code: number): void {
  process.exitCode = code;
  own.finish("done");
}

function outputClosed(own: Own): void {
  notify(own, "SIGPIPE");
  own.socket.end(() => exit(own, lostCode(own)));
}

/** The owner decides what a signal means; a second one does not wait for it. */
function forwarder(own: Own, signal: RunSignal): () => void {
  let times = 0;
  return () => {
    times += 1;
    if (times === 1) notify(own, signal);
    else exit(own, exitCodeOfSignal(signal));
  };
}

function notify(own: Own, signal: RunSignal): void {
  own.socket.write(`${JSON.stringify({ method: "run.signal", params: { run: 1, signal } })}\n`);
}

const OWNER_LOST = {
  code: "E_OWNER_LOST",
  message: "the owner exited during the command",
  hint: "the outcome is unknown: check before repeating the command",
} as const;

function silentOwner(home: Home): { readonly message: string; readonly hint: string } {
  const pid = holder(home.lock);
  const message = `the owner of ${home.dir}${pid === undefined ? "" : ` (pid ${pid})`} has not responded for ${SILENT_MS / 1000} s`;
  return { message, hint: pid === undefined ? "agent status shows the owner" : `if it hangs, kill process ${pid}` };
}

function holder(path: string): number | undefined {
  try {
    const text: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof text === "object" && text !== null && "pid" in text && typeof text.pid === "number"
      ? text.pid
      : undefined;
  } catch {
    return undefined; // no text, or half of one: the message does without
  }
}
