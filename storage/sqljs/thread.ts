import { parentPort } from "node:worker_threads";
import { assert } from "../../lib/base/errors.js";
import { Hub } from "./hub.js";
import type { Report, Request } from "./protocol.js";

// The thread of all sqljs stores. What happens in one turn of its event loop leaves as one message.
const port = parentPort;
assert(port, "this file runs as a thread");
let outgoing: string[] = [];
const flush = () => {
  const batch = outgoing;
  outgoing = [];
  port.postMessage(`[${batch.join(",")}]`);
};
const hub = new Hub((report: Report) => {
  outgoing.push(JSON.stringify(report));
  if (outgoing.length === 1) setImmediate(flush);
});
port.on("message", (batch: string) => hub.take(JSON.parse(batch) as Request[])); // `StoreThread` writes requests
