import { parentPort } from "node:worker_threads";
import { assert } from "../lib/base/errors.js";
import type { DocumentJob, DocumentText } from "../lib/contracts/web/document.js";
import { convertDocument } from "../lib/web/extract/convert.js";

// The thread of documents: reads one after the other. An empty answer: it could not be read.
const port = parentPort;
assert(port, "this file runs as a thread");
port.on("message", (job: DocumentJob) => {
  convertDocument(job).then(
    (text: DocumentText) => port.postMessage(text),
    () => port.postMessage(undefined),
  );
});
