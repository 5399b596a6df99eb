import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { SimDisk } from "../../../fixtures/ports/disk.js";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { type SendFate, simPlatform } from "../../../fixtures/sim/platform.js";
import { AppError } from "../../base/errors.js";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { toReceipt } from "../adapter/send-outcome.js";
import type { GatewayRules } from "../settings/delivery-rules.js";

async function setup(
  t: TestContext,
  fates: readonly SendFate[] = [],
  rules: Partial<GatewayRules> = {},
  tag: PlatformTag = "msgt",
) {
  const clock = manualClock();
  const disk = new SimDisk();
  const platform = simPlatform(tag, () => clock.now(), toReceipt);
  const other = simPlatform("msgf", () => clock.now(), toReceipt);
  const queue = [...fates];
  platform.fate = () => queue.shift() ?? "taken";
  const world = await gatewayWorld({ platforms: [platform, other], clock, disk, rules });
  t.after(() => world.stop());
  await world.start();
  await world.quiet();
  const send = (text: string, more: Partial<NewSend> & { chat?: string; to?: PlatformTag } = {}) => {
    const { chat = "c1", to = tag, ...rest } = more;
    const target = { platform: to, account: "bot", chatId: chat, threadId: null, replyTo: null };
    return world.outbox.insert([
      { kind: "notice", target, payload: { text, format: "plain", silent: false }, ...rest },
    ]);
  };
  const after = async (ms: number) => {
    clock.advance(ms);
    await world.quiet();
  };
  const states = async () => (await world.rows()).outbox.map((row) => row.state);
  const seen = () => [...platform.ledger, ...other.ledger].map(({ text }) => text);
  return { ...world, clock, disk, platform, other, send, after, states, seen };
}

const answer = (turn: string): Partial<NewSend> => ({ kind: "answer", turn: { id: turn, seq: 0 } });

test("a row is sent as soon as it is there, and a key is stored once", async (t) => {
  const { send, quiet, seen } = await setup(t);
  assert.equal(await send("one", { sourceKey: "board/1/2" }), 1);
  assert.equal(await send("two", { sourceKey: "board/1/2" }), 0);
  await quiet();
  assert.deepEqual(seen(), ["one"]);
});

test("a row that waits holds its own lane alone", async (t) => {
  const { send, quiet, after, seen } = await setup(t, ["unsent"]);
  await send("first");
  await send("second");
  await send("elsewhere", { chat: "c2" });
  await send("other platform", { to: "msgf" });
  await quiet();
  assert.deepEqual(seen(), ["elsewhere", "other platform"]);
  await after(1000);
  assert.deepEqual(seen(), ["elsewhere", "first", "second", "other platform"]);
});

test("GW-25: a connection that is refused twice and then works delivers one message, and none has failed", async (t) => {
  const { send, quiet, after, seen, states, platform } = await setup(t, ["unsent", "unsent"]);
  await send("hello");
  await quiet();
  await after(1000);
  await after(2000);
  assert.deepEqual(
    platform.calls.map(({ fate }) => fate),
    ["unsent", "unsent", "taken"],
  );
  assert.deepEqual([seen(), await states()], [["hello"], ["sent"]]);
});

const WAITS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] as const;
test("the wait before each attempt is that of the rule", async (t) => {
  const { send, quiet, after, platform } = await setup(
    t,
    WAITS.map(() => "own-5xx"),
  );
  await send("x");
  await quiet();
  for (const [n, seconds] of WAITS.entries()) {
    await after(seconds * 1000 - 1);
    assert.equal(platform.calls.length, n + 1, `before wait ${n + 1}`);
    await after(1);
    assert.equal(platform.calls.length, n + 2, `after wait ${n + 1}`);
  }
});

test("a rate limit is kept to the second", async (t) => {
  const { send, quiet, after, seen, platform } = await setup(t, ["429"]);
  platform.retryAfterMs = 30_000;
  await send("x");
  await quiet();
  await after(29_999);
  assert.deepEqual(seen(), []);
  await after(1);
  assert.deepEqual(seen(), ["x"]);
});

test("without a key a send that may have arrived is shown and not repeated, and those behind it go on", async (t) => {
  const { send, after, states, seen, store } = await setup(t, ["cut-after"]);
  await send("first");
  await send("second");
  await after(3_600_000);
  assert.deepEqual(
    [await states(), seen()],
    [
      ["unknown", "sent"],
      ["first", "second"],
    ],
  );
  assert.deepEqual(
    (await store.events(0, 10)).map(({ kind }) => kind),
    ["outbox.unknown"],
  );
});

test("with a key a send that may have arrived is repeated, and seen once", async (t) => {
  const { send, after, states, seen, platform } = await setup(
    t,
    ["cut-after", "5xx-after", "throws-after"],
    {},
    "msgd",
  );
  await send("x");
  await after(0);
  for (let n = 0; n < 3; n++) await after(4000);
  assert.deepEqual([await states(), seen(), platform.calls.length], [["sent"], ["x"], 4]);
  assert.equal(new Set(platform.calls.map(({ key }) => key)).size, 1);
});

test("a call that never ends is unknown after its time, and its lane goes on", async (t) => {
  const { send, quiet, after, states } = await setup(t, ["silent"]);
  await send("x");
  await send("y");
  await quiet();
  await after(19_999);
  assert.deepEqual(await states(), ["sending", "pending"]);
  await after(1);
  assert.deepEqual(await states(), ["unknown", "sent"]);
});

test("a refused answer is told once, and a notice that fails is not told at all", async (t) => {
  const { send, after, rows } = await setup(t, ["refused", "refused", "refused", "refused"]);
  await send("one", answer("t1"));
  await send("two", { ...answer("t1"), turn: { id: "t1", seq: 1 } });
  await send("plain notice");
  await after(0);
  const { outbox } = await rows();
  assert.deepEqual(
    outbox.map(({ kind, state, source_key }) => [kind, state, source_key]),
    [
      ["answer", "failed", null],
      ["answer", "failed", null],
      ["notice", "failed", null],
      ["notice", "failed", "failed:t1"],
    ],
  );
});

test("a refused token stops the adapter, the row waits without counting, and is sent when the token is right", async (t) => {
  const { send, after, states, seen, supervisor, rows } = await setup(t, ["credential"]);
  await send("x");
  await after(0);
  assert.deepEqual([supervisor.statuses()[0]?.state, supervisor.statuses()[0]?.error_code], ["fatal", "auth_failed"]);
  await after(3_600_000);
  assert.deepEqual([await states(), (await rows()).outbox[0]?.attempts], [["pending"], 0]);
  await supervisor.resume("msgt");
  await after(0);
  assert.deepEqual(seen(), ["x"]);
});

test("a row that could not be sent for a day fails, is told when the chat can be reached, and not sent any more", async (t) => {
  const { send, after, states, seen, supervisor } = await setup(t);
  await supervisor.pause("msgt");
  await after(0);
  await send("x", answer("t1"));
  await after(24 * 3_600_000);
  assert.deepEqual(await states(), ["failed", "pending"]);
  await supervisor.resume("msgt");
  await after(0);
  assert.equal(seen().length, 1);
  assert.match(seen()[0] ?? "", /could not be delivered/);
});

test("an operator sends an unknown row again, or drops it", async (t) => {
  const { send, after, states, seen, outbox, rows } = await setup(t, ["cut-before", "cut-before"]);
  await send("x");
  await send("y");
  await after(0);
  assert.deepEqual(await states(), ["unknown", "unknown"]);
  const [x, y] = (await rows()).outbox;
  await outbox.retry(x?.id ?? "");
  await outbox.drop(y?.id ?? "");
  await after(0);
  assert.deepEqual([await states(), seen()], [["sent", "dropped"], ["x"]]);
  const refused = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
  await assert.rejects(outbox.retry(x?.id ?? ""), refused("E_STATE"));
  await assert.rejects(outbox.drop(x?.id ?? ""), refused("E_STATE"));
  await assert.rejects(outbox.retry("ob_none"), refused("E_NOT_FOUND"));
});

test("where the user wants it an unknown send is repeated once by itself", async (t) => {
  const { send, after, states, platform } = await setup(t, ["cut-before", "cut-before", "taken"], {
    resendUnknown: () => true,
  });
  await send("x");
  await after(0);
  await after(3_600_000);
  assert.deepEqual([await states(), platform.calls.length], [["unknown"], 2]);
});

test("the outcome of a call outlives a full disk", async (t) => {
  const { send, after, states, disk, platform, seen } = await setup(t);
  platform.after = async () => {
    disk.faults.fail = (op) => (op.kind === "write" ? "ENOSPC" : undefined);
  };
  await send("x");
  await after(0);
  await after(10_000);
  disk.faults.fail = undefined;
  await after(60_000);
  assert.deepEqual([await states(), seen()], [["sent"], ["x"]]);
});

test("the model is told once that a message may not have arrived", async (t) => {
  const { send, after, outbox } = await setup(t, ["cut-before"]);
  await send("x");
  await after(0);
  const target = { platform: "msgt", account: "bot", chatId: "c1", threadId: null, replyTo: null } as const;
  assert.deepEqual([await outbox.takeDoubts(target), await outbox.takeDoubts(target)], [1, 0]);
});

test("texts of finished rows are forgotten after a week, and what is forgotten is not sent again", async (t) => {
  const { send, after, outbox, rows } = await setup(t, ["cut-before"]);
  await send("x");
  await after(0);
  await after(8 * 86_400_000);
  await outbox.prune();
  const [row] = (await rows()).outbox;
  assert.equal(row?.payload, null);
  await assert.rejects(outbox.retry(row?.id ?? ""), /no longer stored/);
  await after(30 * 86_400_000);
  await outbox.prune();
  assert.equal((await rows()).outbox.length, 0);
});
