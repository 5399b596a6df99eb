import type { RunCaller } from "../backplane/client.js";
import { AppError, systemCode } from "../base/errors.js";
import { definedVariables } from "../base/json/record.js";
import { watchReader } from "../base/process/pipe-reader.js";
import { type EndingSignal, exitCodeOfSignal } from "../base/process/signal-exit.js";
import { systemClock } from "../base/time/clock.js";
import { explainStdoutError, forceWholeWrites } from "../base/unwritten.js";
import type { CommandEntry } from "../commands/entry.js";
import { askHidden, askShown } from "./hidden-input.js";

/** This process as the caller of a command: its streams, its directory, its signals. */
export interface CallerIo {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly color: boolean;
  readonly isTty: boolean;
  readonly entries: readonly CommandEntry[];
  /** Aborts on SIGINT, SIGTERM, SIGHUP; the reason is the name. */
  readonly signal: AbortSignal;
  /** Aborts on the second of these signals. The process ends soon after, whatever is left. */
  readonly force: AbortSignal;
  /** Aborts when standard output is closed. */
  readonly gone: AbortSignal;
  /** From now on signals go to `handler` and abort nothing, until the result is called. For the screen, which leaves in its own way. */
  takeSignals(handler: (name: EndingSignal) => void): () => void;
  /** Call `handler` for each SIGUSR1, until the result is called. */
  onRestart(handler: () => void): () => void;
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  bytes(piece: Uint8Array): Promise<void>;
  stdin(maxBytes: number, hidden?: string): Promise<string>;
  /** A user at a terminal can be asked. */
  readonly canAsk: boolean;
  /** Ask for one line; "" when the question was given up. `hidden`: what is typed is not shown. */
  ask(question: string, hidden: boolean): Promise<string>;
  /** For commands that stay: see to it that `gone` aborts when the reader leaves, although nothing is written. */
  watchOutput(): void;
  pipeExit(code: number): void;
  /** Exit code, in place of the command's own when the output was closed or could not be written. */
  exitCode(code: number): number;
  /** The same streams for a command that runs in another process. */
  readonly remote: RunCaller;
}

/** The real process. A second signal kills what runs and ends it; a third is never needed. */
export function processCaller(entries: readonly CommandEntry[]): CallerIo {
  const interrupted = new AbortController();
  const gone = new AbortController();
  let pipe = 0;
  const force = new AbortController();
  const takeSignals = hookSignals(
    (name) => interrupted.abort(name),
    (name) => force.abort(name),
  );
  const { write, lost } = outputs(gone);
  const { stdout } = process;
  // A terminal in raw mode makes no signal of Ctrl+C.
  const typing = {
    /** Made at its first use: its kind of stream takes milliseconds to load. */
    get input() {
      return process.stdin;
    },
    show: write(process.stderr),
    signal: interrupted.signal,
    interrupt: () => interrupted.abort("SIGINT"),
  };
  const ask = (question: string) => askHidden(question, typing);
  return {
    cwd: process.cwd(),
    env: definedVariables(process.env),
    columns: stdout.isTTY ? (stdout.columns ?? 80) : columnsFrom(process.env["COLUMNS"]),
    color: stdout.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
    isTty: stdout.isTTY === true,
    entries,
    signal: interrupted.signal,
    force: force.signal,
    gone: gone.signal,
    takeSignals,
    onRestart: (handler) => {
      process.on("SIGUSR1", handler);
      return () => process.off("SIGUSR1", handler);
    },
    out: write(process.stdout),
    err: write(process.stderr),
    bytes: write(process.stdout),
    stdin: (maxBytes, hidden) => readStdin(maxBytes, ask, hidden),
    get canAsk() {
      return process.stdin.isTTY === true && process.stderr.isTTY === true;
    },
    ask: (question, hidden) => (hidden ? ask(question) : askShown(question, typing)),
    watchOutput: () => {
      watchReader(1, systemClock, () => gone.abort(closedOutput()));
    },
    pipeExit: (code) => {
      pipe = code;
    },
    exitCode: (code) => (gone.signal.aborted ? pipe : lost() && code === 0 ? 1 : code),
    remote: {
      ...remoteCaller(write(process.stdout), write(process.stderr), interrupted.signal, gone.signal),
      stdin: (hidden) => typedOrPiped(ask, hidden),
    },
  };
}

/** Writes to the streams of this process. `lost`: something could not be written although it is wanted. */
function outputs(gone: AbortController) {
  let lost = false;
  const failed = (stream: NodeJS.WriteStream, error: unknown) => {
    if (systemCode(error) === "EPIPE" || systemCode(error) === "EIO") gone.abort(closedOutput());
    const why = stream === process.stdout ? explainStdoutError(error) : undefined;
    if (why === undefined || lost) return;
    lost = true; // what comes after it has no place either
    process.stderr.write(why);
  };
  for (const stream of [process.stdout, process.stderr]) stream.on("error", (error) => failed(stream, error));
  forceWholeWrites(process.stdout);
  const write = (stream: NodeJS.WriteStream) => (text: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      if (gone.signal.aborted) return resolve();
      stream.write(text, (error) => {
        failed(stream, error); // the event comes later, when the last write may have been taken for done
        resolve();
      });
    });
  return { write, lost: () => lost };
}

const closedOutput = () => new AppError("E_INTERRUPTED", "the output is closed");

function remoteCaller(
  out: RunCaller["out"],
  err: RunCaller["err"],
  interrupted: AbortSignal,
  gone: AbortSignal,
): RunCaller {
  const guarded = (write: RunCaller["out"]) => async (text: string) => {
    await write(text);
    if (gone.aborted) throw gone.reason;
  };
  return {
    out: guarded(out),
    err: guarded(err),
    signals: (send) => {
      const forward = () =>
        send(interrupted.reason === "SIGTERM" ? "SIGTERM" : interrupted.reason === "SIGHUP" ? "SIGHUP" : "SIGINT");
      const closed = () => send("SIGPIPE");
      interrupted.addEventListener("abort", forward, { once: true });
      gone.addEventListener("abort", closed, { once: true });
      // What happened before is sent once the run has a number.
      if (interrupted.aborted) queueMicrotask(forward);
      if (gone.aborted) queueMicrotask(closed);
      return () => {
        interrupted.removeEventListener("abort", forward);
        gone.removeEventListener("abort", closed);
      };
    },
  };
}

/** How long what was killed at the second signal gets to be reported and stored. */
const FORCED_WITHIN_MS = 300;

function hookSignals(
  onFirst: (name: EndingSignal) => void,
  onSecond: (name: EndingSignal) => void,
): CallerIo["takeSignals"] {
  let seen = 0;
  let taken: ((name: EndingSignal) => void) | undefined;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (taken) return taken(name);
      seen += 1;
      if (seen === 1) return onFirst(name);
      if (seen > 2) process.exit(exitCodeOfSignal(name));
      systemClock.after(FORCED_WITHIN_MS, () => process.exit(exitCodeOfSignal(name)));
      onSecond(name);
    });
  }
  return (handler) => {
    taken = handler;
    return () => {
      taken = undefined;
    };
  };
}

type Ask = (question: string) => Promise<string>;

async function* typedOrPiped(ask: Ask, hidden: string | undefined): AsyncGenerator<string | Buffer> {
  if (!process.stdin.isTTY) yield* process.stdin;
  else if (hidden !== undefined) yield await ask(hidden);
}

async function readStdin(maxBytes: number, ask: Ask, hidden: string | undefined): Promise<string> {
  if (process.stdin.isTTY) return hidden === undefined ? "" : ask(hidden);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk as Buffer); // without an encoding the stream gives buffers
    size += part.length;
    if (size > maxBytes)
      throw new AppError("E_TOO_LARGE", `standard input exceeds ${maxBytes} bytes`, { max: maxBytes });
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function columnsFrom(value: string | undefined): number {
  const columns = Number(value);
  return Number.isInteger(columns) && columns > 0 ? columns : 80;
}
