import assert from "node:assert/strict";
import { test } from "node:test";
import { type Log, silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import { createPrefixLog } from "./prefix-log.js";

const tool = (name: string, description = "") => ({ name, description, schema: {} });

test("the log names why the beginning of the requests has changed, and is silent while it stays", () => {
  const causes: unknown[] = [];
  const log: Log = { ...silentLog, info: (_text, data) => causes.push(data?.["cause"]) };
  const prefix = createPrefixLog(log);
  const session = (id: string) => ({ id: id as SessionId });
  const sent = (id: string, model: string, system: string, tools: readonly ReturnType<typeof tool>[]) =>
    prefix.sent(session(id), { model, system, tools });
  sent("a", "m", "one", [tool("x")]);
  sent("a", "m", "one", [tool("x")]);
  assert.deepEqual(causes, []);
  sent("a", "m", "one", [tool("x", "other"), tool("y")]);
  sent("a", "n", "two", [tool("y")]);
  sent("b", "n", "three", [tool("y")]);
  sent("b", "n", "four", [tool("y")]);
  assert.deepEqual(causes, [
    "tools added: y; tools changed: x",
    "model n instead of m; tools removed: x",
    "compaction",
    "the prompt was made anew",
  ]);
});
