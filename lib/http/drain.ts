import type { IncomingMessage } from "node:http";

const LONGEST_MS = 1_000;
const MOST_BYTES = 64 << 20;

/**
 * Take what a refused client still sends, for a moment, then call `done` once. A connection that is closed over unread bytes takes the answer
 * with it, and the client would see a reset in place of what was wrong.
 */
export function drainRequest(request: IncomingMessage, done: () => void): void {
  if (request.complete || request.destroyed) {
    done();
    return;
  }
  let size = 0;
  let over = false;
  const end = () => {
    clearTimeout(timer);
    if (!over) done();
    over = true;
  };
  const timer = setTimeout(end, LONGEST_MS);
  request.on("data", (part: Buffer) => {
    size += part.length;
    if (size > MOST_BYTES) end();
  });
  for (const event of ["end", "close", "error"]) request.once(event, end);
  request.resume();
}
