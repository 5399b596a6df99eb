import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { type Limits, watchDeadlines } from "./turn-deadlines.js";
import { followTurnEvent, newProgress } from "./turn-progress.js";

const NONE: Limits = { request: 0, turn: 0, quiet: 0, warning: 0, life: 0 };

function watched(limits: Partial<Limits>) {
  const clock = manualClock();
  const progress = newProgress(clock.mono());
  const told: string[] = [];
  const deadlines = watchDeadlines({
    clock,
    progress,
    limits: () => ({ ...NONE, ...limits }),
    acts: {
      end: (which, limit) => told.push(`end ${which} ${limit} at ${clock.mono()}`),
      warn: (quiet) => told.push(`warn ${quiet}`),
      life: (running) => told.push(`life ${running}`),
    },
  });
  const event = (name: string, data: Readonly<Record<string, unknown>> = {}) => {
    followTurnEvent(progress, { event: name, data }, clock.mono());
    deadlines.look();
  };
  const phase = (name: string) => event("turn.phase", { phase: name });
  return { clock, told, event, phase, deadlines };
}

test("a request that is retried again and again ends the turn at its limit", () => {
  const { clock, told, phase } = watched({ request: 10_000 });
  phase("waiting_model");
  for (let at = 0; at < 12; at++) {
    clock.advance(1_000);
    phase("retry");
    phase("waiting_model");
  }
  assert.deepEqual(told, ["end request 10000 at 10000"]);
  assert.equal(clock.waiting, 0);
});

test("each request of a turn has its own time", () => {
  const { clock, told, phase, event } = watched({ request: 10_000 });
  phase("waiting_model");
  clock.advance(8_000);
  event("message.added", { role: "assistant" });
  event("tool.started", { name: "terminal" });
  clock.advance(60_000);
  event("tool.ended");
  phase("waiting_model");
  clock.advance(9_000);
  assert.deepEqual(told, []);
  clock.advance(1_000);
  assert.deepEqual(told, ["end request 10000 at 78000"]);
});

test("a turn has its limit without the time that it waits for people", () => {
  const { clock, told, phase } = watched({ turn: 100_000, quiet: 50_000 });
  clock.advance(40_000);
  phase("approval");
  clock.advance(500_000);
  phase("tool");
  clock.advance(49_000);
  phase("waiting_model");
  clock.advance(10_000);
  phase("question");
  clock.advance(500_000);
  phase("tool");
  assert.deepEqual(told, []);
  clock.advance(1_000);
  assert.deepEqual(told, ["end turn 100000 at 1100000"]);
});

test("a turn in which nothing happens is told once and then stopped, and retries are nothing", () => {
  const { clock, told, phase, event } = watched({ quiet: 30_000, warning: 20_000 });
  phase("waiting_model");
  clock.advance(15_000);
  phase("retry");
  phase("waiting_model");
  clock.advance(5_000);
  assert.deepEqual(told, ["warn 20000"]);
  event("text.delta");
  clock.advance(29_000);
  assert.deepEqual(told, ["warn 20000", "warn 20000"]);
  clock.advance(1_000);
  assert.equal(told.at(-1), "end quiet 30000 at 50000");
});

test("signs of life come in their interval, but not while someone is waited for, and end with the turn", () => {
  const { clock, told, phase, deadlines } = watched({ life: 180_000 });
  clock.advance(360_000);
  phase("approval");
  clock.advance(180_000);
  phase("tool");
  clock.advance(180_000);
  deadlines.stop();
  clock.advance(360_000);
  assert.deepEqual(told, ["life 180000", "life 360000", "life 720000"]);
  assert.equal(clock.waiting, 0);
});
