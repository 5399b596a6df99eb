import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { Receipt } from "../../contracts/gateway/outbox.js";
import { type SegmentRules, StreamSegment } from "./stream-segment.js";

const RULES: SegmentRules = {
  textMax: 60,
  interval: 800,
  least: 0,
  threshold: 24,
  cursor: " ▉",
  editsMax: Number.POSITIVE_INFINITY,
};
const SENT: Receipt = { result: "sent", messageId: null };

const quiet = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

function written(more: Partial<SegmentRules> = {}) {
  const clock = manualClock();
  const log: string[] = [];
  const answers: Receipt[] = [];
  const notes: unknown[] = [];
  let messages = 0;
  const segment = new StreamSegment(
    {
      clock,
      begin: async (text) => {
        messages += 1;
        log.push(`new ${text}`);
        return `m${messages}`;
      },
      edit: async (id, text) => {
        log.push(`${id} ${text}`);
        return answers.shift() ?? SENT;
      },
      finish: async (id, text) => {
        log.push(`${id} final ${text}`);
      },
      note: async (visible) => {
        notes.push(visible);
        return true;
      },
    },
    { ...RULES, ...more },
  );
  let length = 0;
  const add = async (text: string) => {
    segment.add(text, length);
    length += text.length;
    await quiet();
  };
  const wait = async (ms: number) => {
    clock.advance(ms);
    await quiet();
  };
  return { clock, log, answers, notes, segment, add, wait };
}

test("a message begins with four visible characters, and grows with much new text or in its interval", async () => {
  const { add, wait, log, notes, segment } = written();
  await add("Hel");
  assert.deepEqual(log, []);
  await add("lo");
  assert.deepEqual(log, ["new Hello ▉"]);
  await add(" you");
  await wait(799);
  assert.equal(log.length, 1);
  await wait(1);
  assert.deepEqual(log.slice(1), ["m1 Hello you ▉"]);
  await add(" and everybody else here");
  assert.deepEqual(log.slice(2), ["m1 Hello you and everybody else here ▉"]);
  assert.deepEqual(notes.at(-1), {
    mode: "stream",
    messageIds: ["m1"],
    prefix: 0,
    shown: "Hello you and everybody else here",
  });
  const { id, prefix } = await segment.close();
  assert.deepEqual({ id, prefix }, { id: "m1", prefix: 0 });
});

test("a word for silence and a tag that is not whole are not shown", async () => {
  const { add, log } = written();
  await add("[SILENT]");
  await add("");
  assert.deepEqual(log, []);
  const other = written();
  await other.add("Look: MEDIA:/tmp/secr");
  assert.deepEqual(other.log, ["new Look: ▉"]);
});

test("a message that is full is finished, and another one goes on", async () => {
  const { add, log, segment } = written();
  await add(`${"word ".repeat(11)}x`);
  await add(" tail of it");
  assert.equal(log.at(-2), `m1 final ${"word ".repeat(11)}x`);
  assert.equal(log.at(-1), "new tail of it ▉");
  assert.equal((await segment.close()).prefix, 57);
});

test("a limit slows the edits down, and three in a row end them", async () => {
  const limited: Receipt = { result: "refused", error: "429", retryable: true, retryAfterMs: 1000 };
  const { add, wait, log, answers, segment } = written({ textMax: 4000 });
  await add("Hello");
  answers.push(limited, limited, limited);
  await add(" there");
  await wait(800);
  await wait(1_599);
  assert.equal(log.length, 2);
  await wait(1);
  assert.equal(log.length, 3);
  await wait(3_200);
  assert.equal(log.length, 4);
  await add(" and everything else that there is to say");
  await wait(60_000);
  assert.equal(log.length, 4);
  const closed = await segment.close();
  assert.deepEqual(
    { id: closed.id, left: closed.left, shown: closed.shown },
    { id: undefined, left: "m1", shown: "Hello" },
  );
});

test("where few edits are allowed the last one is kept for the end", async () => {
  const { add, wait, log } = written({ editsMax: 2, textMax: 4000 });
  await add("Hello");
  for (let at = 0; at < 6; at++) {
    await add(` ${at}`);
    await wait(1_000);
  }
  assert.equal(log.length, 3);
});

test("a text of which a piece is missing shows nothing more, and keeps what is visible", async () => {
  const { add, wait, log, segment } = written();
  await add("Hello");
  segment.add("far behind", 500);
  await wait(5_000);
  assert.deepEqual(log, ["new Hello ▉"]);
  assert.equal((await segment.close()).id, "m1");
});

test("an edit that is not taken is tried again in its interval, and holds up no one", async () => {
  const { add, wait, log, answers } = written({ textMax: 4000 });
  await add("Hello");
  const gone: Receipt = { result: "unknown", error: "not connected" };
  answers.push(gone, gone);
  await add(" and everybody else who is here");
  assert.equal(log.length, 2, "once, and not as often as the processor can");
  await wait(800);
  assert.equal(log.length, 3);
  await wait(800);
  assert.equal(log.at(-1), "m1 Hello and everybody else who is here ▉");
  await add(" and much more, since it is taken again");
  assert.equal(log.length, 5);
});
