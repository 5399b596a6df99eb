import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../../fixtures/ports/disk.js";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simMessage, simPlatform } from "../../../fixtures/sim/platform.js";
import type { InboxBatch } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd } from "../../contracts/gateway/outbox.js";
import { toReceipt } from "../adapter/send-outcome.js";
import { ageNote } from "../inbox/batches.js";
import type { GatewayTurns, LeftTurnOutcome } from "./dispatch.js";

/** Turns that a test ends by hand, and what it knows of those before. */
class HandTurns implements GatewayTurns {
  readonly log: string[] = [];
  readonly open: (() => void)[] = [];
  fates: Readonly<Record<string, LeftTurnOutcome>> = {};
  most: number | undefined;
  #named = 0;

  name(): string {
    this.#named += 1;
    return `n${this.#named}`;
  }

  run(turn: string, batch: InboxBatch, signal: AbortSignal): Promise<InboxTurnEnd> {
    this.log.push(`run ${batch.text}`);
    return this.#work(turn, batch, signal);
  }

  resume(turn: string, interrupted: string, batch: InboxBatch, signal: AbortSignal): Promise<InboxTurnEnd> {
    this.log.push(`resume ${interrupted} ${batch.text}`);
    return this.#work(turn, batch, signal);
  }

  async fate(turn: string): Promise<LeftTurnOutcome> {
    return this.fates[turn] ?? { was: "absent" };
  }

  readonly atOnce = () => this.most;

  failure(turn: string, batch: InboxBatch, error: string): InboxTurnEnd {
    return { ...answer(turn, batch, `sorry: ${error}`), state: "failed", reason: error };
  }

  #work(turn: string, batch: InboxBatch, signal: AbortSignal): Promise<InboxTurnEnd> {
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (batch.text === "boom") reject(new Error("a defect"));
      else this.open.push(() => resolve(answer(turn, batch, `re: ${batch.text}`)));
    });
  }

  /** End the oldest turn that is open. */
  end(): void {
    this.open.shift()?.();
  }
}

function answer(turn: string, { rows }: InboxBatch, text: string): InboxTurnEnd {
  const target = {
    platform: "msgt",
    account: "bot",
    chatId: rows[0]?.chat_id ?? "",
    threadId: null,
    replyTo: null,
  } as const;
  return {
    state: "answered",
    reason: null,
    sends: [{ kind: "answer", target, turn: { id: turn, seq: 0 }, payload: { text, format: "plain", silent: false } }],
  };
}

async function setup(t: TestContext, options: { disk?: SimDisk; fates?: HandTurns["fates"]; most?: number } = {}) {
  const { disk = simDisk(), fates = {}, most } = options;
  const clock = manualClock();
  const turns = new HandTurns();
  turns.fates = fates;
  turns.most = most;
  const platform = simPlatform("msgt", () => clock.now(), toReceipt);
  const world = await gatewayWorld({ platforms: [platform], clock, disk, turns: () => turns });
  t.after(() => world.stop());
  const say = async (id: string, text: string, chat = "c1") => {
    await world.inbox.accept(simMessage("msgt", id, text, chat));
    await world.quiet();
  };
  const seen = () => platform.ledger.map(({ text }) => text);
  return { ...world, disk, turns, platform, say, seen };
}

test("a session works one message after the other, in order, and another session beside it", async (t) => {
  const { start, say, turns, quiet, seen } = await setup(t);
  await start();
  await say("1", "one");
  await say("2", "two");
  await say("3", "elsewhere", "c2");
  assert.deepEqual(turns.log, ["run one", "run elsewhere"]);
  turns.end();
  await quiet();
  assert.deepEqual(turns.log, ["run one", "run elsewhere", "run two"]);
  turns.end();
  turns.end();
  await quiet();
  assert.deepEqual(seen(), ["re: one", "re: elsewhere", "re: two"]);
});

test("what arrived before the start is worked on after it", async (t) => {
  const { start, say, turns, quiet } = await setup(t);
  await say("1", "early");
  assert.deepEqual(turns.log, []);
  await start();
  await quiet();
  assert.deepEqual(turns.log, ["run early"]);
});

test("above the limit of sessions a message waits for its turn", async (t) => {
  const { start, say, turns, quiet } = await setup(t, { most: 1 });
  await start();
  await say("1", "one");
  await say("2", "two", "c2");
  assert.deepEqual(turns.log, ["run one"]);
  turns.end();
  await quiet();
  assert.deepEqual(turns.log, ["run one", "run two"]);
});

test("a turn that breaks is told, and its session goes on", async (t) => {
  const { start, say, turns, seen, rows } = await setup(t);
  await start();
  await say("1", "boom");
  await say("2", "next");
  assert.deepEqual([seen(), turns.log], [["sorry: a defect"], ["run boom", "run next"]]);
  assert.deepEqual(
    (await rows()).inbox.map(({ state }) => state),
    ["failed", "running"],
  );
});

/** One life in which a turn of "one" is open and "two" waits behind it, and what a kill leaves of it. */
async function killed(t: TestContext): Promise<SimDisk> {
  const { start, say, disk } = await setup(t);
  await start();
  await say("1", "one");
  await say("2", "two");
  return disk.fork();
}

test("after a kill the interrupted turn goes on before what came meanwhile", async (t) => {
  const { start, say, turns, quiet, seen } = await setup(t, {
    disk: await killed(t),
    fates: { n1: { was: "interrupted" } },
  });
  await start();
  await say("3", "three");
  assert.deepEqual(turns.log, ["resume n1 one"]);
  for (let n = 0; n < 3; n++) {
    turns.end();
    await quiet();
  }
  assert.deepEqual(turns.log, ["resume n1 one", "run two", "run three"]);
  assert.deepEqual(seen(), ["re: one", "re: two", "re: three"]);
});

test("after a kill a turn that the conversation knows nothing of begins again", async (t) => {
  const { start, turns, quiet } = await setup(t, { disk: await killed(t) });
  await start();
  await quiet();
  assert.deepEqual(turns.log, ["run one"]);
});

test("after a kill the answer of a turn that had ended is sent, and the model is not asked again", async (t) => {
  const ended: LeftTurnOutcome = {
    was: "ended",
    end: {
      state: "answered",
      reason: null,
      sends: [
        {
          kind: "answer",
          target: { platform: "msgt", account: "bot", chatId: "c1", threadId: null, replyTo: null },
          turn: { id: "n1", seq: 0 },
          payload: { text: "kept", format: "plain", silent: false },
        },
      ],
    },
  };
  const { start, turns, quiet, seen } = await setup(t, { disk: await killed(t), fates: { n1: ended } });
  await start();
  await quiet();
  assert.deepEqual([turns.log, seen()], [["run two"], ["kept"]]);
});

test("draining waits for the turn that runs and for its answer, begins none, and keeps what arrives", async (t) => {
  const { start, say, turns, quiet, seen, drain, rows } = await setup(t);
  await start();
  await say("1", "one");
  let drained: boolean | undefined;
  const done = drain(180_000).then((all) => {
    drained = all;
  });
  await say("2", "two");
  assert.deepEqual([drained, turns.log], [undefined, ["run one"]]);
  turns.end();
  await quiet();
  await done;
  assert.deepEqual([drained, seen(), turns.log], [true, ["re: one"], ["run one"]]);
  assert.deepEqual(
    (await rows()).inbox.map(({ state }) => state),
    ["answered", "waiting"],
  );
});

test("draining gives up at its limit, and nothing is lost", async (t) => {
  const { start, say, drain, clock, quiet, rows } = await setup(t);
  await start();
  await say("1", "one");
  const done = drain(180_000);
  await quiet();
  clock.advance(180_000);
  assert.equal(await done, false);
  assert.deepEqual(
    (await rows()).inbox.map(({ state }) => state),
    ["running"],
  );
});

test("draining does not wait for a platform that is away", async (t) => {
  const { start, supervisor, outbox, drain, quiet, rows } = await setup(t);
  await start();
  await supervisor.pause("msgt");
  await quiet();
  const target = { platform: "msgt", account: "bot", chatId: "c1", threadId: null, replyTo: null } as const;
  await outbox.insert([{ kind: "notice", target, payload: { text: "later", format: "plain", silent: false } }]);
  assert.equal(await drain(180_000), true);
  assert.deepEqual(
    (await rows()).outbox.map(({ state }) => state),
    ["pending"],
  );
});

test("a message that waited longer than ten minutes says how old it is", () => {
  assert.equal(ageNote(0, 600_000), undefined);
  assert.equal(ageNote(0, 660_000), "[This message is 11 minutes old.]");
  assert.equal(ageNote(0, 3 * 3_600_000), "[This message is 3 hours old.]");
});
