import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { assert } from "../../lib/base/errors.js";
import { Hub } from "./hub.js";
import type { Report, Request } from "./protocol.js";

/** Requests that are carried out together. More of them share a transaction of the memory better, and keep those that are done waiting. */
const PORTION = 16;

// The thread of all sqljs stores. What happens in one turn of its event loop leaves as one message.
const port = parentPort;
assert(port, "this file runs as a thread");
let outgoing: string[] = [];
let waiting: Request[] = [];
/** More of what waits is taken on a turn of the loop that is asked for already. */
let due = false;
const flush = () => {
  if (outgoing.length === 0) return;
  const batch = outgoing;
  outgoing = [];
  port.postMessage(`[${batch.join(",")}]`);
};
/** Between two portions it learns what has become durable meanwhile: those callers send more while the next portion is carried out. */
const takeSome = () => {
  flush();
  const portion = waiting.slice(0, PORTION);
  waiting = waiting.slice(PORTION);
  due = waiting.length > 0;
  hub.take(portion);
  if (due) setImmediate(takeSome);
};
const hub = new Hub((report: Report) => {
  if (report.kind === "bytes") {
    flush(); // what was said before stays before it
    port.postMessage(report, [report.value.buffer as ArrayBuffer]); // the memory below made it for this answer alone
    return;
  }
  outgoing.push(JSON.stringify(report));
  if (outgoing.length === 1) setImmediate(flush);
});
port.on("message", (first: string) => {
  const batches = [first];
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port))
    batches.push(more.message);
  for (const batch of batches) waiting.push(...(JSON.parse(batch) as Request[])); // `StoreThread` writes requests
  if (!due) takeSome();
});
