import assert from "node:assert/strict";
import { test } from "node:test";
import type { EpochMs } from "../base/units.js";
import { traceMessages } from "./worker-trace.js";

const AT = Date.parse("2026-03-01T12:03:45Z") as EpochMs;
const USAGE = { input: 900, output: 12, cacheRead: 100, cacheWrite: 0, reasoning: 0 };

test("the task log has a line for each answer of the model, each call and each result", () => {
  const call = { id: "1", name: "terminal", arguments: '{"command":"npm test"}' };
  assert.deepEqual(traceMessages([{ role: "assistant", content: "I run the\ntests.", toolCalls: [call] }], AT, USAGE), [
    "· 12:03:45 model (1000 in, 12 out): I run the tests.",
    '· 12:03:45 call terminal {"command":"npm test"}',
  ]);
  assert.deepEqual(
    traceMessages(
      [{ role: "tool", content: "1 failed\nmore", toolName: "terminal", status: "error", durationMs: 1520 }],
      AT,
      undefined,
    ),
    ["· 12:03:45 result terminal error in 1.5 s: 1 failed more"],
  );
});

test("an answer of calls alone says how many, long texts are cut, and what people type is not repeated", () => {
  const calls = ["a", "b"].map((name) => ({ id: name, name, arguments: "" }));
  assert.deepEqual(traceMessages([{ role: "assistant", content: "", toolCalls: calls }], AT, undefined), [
    "· 12:03:45 model: 2 calls",
    "· 12:03:45 call a",
    "· 12:03:45 call b",
  ]);
  const [line = ""] = traceMessages([{ role: "assistant", content: `x\u001b[31m${"y".repeat(5000)}` }], AT, undefined);
  assert.ok(line.length < 240 && !line.includes("\u001b"), line);
  assert.deepEqual(traceMessages([{ role: "user", content: "hi" }], AT, undefined), []);
});
