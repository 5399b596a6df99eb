import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { quiet, STATE_SPEC } from "../../../fixtures/sim/gateway-world.js";
import { simMessage, simPlatform } from "../../../fixtures/sim/platform.js";
import { unknownOutcome } from "../../../storage/errors.js";
import { openStore } from "../../../storage/sqljs/store-open.js";
import { storeThread } from "../../../storage/sqljs/worker.js";
import type { Store } from "../../../storage/store.js";
import { realDisk } from "../../base/fs/disk.js";
import { silentLog } from "../../base/log/log.js";
import type { InboxBatch, InboxRow } from "../../contracts/board/platform-tag.js";
import type { OutboxRow } from "../../contracts/gateway/outbox.js";
import { toReceipt } from "../adapter/send-outcome.js";
import { DEFAULT_RULES } from "../settings/delivery-rules.js";
import type { GatewayTurns } from "./dispatch.js";
import { createGateway } from "./gateway.js";

/** What is written of a message, in its order. */
const SCRIPTS = [
  "inbox.accept",
  "inbox.admit",
  "inbox.running",
  "inbox.ended",
  "outbox.sending",
  "outbox.settled",
] as const;

const WHEN = [
  { when: "before anybody knows whether it is stored", stored: false },
  { when: "when it is stored and nobody was told", stored: true },
] as const;

const LOOKS = 400;
const LOOK_MS = 500;

for (const label of SCRIPTS)
  for (const { when, stored } of WHEN)
    test(`the thread of the stores dies within ${label}, ${when}: the owner lives on, and the message is answered once`, async (t) => {
      const { say, rest, platform } = await living(t, { label, stored });
      await say("1", "first");
      await say("2", "second");
      const { inbox, outbox } = await rest(2);
      assert.deepEqual(
        [inbox.map(({ state }) => state), outbox.map(({ state }) => state)],
        [both("answered"), both("sent")],
      );
      assert.deepEqual(
        platform.ledger.map(({ text }) => text),
        ["re first", "re second"],
      );
    });

const both = (state: string) => [state, state];

async function living(t: TestContext, death: { readonly label: string; readonly stored: boolean }) {
  const dir = mkdtempSync(join(tmpdir(), "gateway-thread-"));
  const clock = manualClock();
  const opened = await openStore(
    { ...STATE_SPEC, path: join(dir, "state.db") },
    { disk: realDisk, clock, ids: countingIds(1), host: "thread", log: silentLog },
  );
  const store = dyingOnce(opened, death);
  const platform = simPlatform("msgt", clock.now, toReceipt);
  const gateway = createGateway({
    store,
    clock,
    chance: () => 0.5,
    rules: DEFAULT_RULES,
    ids: countingIds(2),
    log: silentLog,
    platforms: () => [platform.port],
    turns: TURNS,
  });
  // As the router does: what could not be looked at is looked at again.
  const look = async () => {
    for (const { seq } of await gateway.inbox.received(100))
      await gateway.inbox.admit(seq, { sessionKey: "s", joins: false, quietMs: 0 });
  };
  await gateway.service.start();
  t.after(async () => {
    await gateway.service.stop(0);
    await opened.close();
    rmSync(dir, { recursive: true, force: true });
  });
  // A look of the test that is under way when the thread dies sees nothing.
  const rows = <T>(table: string) =>
    opened.read((q) => q.all<T>(`SELECT * FROM ${table} ORDER BY seq`)).catch((): T[] => []);
  return {
    platform,
    /** The platform tells it until it is confirmed. */
    say: async (id: string, text: string) => {
      while ((await gateway.inbox.accept(simMessage("msgt", id, text))) === "busy") await quiet();
    },
    /** Sooner than anything that looks each hour. */
    rest: async (count: number) => {
      for (let looks = 0; ; looks++) {
        const inbox = await rows<InboxRow>("inbox");
        const outbox = await rows<OutboxRow>("outbox");
        if (outbox.filter(({ state }) => state === "sent").length === count || looks === LOOKS)
          return { inbox, outbox };
        await look().catch(() => undefined);
        await quiet();
        clock.advance(LOOK_MS);
      }
    },
  };
}

/** The real thread dies at the first script of a name. */
function dyingOnce(store: Store, { label, stored }: { readonly label: string; readonly stored: boolean }): Store {
  let died = false;
  const script: Store["script"] = async (name, ...given) => {
    if (name !== label || died) return store.script(name, ...given);
    died = true;
    const asked = store.script(name, ...given);
    if (stored) await asked;
    const [made] = await Promise.allSettled([asked, storeThread().abort()]);
    if (made.status === "rejected") throw made.reason;
    throw unknownOutcome(store.name, "store thread died", undefined);
  };
  return { ...store, script, write: (...given) => store.write(...given), read: (...given) => store.read(...given) };
}

let named = 0;

const TURNS: GatewayTurns = {
  name: () => {
    named += 1;
    return `turn-${named}`;
  },
  run: async (turn, batch) => answered(turn, batch),
  resume: async (_, turn, batch) => answered(turn, batch),
  fate: async () => ({ was: "absent" }),
  failure: (turn, batch) => answered(turn, batch),
};

function answered(turn: string, { rows, text }: InboxBatch): ReturnType<GatewayTurns["failure"]> {
  const [row] = rows;
  const target = {
    platform: "msgt",
    account: "bot",
    chatId: row?.chat_id ?? "",
    threadId: null,
    replyTo: null,
  } as const;
  const payload = { text: `re ${text}`, format: "plain", silent: false } as const;
  return {
    state: "answered",
    reason: null,
    sends: [{ kind: "answer", target, payload, turn: { id: turn, seq: 0 }, sourceKey: turn }],
  };
}
