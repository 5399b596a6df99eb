import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type BoardWorld, DEFAULT, mapConfig, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { courierWorld } from "../../../fixtures/sim/courier-world.js";
import type { SimPlatform } from "../../../fixtures/sim/platform.js";
import { silentLog } from "../../base/log/log.js";
import { testSignal } from "../../base/process/signal.js";
import { createDeliverer } from "../../board/notify/deliverer.js";
import type { Delivery } from "../../contracts/board/notify.js";
import { createNotifier, taskIn } from "./board-notices.js";

interface World {
  readonly board: BoardWorld;
  readonly platform: SimPlatform;
  readonly gateway: Awaited<ReturnType<typeof courierWorld>>["gateway"];
  /** Both clocks go on. */
  pass(ms: number): void;
  until(check: () => boolean | Promise<boolean>): Promise<void>;
  states(): Promise<readonly Delivery["state"][]>;
}

async function world(t: TestContext): Promise<World> {
  const board = setupBoard(t, { real: true });
  const { gateway, store, clock, platform } = await courierWorld(t, { tags: ["msgt"] });
  const rounds = testSignal<number>();
  const notifier = createNotifier({
    live: () => gateway,
    store: async () => store,
    profile: "default",
    files: () => ({ take: async (path) => ({ refused: { path, reason: "no files here" } }) }),
    onChange: (listener) => gateway.supervisor.onChange(listener),
  });
  const deps = {
    kernel: board.board,
    notifier,
    clock: board.clock,
    config: mapConfig(board.settings),
    log: silentLog,
    signals: { rounds },
  };
  const service = createDeliverer(deps);
  await service.start();
  t.after(() => service.stop(0));
  return {
    board,
    gateway,
    platform: platform("msgt"),
    pass: (ms) => {
      clock.advance(ms);
      board.clock.advance(ms);
    },
    until: async (check) => {
      while (!(await check())) await rounds.next();
    },
    states: async () => (await board.board.deliveries(DEFAULT)).map((row) => row.state),
  };
}

async function blocked({ board: { board } }: World): Promise<string> {
  const { task } = await board.create(DEFAULT, { title: "one", assignee: "alice" }, USER);
  await board.subscribe(DEFAULT, { platform: "msgt", chat_id: "5", task: task.id }, USER);
  await board.block(DEFAULT, task.id, { reason: "which one?" }, USER);
  return task.id;
}

test("GW-146: a notice whose sends fail twice and then work is delivered once, and none is lost", async (t) => {
  const made = await world(t);
  const { platform, until, pass, board, states } = made;
  let failures = 2;
  platform.fate = () => (failures-- > 0 ? "unsent" : "taken");
  await blocked(made);
  for (const [attempt, wait] of [5_000, 30_000].entries()) {
    await until(async () => {
      const [row] = await board.board.deliveries(DEFAULT);
      return row?.state === "pending" && row.attempts === attempt + 1;
    });
    pass(wait);
  }
  await until(async () => (await states())[0] === "sent");
  assert.equal(platform.calls.length, 3);
  assert.equal(platform.ledger.length, 1);
  assert.match(platform.ledger[0]?.text ?? "", /blocked: which one\?\nReply to this message/);
  const [row] = await board.board.deliveries(DEFAULT);
  assert.equal(row?.platform_message_id, `m-${platform.ledger[0]?.row}`);
});

test("a notice of which delivery unknown is uncertain, and is not sent again", async (t) => {
  const made = await world(t);
  made.platform.fate = () => "cut-after";
  await blocked(made);
  await made.until(async () => (await made.states())[0] === "uncertain");
  made.pass(3_600_000);
  assert.equal(made.platform.calls.length, 1);
});

test("how long a platform asks to wait is how long the ledger waits", async (t) => {
  const made = await world(t);
  made.platform.retryAfterMs = 90_000;
  made.platform.fate = () => "429";
  await blocked(made);
  await made.until(async () => (await made.states())[0] === "pending" && made.platform.calls.length === 1);
  const [row] = await made.board.board.deliveries(DEFAULT);
  assert.equal((row?.next_at ?? 0) * 1000 - made.board.clock.now() >= 89_000, true);
});

test("a stored key names board and task, a notice about no task names none", () => {
  assert.deepEqual(taskIn("board/default/4/9/t_00000001:0"), { board: "default", task: "t_00000001" });
  assert.equal(taskIn("board/default/4/9/:0"), undefined);
  assert.equal(taskIn(""), undefined);
});
