import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { SimDisk } from "../../../fixtures/ports/disk.js";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simMessage, simPlatform } from "../../../fixtures/sim/platform.js";
import { defineService } from "../../base/async/service.js";
import { AppError } from "../../base/errors.js";
import { silentLog } from "../../base/log/log.js";
import type { Inbound, PlatformTag } from "../../contracts/board/platform-tag.js";
import { toReceipt } from "../adapter/send-outcome.js";
import type { AdmissionResult } from "../admission/admission.js";
import { toSendTarget } from "../targets/event-target.js";
import { createRouter, type RouterDeps } from "./router.js";

const TAGS: readonly PlatformTag[] = ["msgt", "msgd", "msgl", "msgf"];

async function setup(
  t: TestContext,
  before: (event: Inbound) => Promise<void> = async () => undefined,
  more: Partial<RouterDeps> = {},
) {
  const clock = manualClock();
  const disk = new SimDisk();
  const platforms = TAGS.map((tag) => simPlatform(tag, () => clock.now(), toReceipt));
  const world = await gatewayWorld({ platforms, clock, disk, route: undefined, rehearse: false });
  const looked: string[] = [];
  const router = createRouter({
    inbox: world.inbox,
    clock,
    log: silentLog,
    keyOf: ({ platform, source }: Inbound) => `${platform}/${source.chatId}`,
    passes: async (event): Promise<AdmissionResult> => {
      await before(event);
      looked.push(event.eventId);
      return { passes: true, event };
    },
    begin: async () => true,
    command: async (event) => `answer to ${event.eventId}`,
    answer: (event, said) => {
      const target = toSendTarget(event);
      const text = typeof said === "string" ? said : said.text;
      return target === undefined ? [] : [{ kind: "reply", target, payload: { text, format: "plain", silent: false } }];
    },
    ...more,
  });
  await world.start();
  await router.start();
  t.after(async () => {
    await router.stop(0);
    await world.stop();
  });
  const said = () => platforms.flatMap(({ ledger }) => ledger.map(({ text }) => text));
  return { ...world, clock, disk, platforms, looked, said };
}

const inChat = (tag: PlatformTag, id: string, text: string, chat: string): Inbound => {
  const event = simMessage(tag, id, text);
  return { ...event, source: { ...event.source, chatId: chat } };
};

test("a message that takes long to look at holds its own chat up, and no other", async (t) => {
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { inbox, quiet, looked, said } = await setup(t, ({ eventId }) =>
    eventId === "slow" ? gate : Promise.resolve(),
  );
  await inbox.accept(inChat("msgt", "slow", "/version", "a"));
  await inbox.accept(inChat("msgt", "behind", "/version", "a"));
  await inbox.accept(inChat("msgt", "beside", "/status", "b"));
  await quiet();
  assert.deepEqual(said(), ["answer to beside"]);
  go();
  await quiet();
  assert.deepEqual(looked, ["beside", "slow", "behind"]);
  assert.equal(said().length, 3);
});

test("a message that cannot be looked at is tried again each second, before those behind it in its chat", async (t) => {
  let failures = 3;
  const { inbox, quiet, clock, looked, said } = await setup(t, async ({ eventId }) => {
    if (eventId !== "1" || failures === 0) return;
    failures -= 1;
    throw new Error("not now");
  });
  await inbox.accept(inChat("msgt", "1", "/version", "a"));
  await inbox.accept(inChat("msgt", "2", "/version", "a"));
  await quiet();
  assert.equal(failures, 2);
  for (let seconds = 0; seconds < 3; seconds++) {
    clock.advance(1000);
    await quiet();
  }
  assert.deepEqual([failures, looked], [0, ["1", "2"]]);
  assert.equal(said().length, 2);
});

test("a command that an earlier owner began is run again where it only tells something, and told to be in doubt where it may have done something", async (t) => {
  const begun: number[] = [];
  const more: Partial<RouterDeps> = {
    begin: async ({ seq }) => begun.push(seq) < 0,
    harmless: (_event, name) => name === "status",
  };
  const { inbox, quiet, said } = await setup(t, undefined, more);
  await inbox.accept(inChat("msgt", "1", "/status", "a"));
  await inbox.accept(inChat("msgt", "2", "/stop", "b"));
  await quiet();
  assert.equal(begun.length, 1);
  assert.deepEqual(
    said().map((text) => text.split(" ")[0]),
    ["answer", "⚠️"],
  );
});

test("what a command said is kept while the store cannot take it, told as soon as it can, and the command is not run again", async (t) => {
  const begun = new Set<number>();
  let runs = 0;
  const world = await setup(t, undefined, {
    begin: async ({ seq }) => begun.size < begun.add(seq).size,
    command: async () => {
      runs += 1;
      world.disk.faults.fail = (op) => (op.kind === "write" ? "ENOSPC" : undefined);
      return "done";
    },
  });
  await world.inbox.accept(inChat("msgt", "1", "/new", "a"));
  for (let seconds = 0; seconds < 3; seconds++) {
    await world.quiet();
    assert.deepEqual([runs, world.said()], [1, []]);
    world.clock.advance(1000);
  }
  await world.quiet();
  world.disk.faults.fail = undefined;
  world.clock.advance(1000);
  await world.quiet();
  assert.deepEqual([runs, world.said()], [1, ["done"]]);
});

test("a command that could not be noted is begun within a second or so, not at the next look into the store", async (t) => {
  let failures = 2;
  const { inbox, quiet, clock, said } = await setup(t, undefined, {
    begin: async () => {
      failures -= 1;
      if (failures >= 0) throw new AppError("E_STORE", "the thread died");
      return true;
    },
  });
  await inbox.accept(inChat("msgt", "1", "/new", "a"));
  for (let seconds = 0; seconds < 2; seconds++) {
    await quiet();
    assert.deepEqual(said(), []);
    clock.advance(1000);
  }
  await quiet();
  assert.deepEqual(said(), ["answer to 1"]);
});

test("hundreds of commands of several platforms, each delivered again and again, are answered once each", async (t) => {
  const { inbox, quiet, said, rows } = await setup(t);
  const events = TAGS.flatMap((tag) =>
    Array.from({ length: 80 }, (_, at) => inChat(tag, `${tag}-${at}`, "/status", `c${at % 20}`)),
  );
  const first = await Promise.all(events.map((event) => inbox.accept(event)));
  const again = await Promise.all([...events, ...events, ...events].map((event) => inbox.accept(event)));
  for (let round = 0; round < 20; round++) await quiet();
  assert.deepEqual([new Set(first), new Set(again)], [new Set(["accepted"]), new Set(["duplicate"])]);
  assert.deepEqual(said().toSorted(), events.map(({ eventId }) => `answer to ${eventId}`).toSorted());
  const left = await rows();
  assert.ok(left.inbox.every(({ state }) => state === "answered"));
  assert.ok(left.outbox.every(({ state }) => state === "sent"));
});

test("a store that cannot be written confirms nothing of a rush, and everything is answered once when it comes again", async (t) => {
  const { inbox, quiet, disk, said } = await setup(t);
  const events = TAGS.flatMap((tag) =>
    Array.from({ length: 20 }, (_, at) => inChat(tag, `${tag}-${at}`, "/status", `c${at}`)),
  );
  disk.faults.fail = (op) => (op.kind === "write" ? "ENOSPC" : undefined);
  assert.deepEqual(new Set(await Promise.all(events.map((event) => inbox.accept(event)))), new Set(["busy"]));
  disk.faults.fail = undefined;
  assert.deepEqual(new Set(await Promise.all(events.map((event) => inbox.accept(event)))), new Set(["accepted"]));
  for (let round = 0; round < 10; round++) await quiet();
  assert.equal(said().length, events.length);
});

test("a service of which more than ten wait warns no one of a leak", async () => {
  const warned: string[] = [];
  const listen = ({ message }: Error) => warned.push(message);
  process.on("warning", listen);
  const service = defineService("test", async ({ signal }) => {
    for (let count = 0; count < 20; count++) signal.addEventListener("abort", () => undefined, { once: true });
  });
  await service.start();
  await new Promise((resolve) => setImmediate(resolve));
  await service.stop(0);
  process.off("warning", listen);
  assert.deepEqual(warned, []);
});
