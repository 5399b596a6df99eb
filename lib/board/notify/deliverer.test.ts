import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import {
  type BoardWorld,
  DEFAULT,
  mapConfig,
  setupBoard,
  USER,
  type WorldOptions,
} from "../../../fixtures/sim/board-world.js";
import { type SimNotifier, simNotifier } from "../../../fixtures/sim/notifier.js";
import { silentLog } from "../../base/log/log.js";
import { testSignal } from "../../base/process/signal.js";
import type { TaskId } from "../../base/units.js";
import type { Delivery, Subscribing } from "../../contracts/board/notify.js";
import { createDeliverer } from "./deliverer.js";

interface Notified extends BoardWorld {
  readonly platform: SimNotifier;
  /** Resolves when it holds; looked at after each round. */
  until(check: () => boolean | Promise<boolean>): Promise<void>;
  states(): Promise<readonly Delivery["state"][]>;
  /** Stop the deliverer as an owner that ends does. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

async function notified(t: TestContext, options: WorldOptions = {}): Promise<Notified> {
  const world = setupBoard(t, { real: true, ...options });
  const { board, clock, settings } = world;
  const platform = simNotifier(() => clock.now());
  const rounds = testSignal<number>();
  const deps = {
    kernel: board,
    notifier: platform,
    clock,
    config: mapConfig(settings),
    log: silentLog,
    signals: { rounds },
  };
  let service = createDeliverer(deps);
  await service.start();
  t.after(() => service.stop(0));
  return {
    ...world,
    platform,
    until: async (check) => {
      while (!(await check())) await rounds.next();
    },
    states: async () => (await board.deliveries(DEFAULT)).map((row) => row.state),
    stop: () => service.stop(0),
    start: async () => {
      service = createDeliverer(deps);
      await service.start();
    },
  };
}

async function make({ board }: BoardWorld, to: Partial<Subscribing> = {}, title = "one"): Promise<TaskId> {
  const { task } = await board.create(DEFAULT, { title, assignee: "alice" }, USER);
  await board.subscribe(DEFAULT, { platform: "msgt", chat_id: "5", task: task.id, ...to }, USER);
  return task.id;
}

test("a subscribed chat is told when its task is done, and then the subscription is gone", async (t) => {
  proves(t, "board.notify.terminal");
  const world = await notified(t);
  const id = await make(world);
  await world.board.complete(DEFAULT, id, { summary: "did it" }, USER);
  await world.until(async () => (await world.states())[0] === "sent");
  assert.deepEqual(
    world.platform.seen.map((one) => [one.chat_id, one.text]),
    [["5", `✔ @alice Kanban ${id} done — one\ndid it`]],
  );
  assert.deepEqual(await world.board.subscriptions(DEFAULT), []);
  assert.equal((await world.board.deliveries(DEFAULT))[0]?.platform_message_id, "m1");
});

test("block, unblock, block is reported as two messages", async (t) => {
  const world = await notified(t);
  const id = await make(world);
  await world.board.block(DEFAULT, id, { reason: "a" }, USER);
  await world.board.unblock(DEFAULT, id, {}, USER);
  await world.board.block(DEFAULT, id, { reason: "b" }, USER);
  await world.until(() => world.platform.seen.length === 2);
  assert.deepEqual(
    world.platform.seen.map((one) => one.text.split("\n")[0]),
    [`⏸ @alice Kanban ${id} blocked: a`, `⏸ @alice Kanban ${id} blocked: b`],
  );
});

const FAILURES: readonly (readonly [string, SimNotifier["answers"][number]])[] = [
  ["returned", { result: "failed", error: "503" }],
  ["refused", { result: "refused", error: "no" }],
  ["thrown", new Error("reset")],
];

for (const [how, answer] of FAILURES) {
  test(`a failure that is ${how} is tried again after 5 s, once`, async (t) => {
    const world = await notified(t);
    const id = await make(world);
    world.platform.answers.push(answer);
    await world.board.complete(DEFAULT, id, {}, USER);
    await world.until(() => world.platform.calls.length === 1);
    await world.until(async () => (await world.board.deliveries(DEFAULT))[0]?.state === "pending");
    world.clock.advance(4_999);
    world.clock.advance(1);
    await world.until(async () => (await world.states())[0] === "sent");
    const [first, second, ...more] = world.platform.calls;
    assert.deepEqual([(second?.at ?? 0) - (first?.at ?? 0), more.length, world.platform.seen.length], [5_000, 0, 1]);
  });
}

test("eight attempts, further and further apart, and then the message has failed and is seen to have", async (t) => {
  const world = await notified(t);
  const id = await make(world);
  for (let time = 0; time < 9; time++) world.platform.answers.push({ result: "failed", error: "503" });
  await world.board.complete(DEFAULT, id, {}, USER);
  for (let attempt = 1; attempt <= 8; attempt++) {
    await world.until(async () => {
      const row = (await world.board.deliveries(DEFAULT))[0];
      return row?.attempts === attempt && row.state !== "sending";
    });
    const row = (await world.board.deliveries(DEFAULT))[0];
    if (attempt < 8) world.clock.advance(((row?.next_at ?? 0) - world.clock.now() / 1000) * 1000);
  }
  const gaps = world.platform.calls
    .slice(1)
    .map(({ at }, index) => (at - (world.platform.calls[index]?.at ?? 0)) / 1000);
  assert.deepEqual(gaps, [5, 30, 120, 600, 3600, 3600, 3600]);
  const [row] = await world.board.deliveries(DEFAULT);
  assert.deepEqual([row?.state, row?.error], ["failed", "503"]);
  const [sub] = await world.board.subscriptions(DEFAULT);
  assert.deepEqual([sub?.degraded, sub?.ended, sub?.waiting], [true, true, 0]);
});

test("what may have arrived is not repeated, and what comes after it goes on", async (t) => {
  const world = await notified(t);
  const id = await make(world);
  world.platform.answers.push({ result: "unknown", error: "timeout" });
  await world.board.block(DEFAULT, id, { reason: "a" }, USER);
  await world.board.unblock(DEFAULT, id, {}, USER);
  await world.board.block(DEFAULT, id, { reason: "b" }, USER);
  await world.until(async () => (await world.states()).join() === "uncertain,sent");
  assert.deepEqual([world.platform.calls.length, world.platform.seen.length], [2, 1]);
});

test("a message that fails holds back those behind it in its chat and no one else's; none that was sent is sent again", async (t) => {
  const world = await notified(t);
  const id = await make(world);
  await world.board.subscribe(DEFAULT, { platform: "msgt", chat_id: "6", task: id }, USER);
  await world.board.block(DEFAULT, id, { reason: "a" }, USER);
  await world.until(() => world.platform.seen.length === 2);
  const fails = world.platform.hand;
  world.platform.hand = async (notice, signal) =>
    notice.chat_id === "5" && world.clock.now() < Date.parse("2026-01-01T00:00:05Z")
      ? { result: "failed", error: "503" }
      : fails(notice, signal);
  await world.board.unblock(DEFAULT, id, {}, USER);
  await world.board.block(DEFAULT, id, { reason: "b" }, USER);
  await world.board.unblock(DEFAULT, id, {}, USER);
  await world.board.block(DEFAULT, id, { reason: "c" }, USER);
  await world.until(() => world.platform.seen.length === 4);
  const of = (chat: string) =>
    world.platform.seen.filter((one) => one.chat_id === chat).map((one) => one.text.split("\n")[0]?.slice(-1));
  assert.deepEqual([of("5"), of("6")], [["a"], ["a", "b", "c"]]);
  await world.until(async () =>
    (await world.board.deliveries(DEFAULT)).some((row) => row.attempts === 1 && row.state === "pending"),
  );
  world.clock.advance(5_000);
  await world.until(() => world.platform.seen.length === 6);
  assert.deepEqual(of("5"), ["a", "b", "c"]);
});

test("messages wait for their platform and are told when it is connected", async (t) => {
  const world = await notified(t);
  world.platform.connected = false;
  const id = await make(world);
  await world.board.complete(DEFAULT, id, {}, USER);
  world.clock.advance(6 * 86_400_000);
  await world.until(async () => (await world.board.subscriptions(DEFAULT))[0]?.waiting === 1);
  world.platform.connect(true);
  await world.until(() => world.platform.seen.length === 1);
});

test("what has waited longer than kanban.notify_max_age_days expires, and the subscription is seen to be in trouble", async (t) => {
  const world = await notified(t, { settings: { "kanban.notify_max_age_days": 2 } });
  world.platform.connected = false;
  const id = await make(world);
  await world.board.block(DEFAULT, id, {}, USER);
  world.clock.advance(2 * 86_400_000 - 1_000);
  world.platform.connect(false); // looks again
  await world.until(async () => (await world.states())[0] === "pending");
  world.clock.advance(1_000);
  world.platform.connect(false);
  await world.until(async () => (await world.states())[0] === "expired");
  const [sub] = await world.board.subscriptions(DEFAULT);
  assert.deepEqual([sub?.degraded, sub?.waiting, sub?.ended], [true, 0, false]);
  world.platform.connect(true);
  await world.board.unblock(DEFAULT, id, {}, USER);
  await world.board.block(DEFAULT, id, { reason: "later" }, USER);
  await world.until(() => world.platform.seen.length === 1);
  await world.until(async () => (await world.board.subscriptions(DEFAULT))[0]?.degraded === false);
});

test("rows survive a restart: what was handed over is asked for, never sent twice", async (t) => {
  const world = await notified(t);
  const id = await make(world);
  const arrived = testSignal();
  world.platform.hold = () => {
    arrived.emit();
    return new Promise(() => undefined);
  };
  await world.board.block(DEFAULT, id, {}, USER);
  await arrived.next();
  // The owner dies here: the message has arrived, its row says `sending`.
  world.platform.hold = async () => undefined;
  await world.start();
  await world.until(async () => (await world.states())[0] === "sent");
  assert.deepEqual([world.platform.calls.length, world.platform.seen.length], [1, 1]);
});

const RECALLS = [
  ["did not arrive is handed over again", { result: "never" }, "sent", 1],
  ["nobody can tell of is uncertain", { result: "unknown", error: "?" }, "uncertain", 0],
] as const;

for (const [what, answer, state, calls] of RECALLS) {
  test(`a message of a dead owner that ${what}`, async (t) => {
    const world = await notified(t);
    await world.stop();
    const id = await make(world);
    await world.board.block(DEFAULT, id, {}, USER);
    const [owed] = await world.board.owed(
      DEFAULT,
      { platform: "msgt", profile: null },
      { replies: true, fileBytes: 0 },
    );
    assert.ok(owed && (await world.board.handing(owed.notice)));
    world.platform.recalled = () => answer;
    await world.start();
    await world.until(async () => (await world.states())[0] === state);
    assert.equal(world.platform.calls.length, calls);
  });
}

test("a platform's own waiting time is kept to when it is longer", async (t) => {
  const world = await notified(t);
  const id = await make(world);
  const now = world.clock.now() / 1000;
  world.platform.answers.push({ result: "failed", error: "429", retry_at: now + 60 });
  await world.board.block(DEFAULT, id, {}, USER);
  await world.until(async () => (await world.board.deliveries(DEFAULT))[0]?.next_at === now + 60);
});

test("declared files go along, at most ten and none that is too large; the rest is named; paths in texts are nothing", async (t) => {
  const world = await notified(t);
  const id = await make(world);
  const store = await world.store();
  const { addAttachment } = await import("../../../storage/tables/board/comments.js");
  const ids = await store.write("t", async (tx) => {
    const made: number[] = [];
    for (let n = 0; n < 13; n++) {
      const file = {
        task_id: id,
        filename: `f${n}`,
        stored_path: `/a/f${n}`,
        content_type: "text/plain",
        size: n === 0 ? 5000 : 5,
      };
      made.push(await addAttachment(tx, { ...file, sha256: "", uploaded_by: "w", run_id: null, created_at: 1 }));
    }
    return made;
  });
  await store.write("t", async (tx) => {
    const payload = { verdict: "accepted", summary: "see /etc/hostname", artifacts: ids.slice(0, 12) };
    tx.emit({ kind: "completed", at: world.clock.now(), task: id, payload });
  });
  await world.until(() => world.platform.seen.length === 1);
  const [{ files, text } = assert.fail("nothing was told")] = world.platform.seen;
  assert.deepEqual(
    files.map((file) => file.filename),
    Array.from({ length: 10 }, (_, n) => `f${n + 1}`),
  );
  assert.equal(text.split("\n").at(-1), "Stored with the task: f0, f11");
});
