import type { Duplex } from "node:stream";
import { LIMITS } from "../base/limits.js";
import type { Carrier } from "../contracts/owner/door.js";
import { createLineWriter } from "./lines.js";

/** The way to one client, whatever carries it. One text is one message. */
export interface Connection {
  readonly transport: "socket" | "web" | "local";
  /** A tool of this home started the client. Absent: it cannot have. */
  readonly fromTool?: (() => Promise<boolean>) | undefined;
  /** Queue a message. Never waits; a backlog above 8 MiB destroys the connection. */
  send(text: string): void;
  /** The same with bytes behind it. Absent where only messages travel. */
  readonly sendBytes?: (text: string, bytes: Uint8Array) => void;
  /** Resolves when the client has taken most of what was sent, or is gone. */
  room(): Promise<void>;
  /** The client has taken most of what was sent. */
  hasRoom(): boolean;
  /** Called each time there is room again. */
  onRoom(listener: () => void): void;
  /** Close after what was sent has left. */
  end(): void;
  destroy(): void;
}

/** Backlog above which senders who can wait do wait. */
const ROOM_BYTES = 256 << 10;

/** A connection over a carrier. `close` is to be called when the carrier has closed, however it happened. */
export function createConnection(transport: Connection["transport"], carrier: Carrier): Connection & { close(): void } {
  let backlog = 0;
  let closed = false;
  let waiting: (() => void)[] = [];
  const listeners: (() => void)[] = [];
  const wake = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const taken = (bytes: number) => {
    const was = backlog;
    backlog -= bytes;
    if (was < ROOM_BYTES || backlog >= ROOM_BYTES) return;
    wake();
    if (!closed) for (const listener of listeners) listener();
  };
  const destroy = () => {
    if (closed) return;
    carrier.destroy();
  };
  const queue = (bytes: number, write: (done: () => void) => void) => {
    if (closed) return;
    backlog += bytes;
    if (backlog > LIMITS.clientBacklogBytes) destroy();
    else write(() => taken(bytes));
  };
  return {
    transport,
    fromTool: carrier.fromTool,
    send: (text) => queue(Buffer.byteLength(text), (done) => carrier.write(text, done)),
    ...(carrier.writeBytes && {
      sendBytes: (text: string, bytes: Uint8Array) =>
        queue(text.length + bytes.length, (done) => carrier.writeBytes?.(text, bytes, done)),
    }),
    hasRoom: () => closed || backlog < ROOM_BYTES,
    room: () =>
      new Promise((resolve) => {
        if (closed || backlog < ROOM_BYTES) resolve();
        else waiting.push(resolve);
      }),
    onRoom: (listener) => {
      listeners.push(listener);
    },
    end: () => carrier.end(),
    destroy,
    close: () => {
      closed = true;
      wake();
      waiting = [];
    },
  };
}

/** JSON lines over a stream. What is sent in one turn of the event loop leaves as one write. */
export function lineCarrier(stream: Duplex): Carrier {
  const lines = createLineWriter((text, done) => {
    stream.write(text, done);
  });
  return {
    write: lines.write,
    writeBytes: (text, bytes, done) => {
      lines.write(text);
      lines.flush();
      stream.write(bytes, done);
    },
    end: () => {
      lines.flush();
      stream.end(() => stream.destroy());
    },
    destroy: () => stream.destroy(),
  };
}
