import assert from "node:assert/strict";
import { test } from "node:test";
import { type FeedWorld, feedWorld, type TestSink, turns } from "../../../fixtures/dashboard/feed.js";
import { type Random, seeded } from "../../../fixtures/ports/random.js";

const ROUNDS = 100;
const STEPS = 120;

interface Watch {
  readonly sink: TestSink;
}

test("whatever happens in whatever order, a watcher has each event once and in order, or is told to load again", async () => {
  for (let seed = 1; seed <= ROUNDS; seed++) await round(seed);
});

async function round(seed: number): Promise<void> {
  const chance = seeded(seed);
  const world = feedWorld();
  const watches: Watch[] = [];
  const gone = new Set<number>();
  let last = 0;
  let closed = false;
  const steps: Readonly<Record<string, () => void>> = {
    emit: () => {
      const count = 1 + chance.below(6);
      const payload = chance.chance(0.1) ? { text: "x".repeat(200_000) } : {};
      if (closed || chance.chance(0.1)) world.log.emitUntold(...Array.from({ length: count }, () => ({ payload })));
      else world.log.emit(...Array.from({ length: count }, () => ({ payload })));
      last += count;
    },
    purge: () => {
      const seq = 1 + chance.below(Math.max(1, last));
      gone.add(seq);
      world.log.purge(seq);
    },
    come: () => {
      const since = chance.chance(0.3) ? "latest" : chance.below(last + 3);
      watches.push({ sink: world.watch(since) });
    },
    slow: () => pickOf(chance, watches)?.sink.waits(chance.pick([1, 300_000, 900_000])),
    quick: () => pickOf(chance, watches)?.sink.waits(0),
    leave: () => pickOf(chance, watches)?.sink.leave(),
    time: () => world.clock.advance(chance.below(120)),
    shut: () => {
      if (closed) world.open();
      else world.close();
      closed = !closed;
    },
  };
  const names = [
    "emit",
    "emit",
    "emit",
    "emit",
    "come",
    "purge",
    "slow",
    "quick",
    "quick",
    "leave",
    "time",
    "time",
    "shut",
  ];
  for (let step = 0; step < STEPS; step++) {
    steps[chance.pick(names)]?.();
    await turns(chance.below(4));
  }
  await settle(world, watches, closed);
  for (const watch of watches) check(watch, { seed, gone, last });
}

/** A last event that is told, then everybody takes what waits. */
async function settle(world: FeedWorld, watches: readonly Watch[], closed: boolean): Promise<void> {
  for (const { sink } of watches) sink.waits(0);
  if (closed) world.open();
  for (let n = 0; n < 4; n++) {
    world.clock.advance(300);
    await turns(60);
  }
  world.log.emit({});
  await turns(60);
  world.clock.advance(100);
  await turns(60);
}

function check({ sink }: Watch, { seed, gone, last }: { seed: number; gone: ReadonlySet<number>; last: number }): void {
  let cursor = Number(JSON.parse(sink.frames[0]?.text ?? '{"cursor":0}').cursor);
  for (const { text } of sink.frames.slice(1)) {
    const frame: { type?: string; cursor: number; events?: { id: number }[] } = JSON.parse(text);
    if (frame.type === "reset") {
      cursor = frame.cursor;
      continue;
    }
    for (const { id } of frame.events ?? []) {
      assert.ok(id > cursor, `seed ${seed}: ${id} came again behind ${cursor}`);
      for (let missed = cursor + 1; missed < id; missed++)
        assert.ok(gone.has(missed), `seed ${seed}: ${missed} was missed`);
      cursor = id;
    }
    assert.equal(frame.cursor, cursor);
    assert.ok((frame.events?.length ?? 0) <= 200);
  }
  if (!sink.signal.aborted) assert.equal(cursor, last + 1, `seed ${seed}: the last event has come`);
}

const pickOf = (chance: Random, watches: readonly Watch[]): Watch | undefined =>
  watches.length === 0 ? undefined : chance.pick(watches);
