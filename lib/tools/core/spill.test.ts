import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { systemClock } from "../../base/time/clock.js";
import type { ToolCall } from "../../contracts/models/model.js";
import { createGuardrails } from "../run/guardrails.js";
import { type CallOutcome, runCalls } from "../run/pipeline.js";
import { defineTool } from "./define.js";

const MANY = { exact: 99, sameTool: 99, noProgress: 99 };

/** A tool whose result is the text that `make` gives for a number. */
const sized = (make: (count: number) => string) =>
  defineTool({
    name: "sized",
    toolset: "test",
    description: "sized",
    risk: "write",
    params: z.object({ count: z.number().default(0) }),
    effects: () => ({ reads: [], writes: [] }),
    limits: { ms: 0, chars: 0 },
    preview: () => "sized",
    run: async ({ count }) => ({ text: make(count) }),
  });

/** Calls of that tool in one response, each with a number. */
function setup(t: TestContext, make: (count: number) => string, redact = (text: string) => text) {
  const { context } = bench(t, { redact });
  const resultDir = join(context.home.cache, "results", "x");
  const ended: string[] = [];
  const deps = {
    tools: new Map([["sized", sized(make)]]),
    context: (callId: string, signal: AbortSignal) => ({ ...context, callId, signal }),
    signal: new AbortController().signal,
    guard: createGuardrails({ warnings: false, hardStop: false, warnAfter: MANY, stopAfter: MANY }),
    clock: context.ports.clock,
    resultDir,
  };
  const run = (counts: readonly number[]) => {
    const calls = counts.map(
      (count, index): ToolCall => ({ id: `c${index}`, name: "sized", arguments: JSON.stringify({ count }) }),
    );
    return runCalls(
      calls,
      deps,
      async () => undefined,
      async (outcome) => {
        ended.push(outcome.call.id);
      },
    );
  };
  const one = async (count = 0): Promise<CallOutcome> => {
    const [outcome] = await run([count]);
    assert.ok(outcome !== undefined);
    return outcome;
  };
  return { run, one, ended, resultDir };
}

test("a result too large goes to a file, redacted, and the conversation gets its beginning", async (t) => {
  const redact = (text: string) => text.replace("key", "[gone]");
  const { one, resultDir } = setup(t, () => `key ${"line of text\n".repeat(20_000)}`, redact);
  const outcome = await one();
  assert.match(outcome.content, /^<persisted-output>\nThis tool result was too large \(2600\d\d characters/);
  const path = join(resultDir, "c0.txt");
  assert.ok(outcome.content.includes(`Full output saved to: ${path}`));
  assert.ok(readFileSync(path, "utf8").startsWith("[gone] line of text"));
});

test("a batch holds at most 200,000 characters: the largest go to files first, and every result is stored once", async (t) => {
  const { run, ended } = setup(t, (count) => "x".repeat(count));
  const outcomes = await run([60_000, 90_000, 30_000, 80_000, 10_000]);
  assert.deepEqual(
    outcomes.map((one) => (one.content.startsWith("<persisted-output>") ? "file" : one.content.length)),
    [60_000, "file", 30_000, 80_000, 10_000],
  );
  assert.ok(outcomes.reduce((sum, one) => sum + one.content.length, 0) <= 200_000);
  assert.deepEqual(new Set(ended), new Set(["c0", "c1", "c2", "c3", "c4"]));
  assert.equal(ended.length, 5);
});

test("two results of the largest size stay whole beside each other", async (t) => {
  const outcomes = await setup(t, (count) => `${count}${"x".repeat(99_999)}`).run([1, 2]);
  assert.deepEqual(
    outcomes.map((one) => one.content.length),
    [100_000, 100_000],
  );
});

test("limits count characters as people do: 100,000 emoji are not too many, and no cut splits one", async (t) => {
  const { one } = setup(t, (count) => "\u{1f600}".repeat(count));
  assert.equal((await one(100_000)).content.length, 200_000);
  const { content } = await one(100_001);
  assert.match(content, /^<persisted-output>\nThis tool result was too large \(100001 characters, 391 KB\)/);
  assert.equal(content.isWellFormed(), true);
  const preview = content.split("\n").find((line) => line.startsWith("\u{1f600}"));
  assert.equal([...(preview ?? "")].length, 1_500);
});

test("where a large result cannot be saved, the conversation gets its beginning and how much there was", async (t) => {
  const { one, resultDir } = setup(t, () => "line\n".repeat(30_000));
  mkdirSync(dirname(resultDir), { recursive: true });
  writeFileSync(resultDir, "in the way");
  assert.match(
    (await one()).content,
    /^line\n[\s\S]*\n\[Truncated: tool response was 150000 chars\. Full output could not be saved\.\]$/,
  );
});

test("results that no one has changed for 30 days go when a new one is kept", async (t) => {
  const { one, resultDir } = setup(t, () => "line\n".repeat(30_000));
  const old = join(dirname(resultDir), "gone", "a.txt");
  const young = join(dirname(resultDir), "kept", "b.txt");
  for (const path of [old, young]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "x");
  }
  const days = (count: number) => new Date(systemClock.now() - count * 86_400_000);
  utimesSync(old, days(31), days(31));
  utimesSync(young, days(29), days(29));
  await one();
  assert.deepEqual([existsSync(dirname(old)), existsSync(young)], [false, true]);
});
