import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { bench, plainStream } from "../../../fixtures/worlds/tool-context.js";
import { createOutputProgress } from "./progress.js";

/** A command that runs; `say` is its output, `told` what the screen has of it. */
function command(t: Parameters<typeof bench>[0]) {
  const { context } = bench(t);
  const clock = manualClock();
  const told: string[] = [];
  const progress = createOutputProgress({
    ports: { ...context.ports, clock },
    redactStream: () => plainStream((text) => text),
    progress: (text) => told.push(text),
  });
  return { clock, told, say: (text: string) => progress.add(Buffer.from(text)), end: progress.end };
}

test("the first line of a command is reported at once, also by a process that is as young as its clock", (t) => {
  const { clock, told, say } = command(t);
  assert.equal(clock.mono(), 0);
  say("begun\n");
  assert.deepEqual(told, ["begun\n"]);
});

test("lines that come soon after another one are told together 100 ms behind it, though nothing follows them", (t) => {
  const { clock, told, say } = command(t);
  say("one\n");
  clock.advance(40);
  say("two\nthree\nfo");
  clock.advance(59);
  assert.deepEqual(told, ["one\n"]);
  clock.advance(1);
  assert.deepEqual(told, ["one\n", "two\nthree\n"]);
  clock.advance(500);
  say("ur\n");
  assert.deepEqual(told.slice(2), ["four\n"]);
});

test("a command that has ended tells nothing more, and leaves no timer", (t) => {
  const { clock, told, say, end } = command(t);
  say("one\n");
  say("two\n");
  end();
  assert.equal(clock.waiting, 0);
  clock.advance(500);
  assert.deepEqual(told, ["one\n"]);
});

test("a long line without an end that has pushed out what waited tells nothing by itself", (t) => {
  const { clock, told, say } = command(t);
  say("one\n");
  say("two\n");
  say("x".repeat(10_000));
  clock.advance(500);
  assert.deepEqual(told, ["one\n"]);
  say("\n");
  assert.deepEqual(told.slice(1), [`${"x".repeat(8_191)}\n`]);
});
