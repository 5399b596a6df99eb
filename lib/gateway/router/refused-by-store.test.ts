import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { SimDisk } from "../../../fixtures/ports/disk.js";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simMessage, simPlatform } from "../../../fixtures/sim/platform.js";
import type { Store } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";
import type { InboxBatch } from "../../contracts/board/platform-tag.js";
import { toReceipt } from "../adapter/send-outcome.js";
import type { GatewayTurns } from "./dispatch.js";

const SECOND_MS = 1_000;
const TARGET = { platform: "msgt", account: "bot", chatId: "c1", threadId: null, replyTo: null } as const;

async function setup(t: TestContext) {
  const clock = manualClock();
  const disk = new SimDisk();
  const platform = simPlatform("msgt", () => clock.now(), toReceipt);
  const ran: string[] = [];
  const end = (batch: InboxBatch) => {
    ran.push(batch.text);
    return { state: "answered", reason: null, sends: [] } as const;
  };
  const turns: GatewayTurns = {
    name: () => `turn-${ran.length}`,
    run: async (_turn, batch) => end(batch),
    resume: async (_turn, _interrupted, batch) => end(batch),
    fate: async () => ({ was: "absent" }),
    failure: (_turn, batch) => end(batch),
  };
  const world = await gatewayWorld({ platforms: [platform], clock, disk, turns: () => turns, route: undefined });
  t.after(() => world.stop());
  await world.start();
  await world.quiet();
  let tries = 0;
  return {
    ...world,
    platform,
    ran,
    tries: () => tries,
    fill: () => {
      disk.faults.fail = (op) => {
        if (op.kind !== "write") return undefined;
        tries += 1;
        return "ENOSPC";
      };
    },
    empty: () => {
      disk.faults.fail = undefined;
    },
    second: async () => {
      clock.advance(SECOND_MS);
      await world.quiet();
    },
  };
}

test("a message that a full disk keeps from being marked is tried again each second, not as often as the processor can", async (t) => {
  const { outbox, platform, quiet, fill, empty, second, tries } = await setup(t);
  const fates = ["unsent"] as const;
  platform.fate = () => fates[platform.calls.length] ?? "taken";
  await outbox.insert([{ kind: "notice", target: TARGET, payload: { text: "x", format: "plain", silent: false } }]);
  await quiet();
  assert.equal(platform.calls.length, 1, "it waits for its second attempt");
  fill();
  for (let seconds = 1; seconds <= 3; seconds++) {
    await second();
    assert.equal(tries(), seconds);
  }
  empty();
  await second();
  assert.deepEqual(
    platform.ledger.map(({ text }) => text),
    ["x"],
  );
});

test("a turn that a full disk keeps from beginning is tried again each second, not as often as the processor can", async (t) => {
  const { inbox, quiet, fill, empty, second, tries, ran } = await setup(t);
  await inbox.accept(simMessage("msgt", "1", "hello"));
  const [row] = await inbox.received(1);
  await inbox.admit(row?.seq ?? 0, { sessionKey: "s", joins: false, quietMs: SECOND_MS });
  await quiet();
  fill();
  for (let seconds = 1; seconds <= 3; seconds++) {
    await second();
    assert.equal(tries(), seconds);
  }
  empty();
  await second();
  assert.deepEqual(ran, ["hello"]);
});

test("a change of a message that cannot be looked up is tried again in a second, and no mark of it holds up its chat", async (t) => {
  const { store, outbox, platform, quiet, second, rows } = await setup(t);
  const said = { text: "words ▉", format: "plain", silent: false } as const;
  await outbox.insert([{ kind: "notice", target: TARGET, payload: said }]);
  await quiet();
  const [words] = (await rows()).outbox;
  const { script } = store;
  const refusing: Store["script"] = async (label, steps, events) => {
    if (label === "look" && steps[0]?.args[0] === words?.id) throw new AppError("E_STORE", "the thread died");
    return script(label, steps, events);
  };
  Object.assign(store, { script: refusing });
  await outbox.insert([
    { kind: "notice", via: "edit", target: TARGET, payload: { ...said, text: "words", messageOf: words?.id ?? "" } },
  ]);
  await quiet();
  assert.deepEqual(
    (await rows()).outbox.map(({ state }) => state),
    ["sent", "pending"],
  );
  Object.assign(store, { script });
  await second();
  assert.deepEqual(
    platform.ledger.map(({ text }) => text),
    ["words ▉", "words"],
  );
});
