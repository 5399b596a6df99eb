import { parentPort } from "node:worker_threads";
import { assert } from "../lib/base/errors.js";
import type { Code } from "../tui/grammar/code.js";
import { paintCode } from "./grammars.js";

// The thread of the grammars: colours one piece of code after the other.
const port = parentPort;
assert(port, "this file runs as a thread");
port.on("message", (code: Pick<Code, "lang" | "lines">) => {
  paintCode(code).then(
    (painted) => port.postMessage(painted),
    () => port.postMessage(undefined),
  );
});
