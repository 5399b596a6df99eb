import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { type AnyTool, defineTool, type Effects } from "../core/define.js";
import patch from "../file/patch.js";
import writeFile from "../file/write-file.js";
import terminal from "../shell/terminal.js";
import { createGuardrails } from "./guardrails.js";
import { runCalls } from "./pipeline.js";

const silent = { exact: 99, sameTool: 99, noProgress: 99 };

/** One call whose start is not durable until `begin` is called. `asked` resolves when its permission was looked up. */
function held(t: TestContext, tool: AnyTool, args: object) {
  const { context, project } = bench(t);
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let told: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    told = resolve;
  });
  const permit: typeof context.permit = async () => {
    told();
    return { allowed: true, by: "no risk" };
  };
  writeFileSync(join(project, "f"), "old\n");
  const run = () =>
    runCalls(
      [{ id: "c", name: tool.name, arguments: JSON.stringify(args) }],
      {
        tools: new Map([[tool.name, tool]]),
        context: (callId, signal) => ({ ...context, callId, signal, permit }),
        signal: context.signal,
        guard: createGuardrails({ warnings: false, hardStop: false, warnAfter: silent, stopAfter: silent }),
        clock: context.ports.clock,
        resultDir: join(context.home.cache, "results"),
      },
      () => begun,
      async () => undefined,
    );
  return { run, begin, asked, project, path: (name: string) => join(project, name) };
}

/** Everything that can go on without the start has gone on. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const WRITING: readonly (readonly [string, AnyTool, object])[] = [
  ["a command", terminal, { command: "printf new > f" }],
  ["write_file", writeFile, { path: "f", content: "new" }],
  ["patch", patch, { mode: "replace", path: "f", old_string: "old\n", new_string: "new" }],
];

for (const [name, tool, args] of WRITING) {
  test(`${name} changes nothing before its start is durable, and is looked up meanwhile`, async (t) => {
    const { run, begin, asked, path } = held(t, tool, args);
    const outcomes = run();
    await asked;
    await settled();
    assert.equal(readFileSync(path("f"), "utf8"), "old\n");
    begin();
    const [outcome] = await outcomes;
    assert.equal(outcome?.status, "ok", outcome?.content);
    assert.equal(readFileSync(path("f"), "utf8"), "new");
  });
}

test("a command whose start could not be stored does not run", async (t) => {
  const { context, project } = bench(t);
  const failed = runCalls(
    [{ id: "c", name: "terminal", arguments: JSON.stringify({ command: "touch made" }) }],
    {
      tools: new Map([["terminal", terminal]]),
      context: (callId, signal) => ({ ...context, callId, signal }),
      signal: context.signal,
      guard: createGuardrails({ warnings: false, hardStop: false, warnAfter: silent, stopAfter: silent }),
      clock: context.ports.clock,
      resultDir: join(context.home.cache, "results"),
    },
    async () => {
      throw new Error("the disk is full");
    },
    async () => undefined,
  );
  await assert.rejects(failed, /the disk is full/);
  assert.equal(existsSync(join(project, "made")), false);
});

function spy(effects: Effects, ran: () => void): AnyTool {
  const run = async () => {
    ran();
    return { text: "done" };
  };
  const face = { name: "spy", toolset: "test", description: "spy", preview: () => "spy", params: z.object({}) };
  return defineTool({ ...face, risk: "external", effects: () => effects, limits: { ms: 0, chars: 0 }, run });
}

for (const writes of [[], ["world"], ["board"], ["path:/x"]]) {
  test(`a tool that writes ${writes.join() || "nothing"} ${writes.length === 0 ? "does not wait" : "waits"} until its start is durable`, async (t) => {
    let runs = 0;
    const tool = spy({ reads: ["net"], writes }, () => {
      runs += 1;
    });
    const { run, begin, asked } = held(t, tool, {});
    let ended = false;
    const outcomes = run().then((done) => {
      ended = true;
      return done;
    });
    await asked;
    await settled();
    assert.equal(runs, writes.length === 0 ? 1 : 0);
    assert.equal(ended, false); // its result never comes before its start
    begin();
    assert.equal((await outcomes)[0]?.content, "done");
    assert.equal(runs, 1);
  });
}
