import { setImmediate } from "node:timers/promises";
import { AppError } from "../base/errors.js";
import type { LineKey } from "../contracts/board/board.js";
import { type RunResult, type RunSignal, runSchema, runSignalSchema, runStdinSchema } from "../contracts/wire/wire.js";
import type { Connection } from "./connection.js";
import type { ClientContext, ExecuteLine, RunIo } from "./methods.js";
import { parseParams } from "./params.js";

/** Command lines of one client that run in the owner. */
export interface Runs {
  start(id: number, params: unknown, line?: LineKey): Promise<RunResult>;
  /** `run.signal` and `run.stdin`. False when it is neither. One for a run that has ended is passed over: it was on its way. */
  notify(method: string, params: unknown): boolean;
}

interface Running {
  readonly interrupt: AbortController;
  readonly gone: AbortController;
  readonly input: Input;
}

/** UTF-16 units of output in one frame; escaped it stays below the largest message. */
const FRAME_UNITS = 128 << 10;

/** Output after which other work gets its turn, and what a frame counts beside its text. UTF-16 units. */
const TURN_UNITS = 256 << 10;
const FRAME_COST = 1024;

/** Runs of one client: all of them see it go. */
export function createRuns(run: ExecuteLine, connection: Connection, client: ClientContext): Runs {
  const running = new Map<number, Running>();
  return {
    start: async (id, params, line) => {
      const request = parseParams(runSchema, params);
      const mine: Running = {
        interrupt: new AbortController(),
        gone: new AbortController(),
        input: createInput(request.stdin),
      };
      running.set(id, mine);
      const leave = () => end(mine);
      client.signal.addEventListener("abort", leave, { once: true });
      if (client.signal.aborted) leave();
      connection.send(JSON.stringify({ id, ack: true })); // before anything runs: a client without it may safely ask another owner
      try {
        const raw = request.raw === true ? connection.sendBytes : undefined;
        const { exit } = await run(request, ioOf({ ...mine, id, raw, line }, connection, client));
        return { exit };
      } finally {
        client.signal.removeEventListener("abort", leave);
        running.delete(id);
        end(mine);
      }
    },
    notify: (method, params) => {
      if (method === "run.signal") signalled(running, params);
      else if (method === "run.stdin") given(running, params);
      else return false;
      return true;
    },
  };
}

function end(mine: Running): void {
  mine.gone.abort(new AppError("E_OWNER_LOST", "the caller has disconnected"));
  mine.input.end();
}

function signalled(running: Map<number, Running>, params: unknown): void {
  const parsed = runSignalSchema.safeParse(params);
  const mine = parsed.success ? running.get(parsed.data.run) : undefined;
  if (!mine || !parsed.success) return;
  raise(mine, parsed.data.signal);
}

function raise(mine: Running, signal: RunSignal): void {
  if (signal === "SIGPIPE") mine.gone.abort(new AppError("E_INTERRUPTED", "the caller's output is closed"));
  else mine.interrupt.abort(signal);
}

function given(running: Map<number, Running>, params: unknown): void {
  const parsed = runStdinSchema.safeParse(params);
  const mine = parsed.success ? running.get(parsed.data.run) : undefined;
  if (!mine || !parsed.success) return;
  mine.input.add(parsed.data.data);
  if (parsed.data.end) mine.input.end();
}

interface Output extends Running {
  readonly id: number;
  /** Way for bytes, to a caller that takes them. */
  readonly raw: Connection["sendBytes"];
  readonly line: LineKey | undefined;
}

function ioOf(mine: Output, connection: Connection, client: ClientContext): RunIo {
  const { id, raw } = mine;
  let written = 0;
  const room = async (units: number) => {
    written += units + FRAME_COST;
    await connection.room();
    if (written < TURN_UNITS) return;
    written = 0;
    await setImmediate(); // a command that only writes would never let the owner hear others, not even that its caller is gone
  };
  const write = async (stream: "out" | "err", text: string) => {
    for (const piece of pieces(text)) {
      if (mine.gone.signal.aborted) return;
      connection.send(JSON.stringify({ id, [stream]: piece }));
      await room(piece.length);
    }
  };
  const bytes = async (piece: Uint8Array) => {
    if (raw === undefined) return write("out", new TextDecoder("utf-8", { ignoreBOM: true }).decode(piece)); // what is first in a piece belongs to it
    for (let from = 0; from < piece.length && !mine.gone.signal.aborted; from += FRAME_UNITS) {
      const part = piece.subarray(from, from + FRAME_UNITS);
      raw(JSON.stringify({ id, bytes: part.length }), part);
      await room(part.length);
    }
  };
  return {
    out: (text) => write("out", text),
    err: (text) => write("err", text),
    bytes,
    stdin: (maxBytes, hidden) =>
      mine.input.read(maxBytes, () => connection.send(JSON.stringify({ id, want: maxBytes, hidden }))),
    pipeExit: (code) => connection.send(JSON.stringify({ id, pipe: code })),
    reached: (cursor) => connection.send(JSON.stringify({ id, cursor })),
    interrupted: mine.interrupt.signal,
    line: mine.line,
    gone: mine.gone.signal,
    client,
  };
}

/** Pieces of at most `FRAME_UNITS`, never cut inside a character. */
function* pieces(text: string): Generator<string> {
  let from = 0;
  while (from < text.length) {
    let to = Math.min(from + FRAME_UNITS, text.length);
    const unit = text.charCodeAt(to - 1);
    if (to < text.length && unit >= 0xd800 && unit <= 0xdbff) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

interface Input {
  add(text: string): void;
  end(): void;
  read(maxBytes: number, ask: () => void): Promise<string>;
}

/** Standard input of the caller: asked for once, collected until it ends. */
function createInput(available: boolean): Input {
  let text = "";
  let bytes = 0;
  let ended = !available;
  let limit = Number.POSITIVE_INFINITY;
  let asked = false;
  let wake: () => void = () => undefined;
  return {
    add: (piece) => {
      if (ended || !asked) return;
      bytes += Buffer.byteLength(piece);
      if (bytes <= limit) text += piece;
      else ended = true;
      if (ended) wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    read: async (maxBytes, ask) => {
      limit = maxBytes;
      if (!ended && !asked) {
        asked = true;
        ask();
      }
      if (!ended) await new Promise<void>((resolve) => (wake = resolve));
      if (bytes > limit) throw new AppError("E_TOO_LARGE", `standard input exceeds ${limit} bytes`, { limit });
      return text;
    },
  };
}
