import { AppError, toAppError } from "../base/errors.js";
import type { LineKey } from "../contracts/board/board.js";
import type { RunFrame, RunRequest, RunSignal } from "../contracts/wire/wire.js";
import type { Link } from "./link.js";

/** The terminal side of a command line that runs in the owner. */
export interface RunCaller {
  /** Write; resolves when it may take more, rejects when it is closed. */
  out(text: string): Promise<void>;
  err(text: string): Promise<void>;
  /** Standard input, read only when the command asks. Absent: the command gets "". */
  readonly stdin?: (hidden?: string) => AsyncIterable<string | Buffer>;
  /** How far a follow command has come. */
  readonly reached?: (cursor: number) => void;
  /** Hand in the function that forwards signals. The returned function is called when the run has ended. */
  readonly signals?: (send: (signal: RunSignal) => void) => () => void;
}

/** Everything of a run request but what the caller decides. `line`: it may be run again when the owner ends before it answers. */
export type RunInput = Omit<RunRequest, "stdin"> & { readonly line?: LineKey | undefined };

/** Bytes of standard input in one message. */
const PIECE = 64 << 10;

/**
 * Run a command line over `link`.
 *
 * @returns its exit code; when the output was closed, the code for a closed pipe
 * @throws E_OWNER_LOST when the owner ended in the middle; `data.outcome` is "not begun" when it had not yet started anything
 */
export async function runOver(link: Link, { line, ...input }: RunInput, caller: RunCaller): Promise<number> {
  let id = 0;
  let pipe = 0;
  let closed = false;
  let writing = 0;
  let begun = false;
  let tail: Promise<void> = Promise.resolve();
  const write = async (frame: RunFrame) => {
    if (closed) return;
    try {
      if (frame.out !== undefined) await caller.out(frame.out);
      if (frame.err !== undefined) await caller.err(frame.err);
    } catch {
      closed = true; // the reader of the output has gone: the owner is notified, and nothing more is written
      link.notify("run.signal", { run: id, signal: "SIGPIPE" });
    }
  };
  const onFrame = (frame: RunFrame) => {
    begun = true;
    if (frame.pipe !== undefined) pipe = frame.pipe;
    if (frame.cursor !== undefined) {
      const { cursor } = frame;
      tail = tail.then(() => caller.reached?.(cursor)); // what was written before it has been written
    }
    if (frame.want !== undefined)
      tail = Promise.all([tail, feed({ link, run: id }, frame.want, caller, frame.hidden)]).then(() => undefined);
    if (frame.out === undefined && frame.err === undefined) return;
    writing += 1;
    link.pause(); // what the terminal cannot take yet stays with the owner, which waits
    tail = tail
      .then(() => write(frame))
      .finally(() => {
        writing -= 1;
        if (writing === 0) link.resume();
      });
  };
  const unhook = caller.signals?.((signal) => {
    if (signal === "SIGPIPE") closed = true;
    link.notify("run.signal", { run: id, signal });
  });
  const options = {
    onFrame,
    onId: (given: number) => (id = given),
    key: line?.key,
    ...(line?.again === true ? { again: true } : {}),
  };
  try {
    const result = await link.request("run", { ...input, stdin: caller.stdin !== undefined }, options);
    await tail;
    return closed ? pipe : exitOf(result);
  } catch (error) {
    throw begun ? error : notBegun(error);
  } finally {
    unhook?.();
  }
}

/** The owner says that it begins before it does; when it was lost without a word, nothing was started. */
function notBegun(error: unknown): unknown {
  const { code, message, data } = toAppError(error);
  return code === "E_OWNER_LOST"
    ? new AppError(code, message, { ...data, outcome: "not begun", hint: "nothing was changed; repeat the command" })
    : error;
}

function exitOf(result: unknown): number {
  const exit = typeof result === "object" && result !== null && "exit" in result ? result.exit : undefined;
  return typeof exit === "number" ? exit : 1;
}

interface Feeding {
  readonly link: Link;
  readonly run: number;
}

/** Send standard input until it ends or the owner has more than it wants; the owner refuses the rest. */
async function feed(
  { link, run }: Feeding,
  want: number,
  caller: RunCaller,
  hidden: string | undefined,
): Promise<void> {
  let bytes = 0;
  const decoder = new TextDecoder();
  for await (const chunk of caller.stdin?.(hidden) ?? []) {
    const piece = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    for (let from = 0; from < piece.length && bytes <= want; from += PIECE) {
      const part = piece.subarray(from, from + PIECE);
      bytes += part.length;
      link.notify("run.stdin", { run, data: decoder.decode(part, { stream: true }) });
    }
    if (bytes > want) break;
  }
  link.notify("run.stdin", { run, data: decoder.decode(), end: true });
}
