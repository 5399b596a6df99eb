import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Answers a request. */
export type OnRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests of a connection that may wait while more is read from it, so that the server still sees it close. */
const WAITING_MAX = 64;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The requests of one connection that wait for the answer to the one before them. */
interface Line {
  readonly waiting: Exchange[];
  /** A request was begun and its answer has not left. */
  busy: boolean;
  /** Reading stops at the end of this tick. */
  stopping: boolean;
}

/**
 * Answer the requests of each connection one after the other, at most one in each turn of the event loop. HTTP/1.1 answers leave in the order of
 * the requests anyway, and a client that sends thousands at once then takes turns with all other clients. Nothing more is read from a connection
 * while more than a few requests of it wait. Requests of a connection that was closed are dropped.
 */
export function serveInTurn(onRequest: OnRequest): OnRequest {
  const lines = new WeakMap<Socket, Line>();
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? openLine(socket);
    lines.set(socket, line);
    if (line.busy) {
      line.waiting.push({ request, response });
      if (line.waiting.length > WAITING_MAX) stopReading(socket, line);
    } else begin(line, { request, response });
  };

  function begin(line: Line, { request, response }: Exchange): void {
    line.busy = true;
    // The connection of a response is gone when it has closed; that of its request stays.
    response.once("close", () => setImmediate(beginNext, line, request.socket));
    onRequest(request, response);
  }

  function beginNext(line: Line, socket: Socket): void {
    line.busy = false;
    // An answer that closes its connection, or half a request that cannot be read on, ends it for those behind it.
    if (!socket.writable) line.waiting.length = 0;
    const next = line.waiting.shift();
    if (next === undefined) return;
    if (line.waiting.length === WAITING_MAX) socket.resume();
    begin(line, next);
  }
}

function openLine(socket: Socket): Line {
  const line: Line = { waiting: [], busy: false, stopping: false };
  socket.once("close", () => {
    line.waiting.length = 0;
  });
  return line;
}

/** The parser resumes its connection at the end of each request, so that pausing has to wait for the end of what it reads. */
function stopReading(socket: Socket, line: Line): void {
  if (line.stopping) return;
  line.stopping = true;
  process.nextTick(() => {
    line.stopping = false;
    if (line.waiting.length > WAITING_MAX && !socket.destroyed) socket.pause();
  });
}
