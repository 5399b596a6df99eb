import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { systemClock } from "../../lib/base/clock.js";
import { assert } from "../../lib/base/errors.js";
import { collectWhenQuiet, objectMemory } from "../../lib/base/quiet-memory.js";
import { Hub } from "./hub.js";
import type { Report, Request } from "./protocol.js";

// The thread of all sqljs stores. What happens in one turn of its event loop leaves as one message.
const port = parentPort;
assert(port, "this file runs as a thread");
let outgoing: string[] = [];
const flush = () => {
  if (outgoing.length === 0) return;
  const batch = outgoing;
  outgoing = [];
  port.postMessage(`[${batch.join(",")}]`);
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
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) batches.push(more.message);
  hub.take(batches.flatMap((batch) => JSON.parse(batch) as Request[])); // `StoreThread` writes requests
});
collectWhenQuiet(systemClock, objectMemory);
