import { parentPort, workerData } from "node:worker_threads";
import { assert, toWireError } from "../../lib/base/errors.js";
import { FileEngine } from "./engine.js";
import { execute } from "./ops.js";
import type { Reply, Request, ThreadSetup } from "./thread-client.js";

// The thread of the session store: carries out one operation after the other and answers a batch when all of it is done.
const port = parentPort;
assert(port, "this file runs as a thread");
const setup = workerData as ThreadSetup; // `threadConnection` starts this file with nothing else
const engine = new FileEngine({ ...setup, now: () => Date.now() });
let tail: Promise<void> = Promise.resolve();

port.on("message", (batch: readonly Request[]) => {
  tail = tail.then(async () => {
    const replies: Reply[] = [];
    for (const { id, op } of batch) {
      try {
        replies.push({ id, value: await execute(engine, op) });
      } catch (error) {
        replies.push({ id, error: toWireError(error) });
      }
    }
    port.postMessage(replies);
  });
});
