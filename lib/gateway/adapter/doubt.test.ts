import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../../fixtures/ports/disk.js";
import { type GatewayWorld, gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simPlatform } from "../../../fixtures/sim/platform.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import type { GatewayRules } from "../settings/delivery-rules.js";
import { toReceipt } from "./send-outcome.js";

const ANSWER = (chatId: string, text: string): NewSend => ({
  kind: "answer",
  target: { platform: "msgt", account: "bot", chatId, threadId: null, replyTo: null },
  payload: { text, format: "plain", silent: false },
});

/** A gateway that was killed after the platform took an answer and before that was stored, and the next one over the same disk. */
async function killed(t: TestContext, rules: Partial<GatewayRules> = {}) {
  const clock = manualClock();
  const disk: SimDisk = simDisk();
  const platform = simPlatform("msgt", () => clock.now(), toReceipt);
  const first = await gatewayWorld({ platforms: [platform], clock, disk, rules, seed: 1 });
  await first.start();
  let left: SimDisk | undefined;
  platform.after = async () => {
    left ??= disk.fork(); // what a kill leaves at this moment
  };
  await first.outbox.insert([ANSWER("c1", "PONG")]);
  await first.quiet();
  await first.stop();
  platform.after = async () => undefined;
  const next: GatewayWorld = await gatewayWorld({ platforms: [platform], clock, disk: left ?? disk, rules, seed: 50 });
  t.after(next.stop);
  await next.start();
  await next.quiet();
  clock.advance(3_600_000);
  await next.quiet();
  return { next, platform, seen: () => platform.ledger.map(({ text }) => text) };
}

test("GW-28: an answer whose call was cut off by a kill is unknown and not repeated, until an operator asks for it", async (t) => {
  const { next, seen } = await killed(t);
  const [row] = (await next.rows()).outbox;
  assert.deepEqual([row?.state, seen()], ["unknown", ["PONG"]]);
  await next.outbox.retry(row?.id ?? "");
  await next.quiet();
  assert.deepEqual([(await next.rows()).outbox[0]?.state, seen()], ["sent", ["PONG", "PONG"]]);
});

test("GW-29: where the settings want it such an answer is sent once more by itself", async (t) => {
  const { next, seen } = await killed(t, { resendUnknown: () => true });
  assert.deepEqual([(await next.rows()).outbox[0]?.state, seen()], ["sent", ["PONG", "PONG"]]);
});

test("GW-34: an answer to one chat does not wait for another chat whose platform is down", async (t) => {
  const clock = manualClock();
  const platform = simPlatform("msgt", () => clock.now(), toReceipt);
  const down = simPlatform("msgd", () => clock.now(), toReceipt);
  down.connects.push({ connected: false, code: "network", message: "down" });
  platform.fate = ({ target }) => (target.chatId === "c2" ? "unsent" : "taken");
  const world = await gatewayWorld({ platforms: [platform, down], clock });
  t.after(world.stop);
  await world.start();
  await world.quiet();
  const away = { ...ANSWER("c9", "AWAY"), target: { ...ANSWER("c9", "").target, platform: "msgd" as const } };
  await world.outbox.insert([away, ANSWER("c2", "WAITS"), ANSWER("c1", "PONG")]);
  await world.quiet();
  assert.deepEqual(
    platform.ledger.map(({ text, at }) => [text, at]),
    [["PONG", clock.now()]],
  );
});
