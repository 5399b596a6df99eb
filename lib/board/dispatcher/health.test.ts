import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { AppError } from "../../base/errors.js";
import { type Log, silentLog } from "../../base/log/log.js";
import type { BoardSlug, EpochMs } from "../../base/units.js";
import { createHealth } from "./health.js";

const A = "a" as BoardSlug; // slugs by their form
const B = "b" as BoardSlug;
const BROKEN = new AppError("E_STORE", "damaged");

test("a board that cannot be opened is skipped with one message and holds up no one", async () => {
  const { health, warnings } = setup();
  const worked: string[] = [];
  const work = async (board: BoardSlug) => {
    if (board === A) throw BROKEN;
    worked.push(board);
  };
  await health.each([A, B], work);
  await health.each([A, B], work);
  assert.deepEqual(worked, ["b", "b"]);
  assert.equal(warnings.length, 1);
});

test("it is tried again after 5 minutes", async () => {
  const { health, clock } = setup();
  await health.each([A], () => Promise.reject(BROKEN));
  clock.advance(299_999);
  assert.deepEqual(await health.usable([A]), []);
  clock.advance(1);
  assert.deepEqual(await health.usable([A]), [A]);
});

test("it is tried again as soon as its file has changed", async () => {
  const { health, file } = setup();
  await health.each([A], () => Promise.reject(BROKEN));
  file.changedAt = 2;
  assert.deepEqual(await health.usable([A]), [A]);
});

test("a full disk sets no board aside", async () => {
  const { health } = setup();
  await health.each([A], () => Promise.reject(new AppError("E_STORE_FULL", "full")));
  assert.deepEqual(await health.usable([A]), [A]);
});

test("six passes that start nothing although they could are a stall, told once in 5 minutes", () => {
  const { health, clock, warnings } = setup();
  for (let pass = 0; pass < 5; pass++) health.passed(true);
  assert.equal(health.stalled, false);
  health.passed(true);
  assert.equal(health.stalled, true);
  health.passed(true);
  assert.equal(warnings.length, 1);
  clock.advance(300_000);
  health.passed(true);
  assert.equal(warnings.length, 2);
  health.passed(false);
  assert.equal(health.stalled, false);
});

function setup() {
  const clock = manualClock();
  const warnings: string[] = [];
  const file: { changedAt: EpochMs } = { changedAt: 1 };
  const log: Log = { ...silentLog, warning: (message) => warnings.push(message) };
  const health = createHealth({ clock, log, changedAt: async () => file.changedAt });
  return { clock, warnings, file, health };
}
