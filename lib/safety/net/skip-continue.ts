import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { HEAD_BYTES } from "./http-client.js";

/** Sockets of ours on which the head of an answer comes next. */
const awaiting = new WeakSet<object>();

const CONTINUE = "HTTP/1.1 100";

/**
 * Leave `100 Continue` out of what a socket gives. Some servers and proxies send it unasked; undici takes it for an answer that is broken, where
 * HTTP (RFC 9110, 15.2.1) has clients discard it.
 */
export function skipContinue(socket: Socket): void {
  listenOnce();
  const read: (size?: number) => Buffer | null = socket.read.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  socket.read = (size) => {
    const got = read(size);
    if (got === null || !awaiting.has(socket)) return got;
    held = held.length === 0 ? got : Buffer.concat([held, got]);
    held = withoutContinue(held);
    if (mayBeContinue(held)) return null;
    const whole = held;
    held = Buffer.alloc(0);
    awaiting.delete(socket);
    return whole;
  };
}

let listens = false;

/** undici says on this channel of Node when the head of a request is written. */
function listenOnce(): void {
  if (listens) return;
  listens = true;
  subscribe("undici:client:sendHeaders", (message) => {
    const { socket } = message as { readonly socket: object }; // documented by undici
    awaiting.add(socket);
  });
}

function withoutContinue(bytes: Buffer): Buffer {
  let rest = bytes;
  while (beginsContinue(rest)) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return rest;
    rest = rest.subarray(end + 4);
  }
  return rest;
}

/** Whether more bytes are needed to tell. */
const mayBeContinue = (bytes: Buffer): boolean =>
  bytes.length === 0 ||
  ((bytes.length < CONTINUE.length ? CONTINUE.startsWith(bytes.toString("latin1")) : beginsContinue(bytes)) &&
    bytes.length <= HEAD_BYTES);

const beginsContinue = (bytes: Buffer): boolean => bytes.toString("latin1", 0, CONTINUE.length) === CONTINUE;
