import { allowManyListeners } from "../base/async/aborted.js";
import { AppError, fromWireError } from "../base/errors.js";
import type { RunFrame, ServerMessage, SubFrame, WireDelta, WireEvent } from "../contracts/wire/wire.js";
import { createSendWindow, type SendWindow } from "./send-window.js";
import type { Transport } from "./transport.js";

/** One connection to an owner: requests and answers, frames by their number, events for everybody. */
export interface Link {
  /** @throws the owner's error; E_OWNER_LOST (`data.outcome: "unknown"`) when the connection ended before the answer */
  request(method: string, params: unknown, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Frames of subscription `sub`. The returned function forgets it. */
  onSub(sub: number, listener: (frame: SubFrame) => void): () => void;
  onDelta(listener: (delta: WireDelta) => void): () => void;
  onEvent(listener: (event: WireEvent) => void): () => void;
  /** Called once, at once when it is closed already. The returned function forgets the listener. */
  onClose(listener: () => void): () => void;
  readonly open: boolean;
  pause(): void;
  resume(): void;
  close(): void;
}

export interface RequestOptions {
  readonly key?: string | undefined;
  /** It was sent before and may have been done. */
  readonly again?: boolean | undefined;
  /** Give up waiting; the owner may do it anyway. */
  readonly signal?: AbortSignal | undefined;
  /** Frames before the answer, and the number of the request for notifications about it. */
  readonly onFrame?: ((frame: RunFrame) => void) | undefined;
  readonly onId?: ((id: number) => void) | undefined;
  /** Called with the answer before the next message is looked at, so that nothing that follows it is missed. */
  readonly onResult?: ((result: unknown) => void) | undefined;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  onFrame: ((frame: RunFrame) => void) | undefined;
}

interface Own {
  readonly transport: Transport;
  readonly window: SendWindow;
  readonly pending: Map<number, Pending>;
  readonly subs: Map<number, (frame: SubFrame) => void>;
  readonly deltas: Set<(delta: WireDelta) => void>;
  readonly events: Set<(event: WireEvent) => void>;
  readonly closers: Set<() => void>;
  lastId: number;
  closed: boolean;
}

/** Speak over `transport`, which must be connected. */
export function createLink(transport: Transport): Link {
  const own: Own = {
    transport,
    window: createSendWindow((text) => transport.send(text)),
    pending: new Map(),
    subs: new Map(),
    deltas: new Set(),
    events: new Set(),
    closers: new Set(),
    lastId: 0,
    closed: false,
  };
  transport.onMessage((text) => receive(own, text));
  transport.onClose(() => lost(own));
  return {
    request: (method, params, options = {}) => request(own, method, params, options),
    notify: (method, params) => transport.send(JSON.stringify({ method, params })),
    onSub: (sub, listener) => listenSub(own, sub, listener),
    onDelta: (listener) => listen(own.deltas, listener),
    onEvent: (listener) => listen(own.events, listener),
    onClose: (listener) => {
      if (own.closed) listener();
      return listen(own.closers, listener);
    },
    get open() {
      return !own.closed;
    },
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    close: () => {
      transport.close();
      lost(own);
    },
  };
}

function listen<T>(set: Set<T>, listener: T): () => void {
  set.add(listener);
  return () => {
    set.delete(listener);
  };
}

function listenSub(own: Own, sub: number, listener: (frame: SubFrame) => void): () => void {
  own.subs.set(sub, listener);
  return () => {
    own.subs.delete(sub);
  };
}

function request(own: Own, method: string, params: unknown, options: RequestOptions): Promise<unknown> {
  const { signal } = options;
  allowManyListeners(signal); // of each call that waits under it
  return new Promise((resolve, reject) => {
    if (own.closed) {
      reject(
        new AppError("E_OWNER_LOST", "the owner has exited", {
          outcome: "not begun",
          hint: "nothing was changed; repeat the command",
        }),
      );
      return;
    }
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    own.lastId += 1;
    const id = own.lastId;
    const aborted = () => {
      own.window.withdraw(id);
      settle(() => reject(signal?.reason));
    };
    const settle = (finish: () => void) => {
      signal?.removeEventListener("abort", aborted);
      own.pending.delete(id);
      finish();
    };
    signal?.addEventListener("abort", aborted, { once: true });
    own.pending.set(id, {
      resolve: (result) =>
        settle(() => {
          options.onResult?.(result);
          resolve(result);
        }),
      reject: (error) => settle(() => reject(error)),
      onFrame: options.onFrame,
    });
    options.onId?.(id);
    own.window.send(id, JSON.stringify({ id, method, params, key: options.key, again: options.again })); // without what is undefined
  });
}

function receive(own: Own, text: string): void {
  if (own.closed) return;
  const message = parseMessage(text);
  if (message === undefined) own.transport.close();
  else if ("id" in message) answered(own, message);
  else if ("sub" in message) own.subs.get(message.sub)?.(message);
  else if ("topic" in message) for (const listener of [...own.deltas]) listener(message);
  else for (const listener of [...own.events]) listener(message);
}

/** The owner is trusted to keep to the schema; only what would crash the dispatch above is looked at. */
function parseMessage(text: string): ServerMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as ServerMessage) : undefined; // written by the owner's own serialiser
  } catch {
    return undefined; // the other end speaks something else: the link is closed
  }
}

function answered(own: Own, message: Extract<ServerMessage, { id: number | null }>): void {
  const pending = message.id === null ? undefined : own.pending.get(message.id);
  if (message.id !== null && ("error" in message || "result" in message)) own.window.answered(message.id);
  if ("error" in message) {
    const error = fromWireError(message.error);
    if (pending) pending.reject(error);
    else if (message.id === null) for (const each of [...own.pending.values()]) each.reject(error); // a refusal of the whole connection
  } else if ("result" in message) {
    pending?.resolve(message.result);
  } else {
    pending?.onFrame?.(message);
  }
}

/** What was sent may have been done; what was not sent may be repeated safely. */
function ownerLost(outcome: "unknown" | "not begun"): AppError {
  if (outcome === "unknown") return new AppError("E_OWNER_LOST", "the owner exited before responding", { outcome });
  return new AppError("E_OWNER_LOST", "the owner exited before starting", {
    outcome,
    hint: "nothing was changed; repeat the command",
  });
}

function lost(own: Own): void {
  if (own.closed) return;
  own.closed = true;
  for (const [id, pending] of [...own.pending]) {
    const outcome = own.window.wasSent(id) ? "unknown" : "not begun";
    pending.reject(ownerLost(outcome));
  }
  for (const listener of [...own.closers]) listener();
  own.closers.clear();
}
