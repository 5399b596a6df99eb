import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog } from "../../fixtures/sim/event-log.js";
import type { StoredEvent } from "../../storage/store.js";
import { createBus, type LiveDelta } from "./bus.js";
import { createPendingDeltas } from "./deltas.js";
import type { CursorItem } from "./feed.js";
import { inBatches } from "./wire-events.js";

test("a follower gets history and what is committed while it reads, once and in order", async () => {
  const { bus, log, control } = setup();
  emit(log, 600);
  const seen: number[] = [];
  for await (const event of bus.after("s", 100, control.signal)) {
    seen.push(event.seq);
    if (event.seq % 100 === 0 && event.seq <= 600) emit(log, 10);
    if (event.seq === 650) control.abort();
  }
  assert.deepEqual(seen, range(101, 650));
});

test("a store that no one has used yet is opened for the first follower; one that there is not is unknown", async () => {
  const { bus, log } = setup();
  emit(log, 3);
  const asked: string[] = [];
  bus.onMissing(async (name) => {
    asked.push(name);
    if (name === "late") bus.addStore({ ...log, name });
  });
  assert.equal(await bus.lastSeq("late"), 3);
  assert.equal(await bus.lastSeq("late"), 3);
  await assert.rejects(bus.lastSeq("never"), { code: "E_NOT_FOUND" });
  assert.deepEqual(asked, ["late", "never"]);
});

test("a commit that the store did not tell of is fetched when the next one is reported", async () => {
  const { bus, log, control } = setup();
  const events = bus.after("s", 0, control.signal)[Symbol.asyncIterator]();
  const first = events.next();
  emit(log, 1);
  assert.equal((await first).value?.seq, 1);
  log.emitUntold({});
  emit(log, 1);
  assert.deepEqual([(await events.next()).value?.seq, (await events.next()).value?.seq], [2, 3]);
});

test("a follower that waited when the store did not tell of a commit misses nothing of it", async () => {
  const { bus, log, control } = setup();
  const events = bus.after("s", 0, control.signal)[Symbol.asyncIterator]();
  const first = events.next();
  emit(log, 1);
  assert.equal((await first).value?.seq, 1);
  const second = events.next();
  await new Promise(setImmediate);
  log.emitUntold({});
  emit(log, 1);
  assert.deepEqual([(await second).value?.seq, (await events.next()).value?.seq], [2, 3]);
});

test("a follower that waits is woken by the next commit", async () => {
  const { bus, log, control } = setup();
  const events = bus.after("s", 0, control.signal)[Symbol.asyncIterator]();
  const first = events.next();
  emit(log, 1);
  assert.equal((await first).value?.seq, 1);
  const second = events.next();
  emit(log, 1);
  assert.equal((await second).value?.seq, 2);
});

test("a slow follower holds no one up, keeps little, and reads the rest from the store", async () => {
  const { bus, log, control } = setup();
  const slow = bus.after("s", 0, control.signal)[Symbol.asyncIterator]();
  const fast = bus.after("s", 0, control.signal)[Symbol.asyncIterator]();
  const begun = slow.next();
  emit(log, 1);
  assert.equal((await begun).value?.seq, 1);
  for (let n = 1; n <= 5000; n++) {
    assert.equal((await fast.next()).value?.seq, n);
    if (n < 5000) emit(log, 1);
  }
  const reads = log.reads;
  for (let n = 2; n <= 5000; n++) assert.equal((await slow.next()).value?.seq, n);
  assert.ok(log.reads > reads, "memory held everything");
});

test("a cursor whose events were pruned, and one that lies ahead, are told to start afresh", async () => {
  const { bus, log, control } = setup();
  emit(log, 10);
  log.prune(5);
  for (const cursor of [3, 11]) {
    const items = bus.follow("s", cursor, control.signal)[Symbol.asyncIterator]();
    assert.deepEqual((await items.next()).value, { kind: "reset", lastSeq: 10 });
  }
  for (const cursor of [5, 9])
    assert.equal(
      seqs((await bus.follow("s", cursor, control.signal)[Symbol.asyncIterator]().next()).value)[0],
      cursor + 1,
    );
  log.prune(10);
  assert.equal((await bus.follow("s", 9, control.signal)[Symbol.asyncIterator]().next()).value?.kind, "reset");
  await assert.rejects(bus.after("s", 12, control.signal)[Symbol.asyncIterator]().next(), { code: "E_STATE" });
});

test("after a reset the events that follow are reported", async () => {
  const { bus, log, control } = setup();
  emit(log, 3);
  const items = bus.follow("s", 99, control.signal)[Symbol.asyncIterator]();
  await items.next();
  emit(log, 1);
  assert.deepEqual(seqs((await items.next()).value), [4]);
});

test("events purged in the middle are no reason to start afresh", async () => {
  const { bus, log, control } = setup();
  emit(log, 5);
  log.purge(3);
  const events = bus.follow("s", 1, control.signal)[Symbol.asyncIterator]();
  assert.deepEqual(seqs((await events.next()).value), [2, 4, 5]);
});

test("followers end when their store is removed or their signal aborts, and leave nothing behind", async () => {
  const { bus, log, control, remove } = setup();
  const ended = (async () => {
    for await (const _event of bus.after("s", 0, new AbortController().signal)) assert.fail("nothing happened");
  })();
  const aborted = (async () => {
    for await (const _event of bus.after("s", 0, control.signal)) assert.fail("nothing happened");
  })();
  control.abort();
  await aborted;
  remove();
  await ended;
  assert.equal(log.listeners, 0);
  assert.deepEqual(bus.stores(), []);
  assert.throws(() => bus.after("s", 0, control.signal), { code: "E_NOT_FOUND" });
});

test("a delta reaches those who listen to its topic, as long as they do", () => {
  const { bus } = setup();
  const heard: string[] = [];
  const forget = bus.onDelta("a", (delta) => heard.push(delta.event));
  bus.onDelta("b", (delta) => heard.push(`b:${delta.event}`));
  bus.delta("a", delta("one"));
  forget();
  bus.delta("a", delta("two"));
  bus.delta("b", delta("three"));
  assert.deepEqual(heard, ["one", "b:three"]);
});

test("deltas that wait are merged: texts joined, states replaced by the newest", () => {
  const pending = createPendingDeltas();
  pending.add("s", delta("text.delta", { text: "Hel" }));
  pending.add("s", delta("turn.phase", { phase: "thinking" }));
  pending.add("s", delta("text.delta", { text: "lo" }));
  pending.add("s", delta("turn.phase", { phase: "writing" }));
  pending.add("t", delta("text.delta", { text: "other" }));
  pending.add("s", delta("tool.progress", { call_id: "1", text: "a" }));
  pending.add("s", delta("tool.progress", { call_id: "2", text: "b" }));
  assert.deepEqual(
    pending.take().map(({ topic, delta: { event, data } }) => [topic, event, data["text"] ?? data["phase"]]),
    [
      ["s", "text.delta", "Hello"],
      ["s", "turn.phase", "writing"],
      ["t", "text.delta", "other"],
      ["s", "tool.progress", "a"],
      ["s", "tool.progress", "b"],
    ],
  );
  assert.equal(pending.size, 0);
});

test("the offset of joined text is that of its first character, and another answer is not joined to the one before", () => {
  const pending = createPendingDeltas();
  const waiting = () => pending.take().map(({ delta: { data } }) => [data["offset"], data["text"]]);
  pending.add("s", delta("text.delta", { text: "lo ", offset: 3 }));
  pending.add("s", delta("text.delta", { text: "wor", offset: 6 }));
  pending.add("s", delta("text.delta", { text: "ld", offset: 9 }));
  assert.deepEqual(waiting(), [[3, "lo world"]]);
  pending.add("s", delta("text.delta", { text: "the end", offset: 40 }));
  pending.add("s", delta("text.delta", { text: "Next", offset: 0 }));
  assert.deepEqual(waiting(), [[0, "Next"]]);
});

test("a void text is not shown to a slow client at all", () => {
  const pending = createPendingDeltas();
  pending.add("s", delta("text.delta", { text: "wrong" }));
  pending.add("s", delta("text.reset"));
  pending.add("s", delta("text.delta", { text: "right" }));
  assert.deepEqual(
    pending.take().map(({ delta: { event, data } }) => [event, data["text"]]),
    [
      ["text.reset", undefined],
      ["text.delta", "right"],
    ],
  );
});

test("what waits for a slow client stays small however much happens", () => {
  const pending = createPendingDeltas();
  for (let n = 0; n < 2000; n++) {
    pending.add(`t${n}`, delta("turn.phase"));
    pending.add("s", delta("text.delta", { text: "x".repeat(1000) }));
  }
  const all = pending.take();
  assert.ok(all.length <= 512);
  assert.ok(JSON.stringify(all).length < 1 << 20);
});

test("batches keep below their size, and an event too large for any keeps its place", () => {
  const events = [event(1, 10), event(2, 5000), event(3, 400), event(4, 400)];
  const batches = inBatches(events, 1000);
  assert.deepEqual(
    batches.flatMap((batch) =>
      (JSON.parse(batch) as { seq: number; data: object }[]).map(({ seq, data }) => [seq, Object.keys(data)[0]]),
    ), // made by this product
    [
      [1, "text"],
      [2, "truncated"],
      [3, "text"],
      [4, "text"],
    ],
  );
  for (const batch of batches) assert.ok(Buffer.byteLength(batch) <= 1002);
});

function setup() {
  const bus = createBus();
  const log = createEventLog("s");
  const remove = bus.addStore(log);
  return { bus, log, remove, control: new AbortController() };
}

function emit(log: ReturnType<typeof createEventLog>, count: number): void {
  log.emit(...range(1, count).map(() => ({})));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

function seqs(item: CursorItem | undefined): number[] {
  return item?.kind === "events" ? item.events.map((each) => each.seq) : [];
}

function delta(event: string, data: Record<string, unknown> = {}): LiveDelta {
  return { event, at: "", data };
}

function event(seq: number, letters: number): StoredEvent {
  return { kind: "k", at: 0, seq, store: "s", payload: { text: "x".repeat(letters) } };
}

test("a made topic works while someone listens: from the first listener to the last", () => {
  const bus = createBus();
  const made: string[] = [];
  bus.makeTopics("logs:", (topic) => {
    made.push(`begin ${topic}`);
    return () => made.push(`end ${topic}`);
  });
  const heard: string[] = [];
  const one = bus.onDelta("logs:a", ({ event }) => heard.push(`1 ${event}`));
  const two = bus.onDelta("logs:a", ({ event }) => heard.push(`2 ${event}`));
  bus.onDelta("other", () => undefined)();
  bus.delta("logs:a", { event: "x", at: "", data: {} });
  one();
  one();
  assert.deepEqual(made, ["begin logs:a"]);
  two();
  assert.deepEqual(
    [made, heard],
    [
      ["begin logs:a", "end logs:a"],
      ["1 x", "2 x"],
    ],
  );
  bus.onDelta("logs:a", () => undefined)();
  assert.equal(made.length, 4, "it is made anew");
});

test("lines of a log wait for a slow client in one piece, rows of a list each in its newest form", () => {
  const pending = createPendingDeltas();
  const row = (id: string, n: number): LiveDelta => ({ event: "run.changed", at: "", data: { id, n } });
  pending.add("runs", row("a", 1));
  pending.add("runs", row("b", 1));
  pending.add("runs", row("a", 2));
  for (const text of ["one\n", "two\n"])
    pending.add("logs:x", { event: "log.lines", at: "", data: { text, upto: text.length } });
  assert.deepEqual(
    pending.take().map(({ delta }) => delta.data),
    [
      { id: "b", n: 1 },
      { id: "a", n: 2 },
      { text: "one\ntwo\n", upto: 4 },
    ],
  );
});
