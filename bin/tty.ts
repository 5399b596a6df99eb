import { systemClock } from "../lib/base/time/clock.js";
import type { CallerIo } from "../lib/cli/terminal-caller.js";
import type { Tty } from "../tui/app/workspace.js";
import { RESTORE, RESTORE_LINES, type UiMode } from "../tui/terminal/terminal.js";
import { type Capture, captureOutput } from "./capture.js";
import { createGuard, type Guard } from "./guard.js";

interface Blocking {
  _handle?: { setBlocking?: (blocking: boolean) => void };
}

/** The terminal of this process, and what to call when it was left in good order. */
export interface ProcessTty extends Tty {
  /** False: the terminal does not read, and a waiter for it waits for ever. */
  close(): Promise<boolean>;
  /** This process ends at once and restores the terminal itself. */
  abandon(): void;
}

/** What the terminal needs of the process. */
export interface TtyOptions {
  readonly caller: CallerIo;
  readonly front: UiMode;
  /** The terminal was closed, or takes no bytes any more. */
  readonly onLost: () => void;
  /** This process is being ended. */
  readonly onEnd: () => void;
  /** Lines that others in this process wanted to write. */
  readonly onOutput: (line: string) => void;
}

/** How long the terminal may take to read the last bytes. */
const DRAIN_MS = 200;

/** The terminal of this process. Until `close` no other part of it writes there. */
export function processTty({ caller, front, onLost, onEnd, onOutput }: TtyOptions): ProcessTty {
  const { stdin, stdout } = process;
  const interrupts = new Set<() => void>();
  // A terminal's output blocks the whole process when it is not read; looked for, because it is not part of the documented interface.
  (stdout as Blocking)._handle?.setBlocking?.(false);
  stdout.on("error", onLost);
  stdin.on("error", onLost);
  const untaken = caller.takeSignals((name) => {
    if (name === "SIGHUP") onLost();
    else if (name === "SIGTERM") onEnd();
    else for (const listener of interrupts) listener();
  });
  process.on("SIGQUIT", onEnd);
  const capture = captureOutput(onOutput);
  let guard: Guard | undefined;
  return {
    output: outputOf(capture),
    size: () => ({ columns: stdout.columns || Number(process.env["COLUMNS"]) || 80, rows: stdout.rows || 24 }),
    onInput: (listener) => {
      if (front === "plain") return () => undefined; // it is read line by line
      return readFrom(stdin, listener, onLost);
    },
    onResize: (listener) => {
      stdout.on("resize", listener);
      return () => stdout.off("resize", listener);
    },
    onInterrupt: (listener) => {
      interrupts.add(listener);
      return () => interrupts.delete(listener);
    },
    raw: (on) => {
      if (!stdin.isTTY || stdin.destroyed || front === "plain") return;
      if (on) guard ??= createGuard(front === "screen" ? RESTORE : RESTORE_LINES);
      try {
        stdin.setRawMode(on);
      } catch {
        /* ok to lose: the terminal is gone, and its modes with it */
      }
    },
    abandon: () => guard?.dismiss(),
    close: async () => {
      const done = await drained(capture);
      guard?.dismiss();
      process.off("SIGQUIT", onEnd);
      capture.release();
      untaken();
      return done;
    },
    ...stops(),
  };
}

/** Read what is typed until the answer is called: a process that is stopped, or lends the terminal to another program, reads again and again. */
export function readFrom(input: NodeJS.ReadableStream, onData: (bytes: Buffer) => void, onEnd: () => void): () => void {
  input.on("data", onData);
  input.on("end", onEnd);
  input.resume();
  return () => {
    input.off("data", onData);
    input.off("end", onEnd);
    input.pause();
  };
}

/** Being stopped, by this process or another one. */
function stops(): Pick<Tty, "suspend" | "onContinue"> {
  let suspended = false;
  return {
    onContinue: (listener) => {
      const continued = () => (suspended ? undefined : listener());
      process.on("SIGCONT", continued);
      return () => process.off("SIGCONT", continued);
    },
    suspend: () =>
      new Promise((resolve) => {
        suspended = true;
        process.once("SIGCONT", () => {
          suspended = false;
          resolve();
        });
        process.kill(process.pid, "SIGTSTP");
      }),
  };
}

function outputOf({ write }: Capture): Tty["output"] {
  const { stdout } = process;
  return {
    write,
    get writableLength() {
      return stdout.writableLength;
    },
    once: (event, listener) => stdout.once(event, listener),
  };
}

/** Whether the terminal took what was written; one that does not read is not waited for. */
async function drained({ flushed }: Capture): Promise<boolean> {
  const late = new AbortController();
  const waited = systemClock.sleep(DRAIN_MS, late.signal).then(
    () => false,
    () => true,
  );
  const done = await Promise.race([flushed().then(() => true), waited]);
  late.abort();
  return done;
}
