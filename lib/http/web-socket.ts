import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { createIntake } from "../base/async/intake.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";

/** Status codes with which a WebSocket is closed (RFC 6455, 7.4.1, and the registry beside it). */
export const CLOSE_CODES = { goingAway: 1001, notText: 1003, policy: 1008, broken: 1011, tryLater: 1013 } as const;

/** A WebSocket that is served. After it has closed everything here does nothing. */
export interface ServedSocket {
  /** Queue a message. `done` is called when its bytes have left this process, or no longer will. */
  send(text: string, done?: () => void): void;
  /** Queue a message that was made with `textFrame`: many sockets share the bytes of one. */
  sendFrame(frame: Buffer): void;
  /** Bytes that wait to be taken by the other end. */
  unsent(): number;
  /** Resolves when most of what waits was taken, or the socket has closed. */
  room(): Promise<void>;
  /** Close after what waits; a peer that does not join in is cut off. */
  close(code: number, reason?: string): void;
  /** Cut off. */
  destroy(): void;
  /** Aborts when it closes, from either end. */
  readonly signal: AbortSignal;
}

/** What is behind a served socket. */
export interface SocketEnd {
  message(text: string): void;
  /** Bytes came in place of a text; the socket is closed with 1003. */
  binary?(): void;
  closed?(): void;
}

/** How long a peer may be silent, and how much may wait for it. */
export interface SocketRules {
  readonly clock: Clock;
  readonly pingEvery: Ms;
  /** How long without an answer until the peer counts as gone. */
  readonly silence: Ms;
  /** Above it the peer is too slow. Absent: the sender looks to it. */
  readonly maxUnsent?: number;
  /** Close code of a peer that is gone or too slow; absent: it is cut off without a word. */
  readonly tooLate?: number;
}

/** Below so many waiting bytes there is room. */
const ROOM_BYTES = 256 << 10;
/** A peer that does not answer a close. */
const CLOSE_MS: Ms = 5_000;

/** Serve an upgraded WebSocket; `socket` is the connection below it. Messages are text. */
export function serveSocket(
  ws: WebSocket,
  socket: Duplex,
  rules: SocketRules,
): ServedSocket & { begin(end: SocketEnd): void } {
  const { clock, maxUnsent = Number.POSITIVE_INFINITY, tooLate } = rules;
  const gone = new AbortController();
  const waiting = new Set<() => void>();
  const unsent = () => ws.bufferedAmount;
  const close = (code: number, reason = "") => {
    if (ws.readyState !== ws.OPEN) return;
    ws.close(code, reason);
    const cancel = clock.after(CLOSE_MS, () => ws.terminate());
    ws.once("close", cancel);
  };
  const giveUp = (why: string) => (tooLate === undefined ? ws.terminate() : close(tooLate, why));
  /** Looked at before more is queued: one large message is not a sign of a slow peer. */
  const isOpen = (): boolean => {
    if (ws.readyState === ws.OPEN && unsent() > maxUnsent) giveUp("too slow");
    return ws.readyState === ws.OPEN;
  };
  const wake = () => {
    if (unsent() >= ROOM_BYTES && !gone.signal.aborted) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const stopPinging = keepAlive(ws, rules, () => giveUp("no response"));
  socket.on("drain", wake);
  ws.on("error", () => undefined); // "close" follows, with the status the library chose: 1007 no UTF-8, 1009 too large
  ws.on("close", () => {
    stopPinging();
    gone.abort();
    wake();
  });
  return {
    signal: gone.signal,
    unsent,
    close,
    destroy: () => ws.terminate(),
    send: (text, done) => {
      if (isOpen()) ws.send(text, () => done?.());
      else done?.();
    },
    sendFrame: (frame) => {
      // Without compression the library writes each frame at once, so that this one stands between two whole ones.
      if (isOpen()) socket.write(frame);
    },
    room: () =>
      new Promise((resolve) => {
        waiting.add(resolve);
        wake();
      }),
    begin: (end) => {
      const intake = createIntake(ws);
      ws.on("message", (data: RawData, isBinary: boolean) => {
        if (isBinary) {
          end.binary?.();
          close(CLOSE_CODES.notText, "text only");
          return;
        }
        const text = textOf(data);
        intake.add(text.length, () => end.message(text));
      });
      ws.on("close", () => {
        intake.close();
        end.closed?.();
      });
    },
  };
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}

/** A machine that vanished closes nothing; a ping finds out. */
function keepAlive(ws: WebSocket, { clock, pingEvery, silence }: SocketRules, silent: () => void): () => void {
  let heard = clock.mono();
  let pinged = heard;
  let cancel: () => void = () => undefined;
  const beat = () => {
    const now = clock.mono();
    if (ws.readyState !== ws.OPEN) return;
    if (now - heard >= silence) return silent();
    if (now - pinged >= pingEvery) {
      pinged = now;
      ws.ping();
    }
    cancel = clock.after(Math.min(pinged + pingEvery, heard + silence) - now, beat);
  };
  ws.on("pong", () => {
    heard = clock.mono();
  });
  cancel = clock.after(Math.min(pingEvery, silence), beat);
  return () => cancel();
}

/** A whole text message as the bytes that a server sends, to be written to any number of sockets. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  frame.write(text, head);
  return frame;
}
