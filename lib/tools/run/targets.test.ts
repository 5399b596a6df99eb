import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { ToolCall } from "../../contracts/models/model.js";
import { TOOLS } from "../index.gen.js";
import { createGuardrails } from "./guardrails.js";
import { type CallOutcome, runCalls } from "./pipeline.js";

const GUARD = {
  warnings: true,
  hardStop: true,
  warnAfter: { exact: 1, sameTool: 99, noProgress: 9 },
  stopAfter: { exact: 1, sameTool: 99, noProgress: 9 },
};

async function setup(t: TestContext) {
  const { context } = bench(t, {});
  const wanted = TOOLS.filter(({ name }) => ["write_file", "patch", "read_file"].includes(name));
  const tools = new Map(await Promise.all(wanted.map(async (entry) => [entry.name, await entry.load()] as const)));
  const guard = createGuardrails(GUARD);
  const run = (...calls: ToolCall[]): Promise<readonly CallOutcome[]> =>
    runCalls(
      calls,
      {
        tools,
        guard,
        signal: new AbortController().signal,
        clock: context.ports.clock,
        resultDir: join(context.home.cache, "r"),
        context: (callId, signal) => ({ ...context, callId, signal }),
      },
      async () => undefined,
      async () => undefined,
    );
  const cwd = realpathSync(context.state.cwd);
  return { run, at: (name: string) => join(cwd, name) };
}

let count = 0;
const call = (name: string, args: unknown): ToolCall => {
  count += 1;
  return { id: `c${count}`, name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
};

const V4A = "*** Update File: a.txt\n@@\n-x\n+y\n*** Delete File: b.txt\n*** Move File: c.txt -> d.txt\n";
const MISSED: readonly { name: string; call: ToolCall; paths: readonly string[] }[] = [
  { name: "a patch without a text to look for", call: call("patch", { path: "a.txt" }), paths: ["a.txt"] },
  { name: "a write without content", call: call("write_file", { path: "a.txt" }), paths: ["a.txt"] },
  {
    name: "a write whose content is no text",
    call: call("write_file", { path: "a.txt", content: { x: 1 } }),
    paths: ["a.txt"],
  },
  {
    name: "a patch of several files of which none is there, d.txt the new name of one,",
    call: call("patch", { mode: "patch", patch: V4A }),
    paths: ["a.txt", "b.txt", "c.txt"],
  },
  {
    name: "a patch with wrong arguments beside its text",
    call: call("patch", { mode: 7, patch: V4A }),
    paths: ["a.txt", "b.txt", "c.txt", "d.txt"],
  },
  { name: "a read of a file that is not there", call: call("read_file", { path: "a.txt" }), paths: [] },
];

for (const { name, call: made, paths } of MISSED) {
  test(`${name} did not change ${paths.length === 0 ? "anything" : paths.join(", ")}`, async (t) => {
    const { run, at } = await setup(t);
    const [outcome] = await run(made);
    assert.deepEqual([...(outcome?.filesNotChanged ?? [])].toSorted(), paths.map(at), outcome?.content);
  });
}

test("a call beside one of an unknown name did not change its file", async (t) => {
  const { run, at } = await setup(t);
  const [, outcome] = await run(call("no_such", {}), call("write_file", { path: "a.txt", content: "x" }));
  assert.deepEqual([outcome?.status, outcome?.filesNotChanged], ["skipped", [at("a.txt")]]);
});

test("a call that the loop guard blocks before it runs did not change its file", async (t) => {
  const { run, at } = await setup(t);
  const args = { path: "a.txt", old_string: "nowhere", new_string: "x" };
  await run(call("patch", args));
  const [outcome] = await run(call("patch", args));
  assert.deepEqual([outcome?.status, outcome?.filesNotChanged], ["blocked", [at("a.txt")]]);
});
