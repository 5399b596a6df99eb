import { parentPort } from "node:worker_threads";
import { assert } from "../../lib/base/errors.js";
import { Hub } from "./hub.js";
import type { Report, Request } from "./protocol.js";

// The thread of all sqljs stores. What happens in one turn of its event loop leaves as one message.
const port = parentPort;
assert(port, "this file runs as a thread");
let outgoing: Report[] = [];
const flush = () => {
  const batch = outgoing;
  outgoing = [];
  port.postMessage(batch);
};
const hub = new Hub((report) => {
  outgoing.push(report);
  if (outgoing.length === 1) setImmediate(flush);
});
port.on("message", (batch: readonly Request[]) => hub.take(batch));
