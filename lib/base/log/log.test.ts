import assert from "node:assert/strict";
import { test } from "node:test";
import { type Log, lateLog, silentLog } from "./log.js";

test("a log that cannot be made takes nothing with it", async () => {
  const log = lateLog(() => Promise.reject(new Error("no module")));
  log.child("tools").warning("something");
  log.info("something else");
  await log.flush();
});

test("lines of a late log come in order, each under its component", async () => {
  const lines: string[] = [];
  const of = (name: string): Log => ({ ...silentLog, info: (text) => void lines.push(`${name}: ${text}`), child: of });
  const log = lateLog(async () => of("agent"));
  log.info("one");
  log.child("tools").info("two");
  log.info("three");
  await log.flush();
  assert.deepEqual(lines, ["agent: one", "tools: two", "agent: three"]);
});
