import assert from "node:assert/strict";
import { test } from "node:test";
import { feedWorld, turns } from "../../../fixtures/dashboard/feed.js";
import { createEventLog } from "../../../fixtures/sim/event-log.js";

test("an event is written once, and the same bytes go to everybody", async () => {
  const { log, watch } = feedWorld();
  const sinks = Array.from({ length: 5 }, () => watch("latest"));
  await turns();
  log.emit({ kind: "created" });
  await turns();
  const bytes = new Set(sinks.map((sink) => sink.frames.at(-1)?.socketBytes()));
  assert.equal(bytes.size, 1);
  assert.deepEqual(sinks[0]?.ids(), [1]);
});

test("the first event is reported at once, what follows closely leaves together within 40 ms", async () => {
  const { log, watch, clock } = feedWorld();
  const sink = watch("latest");
  await turns();
  log.emit({});
  await turns();
  assert.deepEqual(sink.ids(), [1]);
  for (let n = 0; n < 10; n++) {
    log.emit({});
    await turns(3);
  }
  assert.deepEqual(sink.ids(), [1]);
  clock.advance(40);
  assert.equal(sink.frames.length, 3, "hello and two frames");
  assert.equal(sink.ids().length, 11);
});

test("nothing is reported and no timer waits while nothing happens", async () => {
  const { log, watch, clock } = feedWorld();
  const sink = watch("latest");
  await turns();
  const { reads } = log;
  clock.advance(3_600_000);
  await turns();
  assert.equal(sink.frames.length, 1);
  assert.deepEqual([clock.waiting, log.reads], [0, reads]);
});

test("a quick watcher to whom much comes at once reads it at its own pace", async () => {
  const { log, watch } = feedWorld();
  const sink = watch("latest");
  await turns();
  const payload = { text: "x".repeat(20_000) };
  log.emit(...Array.from({ length: 100 }, () => ({ payload })));
  await turns(200);
  assert.equal(sink.why, undefined);
  assert.deepEqual(
    sink.ids(),
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
});

test("a watcher that is behind gets nothing until it has room, and keeps no one waiting", async () => {
  const { log, watch, clock } = feedWorld();
  for (let n = 0; n < 300; n++) log.emit({});
  const slow = watch(0);
  slow.waits(500_000);
  const quick = watch(0);
  await turns(100);
  log.emit({});
  await turns();
  clock.advance(40);
  assert.equal(quick.ids().length, 301);
  assert.equal(slow.ids().length, 0);
  slow.waits(0);
  await turns(100);
  assert.deepEqual(slow.ids(), quick.ids());
});

test("an event that is too long keeps its place and loses its data", async () => {
  const { log, watch } = feedWorld();
  const sink = watch("latest");
  await turns();
  log.emit({ kind: "specified", payload: { previous: "x".repeat(300_000) } });
  await turns(100);
  assert.match(sink.frames.at(-1)?.text ?? "", /"kind":"specified","payload":\{"truncated":true\}/);
});

test("events that were pruned while someone was behind are reported as a reset", async () => {
  const { log, watch } = feedWorld();
  for (let n = 0; n < 500; n++) log.emit({});
  const sink = watch(0);
  sink.waits(1);
  await turns(50);
  log.prune(450);
  sink.waits(0);
  await turns(200);
  assert.deepEqual(sink.ids(), []);
  assert.ok(sink.frames.some(({ text }) => text === '{"type":"reset","cursor":500}'));
  log.emit({});
  await turns();
  assert.equal(sink.ids().at(-1), 501);
});

test("a store that is closed and opened again goes on where it was", async () => {
  const { log, watch, close, open, clock } = feedWorld();
  const sink = watch("latest");
  await turns();
  log.emit({});
  await turns();
  close();
  await turns();
  log.emitUntold({});
  open();
  await turns();
  clock.advance(1_000);
  await turns(100);
  assert.deepEqual(sink.ids(), [1, 2]);
});

test("another store in the place of the old one is reported as a reset", async () => {
  const { log, watch, close, open, clock } = feedWorld();
  for (let n = 0; n < 50; n++) log.emit({});
  const sink = watch("latest");
  await turns();
  close();
  await turns();
  const other = createEventLog("board:x");
  other.emit({}, {});
  open(other);
  clock.advance(1_000);
  await turns(100);
  assert.equal(sink.frames.at(-1)?.text, '{"type":"reset","cursor":2}');
  other.emit({});
  await turns();
  clock.advance(40);
  await turns();
  assert.deepEqual(sink.ids(), [3]);
});

test("a board that no one has written is followed from its first event on", async () => {
  const { watch, open, log } = feedWorld({ written: false });
  const sink = watch(0);
  await turns();
  log.emitUntold({});
  open();
  await turns(100);
  assert.deepEqual(sink.ids(), [1]);
});

test("watchers of a board that is removed are told that it is over", async () => {
  const { watch, remove, clock } = feedWorld();
  const sink = watch("latest");
  await turns();
  remove();
  await turns();
  clock.advance(1_000);
  await turns();
  assert.equal(sink.why, "over");
});

test("a board is followed while someone watches it, and nothing is left behind afterwards", async () => {
  const { watch, streams, clock, log } = feedWorld();
  const sinks = [watch("latest"), watch(0)];
  await turns();
  assert.deepEqual([streams.followed(), log.listeners], [1, 1]);
  for (const sink of sinks) sink.leave();
  await turns();
  assert.deepEqual([streams.followed(), clock.waiting], [0, 0]);
  assert.equal(log.listeners, 0);
});
