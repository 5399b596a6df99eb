import type { Child } from "../../lib/base/process/spawn.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";
import { createFrameReader, encodeFrame, FrameError } from "./framing.js";

/** Bytes that a server may send between two messages of ours. More than this is useless and only takes time. */
const FLOOD_BYTES = 64 << 20;

/** An answer that says no. `code` is that of JSON-RPC and the protocol. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** No answer in time. */
export class RpcTimeout extends Error {
  override readonly name = "RpcTimeout";
}

/** Answers a request of the server; a `RpcError` is sent to it. */
export type Answer = (method: string, params: unknown) => unknown;

export interface RpcHandlers {
  readonly answer: Answer;
  readonly notified: (method: string, params: unknown) => void;
}

/** JSON-RPC with one child over its standard input and output. */
export interface Rpc {
  /** @throws RpcTimeout, RpcError, or the error with which the connection ended */
  request(method: string, params: unknown, within: Ms, signal?: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Called once, at once where it has ended already, with the reason why nothing more will come. Returns how to stop listening. */
  onEnd(listener: (reason: string) => void): () => void;
  readonly open: boolean;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Wire {
  /** Why nothing more will come. */
  ended: string | undefined;
  /** Bytes received since something was sent. */
  received: number;
  lastId: number;
  readonly pending: Map<number, Pending>;
}

export function connectRpc(child: Child, clock: Clock, handlers: RpcHandlers): Rpc {
  const wire: Wire = { ended: undefined, received: 0, lastId: 0, pending: new Map() };
  const listeners = new Set<(reason: string) => void>();
  const finish = (reason: string) => {
    if (wire.ended !== undefined) return;
    wire.ended = reason;
    for (const one of wire.pending.values()) one.reject(new Error(reason));
    wire.pending.clear();
    for (const tell of [...listeners]) tell(reason);
  };
  const send = (message: Readonly<Record<string, unknown>>) => {
    if (wire.ended === undefined) child.write(encodeFrame(message));
  };
  const reader = createFrameReader();
  child.onOutput((chunk, stream) => {
    if (stream === "stdout" && wire.ended === undefined) receive(chunk);
  });
  const receive = (chunk: Buffer) => {
    wire.received += chunk.length;
    try {
      if (wire.received > FLOOD_BYTES) throw new FrameError(`${FLOOD_BYTES >> 20} MB that nobody asked for`);
      for (const message of reader.read(chunk)) dispatch(message, { wire, send, handlers });
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      finish(error instanceof FrameError ? `it sent ${what}` : `what it sent cannot be taken in: ${what}`);
    }
  };
  child.exited.then(
    ({ code, signal }) => finish(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`),
    () => undefined,
  );
  return {
    onEnd: (listener) => {
      if (wire.ended === undefined) listeners.add(listener);
      else listener(wire.ended);
      return () => {
        listeners.delete(listener);
      };
    },
    get open() {
      return wire.ended === undefined;
    },
    notify: (method, params) => {
      wire.received = 0;
      send({ method, ...(params === undefined ? {} : { params }) });
    },
    request: (method, params, within, signal) => request({ wire, clock, send }, { method, params, within, signal }),
  };
}

interface Call {
  readonly method: string;
  readonly params: unknown;
  readonly within: Ms;
  readonly signal: AbortSignal | undefined;
}

type Send = (message: Readonly<Record<string, unknown>>) => void;

async function request({ wire, clock, send }: { wire: Wire; clock: Clock; send: Send }, call: Call): Promise<unknown> {
  if (wire.ended !== undefined) throw new Error(wire.ended);
  wire.lastId += 1;
  const id = wire.lastId;
  let cleanUp: () => void = () => undefined;
  const answer = new Promise<unknown>((resolve, reject) => {
    const giveUp = (error: Error) => {
      if (wire.pending.delete(id)) send({ method: "$/cancelRequest", params: { id } });
      reject(error);
    };
    const cancel = clock.after(call.within, () =>
      giveUp(new RpcTimeout(`no answer to ${call.method} within ${call.within / 1000} s`)),
    );
    const onAbort = () => giveUp(new Error("interrupted"));
    call.signal?.addEventListener("abort", onAbort, { once: true });
    cleanUp = () => {
      cancel();
      call.signal?.removeEventListener("abort", onAbort);
    };
    wire.pending.set(id, { resolve, reject });
  });
  wire.received = 0;
  send({ id, method: call.method, ...(call.params === undefined ? {} : { params: call.params }) });
  try {
    return await answer;
  } finally {
    cleanUp();
  }
}

interface Dispatch {
  readonly wire: Wire;
  readonly send: Send;
  readonly handlers: RpcHandlers;
}

/** What is neither request, notification nor an answer to one of ours is dropped, as the protocol wants it. */
function dispatch(message: unknown, { wire, send, handlers }: Dispatch): void {
  const id = fieldOf(message, "id");
  const method = fieldOf(message, "method");
  if (typeof method === "string" && (typeof id === "number" || typeof id === "string")) {
    send({ id, ...answerTo(handlers.answer, method, fieldOf(message, "params")) });
    return;
  }
  if (typeof method === "string") {
    handlers.notified(method, fieldOf(message, "params"));
    return;
  }
  const pending = typeof id === "number" ? wire.pending.get(id) : undefined;
  if (pending === undefined || typeof id !== "number") return;
  wire.pending.delete(id);
  const error = fieldOf(message, "error");
  if (error === undefined || error === null) pending.resolve(fieldOf(message, "result"));
  else pending.reject(refusal(fieldOf(error, "code"), fieldOf(error, "message")));
}

const refusal = (code: unknown, message: unknown): RpcError =>
  new RpcError(
    typeof code === "number" ? code : 0,
    typeof message === "string" ? message.slice(0, 300) : "it said no and not why",
  );

function answerTo(answer: Answer, method: string, params: unknown): Readonly<Record<string, unknown>> {
  try {
    return { result: answer(method, params) ?? null };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}

/** Field of something that came from outside; undefined without one. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
