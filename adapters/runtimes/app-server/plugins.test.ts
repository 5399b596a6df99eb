import assert from "node:assert/strict";
import { test } from "node:test";
import { type StubScript, stubAppServer } from "../../../fixtures/agents/stub-app-server.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { definedVariables } from "../../../lib/base/json/record.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import { systemClock } from "../../../lib/base/time/clock.js";
import { listPlugins } from "./plugins.js";

const parts = {
  spawner: systemSpawner,
  clock: systemClock,
  env: definedVariables({ PATH: process.env["PATH"] }),
  version: "1",
};
const never = new AbortController().signal;

test("plugins that are installed and available are listed by name and marketplace", async (t) => {
  const plugin = (name: string, more: object = {}) => ({ name, installed: true, enabled: true, ...more });
  const marketplaces = [
    {
      name: "m",
      plugins: [plugin("a"), plugin("b", { installed: false }), plugin("c", { availability: "DISABLED_BY_ADMIN" })],
    },
    { name: "n", plugins: [plugin("a", { availability: "AVAILABLE" })] },
  ];
  const stub = await stubAppServer(t, { on: { "plugin/list": [[{ notify: "later" }, { result: { marketplaces } }]] } });
  assert.deepEqual(await listPlugins(stub.program, parts, never), ["a@m", "a@n"]);
  assert.deepEqual(
    stub.received().map(({ method }) => method),
    ["initialize", "initialized", "plugin/list"],
  );
});

test("a program that refuses, speaks garbage, dies, hangs or is missing lists nothing and says why", async (t) => {
  const problem = async (script: StubScript, clock = systemClock) => {
    const stub = await stubAppServer(t, script);
    return listPlugins(stub.program, { ...parts, clock }, never);
  };
  const list = (action: Record<string, unknown>): StubScript => ({ on: { "plugin/list": [[action]] } });
  assert.deepEqual(await problem(list({ error: { code: -32600, message: "unknown variant" } })), {
    problem: "unknown variant",
  });
  assert.deepEqual(await problem(list({ result: { plugins: [] } })), { problem: "its answer has no marketplaces" });
  assert.deepEqual(await problem({ on: { initialize: [[{ raw: "hello" }, { exit: 3 }]] } }), {
    problem: "the app-server ended before it answered",
  });
  const clock = manualClock();
  const hangs = problem({ on: { initialize: [[{ hang: true }]] } }, clock);
  await clock.waitsFor(18_000);
  clock.advance(18_000);
  assert.deepEqual(await hangs, { problem: "no answer within 18 s" });
  assert.ok("problem" in (await listPlugins("/nowhere/codex", parts, never)));
});
