import type { RawData, WebSocket } from "ws";
import type { Clock } from "../base/clock.js";
import type { Attached, Carrier, Connection } from "./connection.js";

/** A peer that did not answer the last ping when the next is due is gone. */
const PING_MS = 30_000;
/** Status codes of RFC 6455, 7.4.1. */
const GOING_AWAY = 1001;
const NOT_TEXT = 1003;

interface SocketDeps {
  readonly clock: Clock;
  attach(transport: Connection["transport"], carrier: Carrier): Attached;
}

/** Serve the backplane on a WebSocket: one text message is one message. */
export function serveWebSocket(deps: SocketDeps, ws: WebSocket): void {
  const end = deps.attach("web", {
    write: (text, done) => ws.send(text, () => done()),
    end: () => ws.close(GOING_AWAY),
    destroy: () => ws.terminate(),
  });
  const stopPinging = keepAlive(deps.clock, ws);
  ws.on("error", () => undefined); // "close" follows, with the status the library chose: 1007 no UTF-8, 1009 too large
  ws.on("message", (data: RawData, isBinary: boolean) => {
    if (isBinary) {
      end.garbage("a message is text");
      ws.close(NOT_TEXT, "text only");
    } else end.message(textOf(data));
  });
  ws.on("close", () => {
    stopPinging();
    end.closed();
  });
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}

/** A machine that vanished closes nothing; a ping finds out. */
function keepAlive(clock: Clock, ws: WebSocket): () => void {
  let answered = true;
  let cancel: () => void = () => undefined;
  const beat = () => {
    if (!answered) {
      ws.terminate();
      return;
    }
    answered = false;
    ws.ping();
    cancel = clock.after(PING_MS, beat);
  };
  ws.on("pong", () => {
    answered = true;
  });
  cancel = clock.after(PING_MS, beat);
  return () => cancel();
}
