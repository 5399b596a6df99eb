import assert from "node:assert/strict";
import test from "node:test";
import { captureOutput } from "./capture.js";

test("what others write goes to the log, line by line, and the streams are their own again afterwards", async () => {
  const own = [process.stdout.write, process.stderr.write, process.listeners("warning")];
  const lines: string[] = [];
  const capture = captureOutput((line) => lines.push(line));
  try {
    process.stderr.write("from a package\nand more\n");
    await new Promise<void>((resolve) => process.stdout.write(Buffer.from("bytes"), () => resolve()));
    const warned = new Promise((resolve) => process.once("warning", resolve));
    process.emitWarning("too many listeners");
    await warned;
  } finally {
    capture.release();
  }
  assert.deepEqual(lines, ["from a package", "and more", "bytes", "Warning: too many listeners"]);
  assert.deepEqual([process.stdout.write, process.stderr.write, process.listeners("warning")], own);
});
