import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionId } from "../../base/units.js";
import { createLasting } from "./lasting.js";

const id = (n: number) => `s${n}` as SessionId; // any text names a lineage here
const entry = (idle: boolean, closed: string[] = []) => ({
  idle: () => idle,
  close: async () => {
    closed.push("closed");
  },
});

test("what a lineage keeps is there for its next conversation, and only what lasts is kept", async () => {
  const lasting = createLasting();
  const mine = entry(true);
  assert.equal(
    lasting.of(id(1)).of("process", () => mine),
    mine,
  );
  assert.equal(
    lasting.of(id(1)).of("process", () => entry(true)),
    mine,
  );
  assert.equal(
    lasting.of(id(1)).of("terminal", () => entry(true)),
    undefined,
  );
  assert.equal(lasting.peek(id(2), "process"), undefined);
});

test("a lineage that is left with nothing in it is forgotten; one with a background process, running or ended, is not", () => {
  const lasting = createLasting();
  const held = (n: number, empty: boolean) =>
    lasting.of(id(n)).of("process", () => ({ ...entry(true), empty: () => empty }));
  held(1, true);
  held(2, false);
  for (const n of [1, 2, 3]) lasting.of(id(n)).leave();
  assert.deepEqual(
    [1, 2, 3].map((n) => lasting.peek(id(n), "process") !== undefined),
    [false, true, false],
  );
  assert.equal(lasting.named("process").length, 1);
});

test("lineages that are idle and were used longest ago are forgotten, one with work never", async () => {
  const lasting = createLasting();
  const closed: string[] = [];
  for (let n = 0; n < 300; n++) lasting.of(id(n)).of("process", () => entry(n !== 0, closed));
  assert.notEqual(lasting.peek(id(0), "process"), undefined);
  assert.equal(lasting.peek(id(1), "process"), undefined);
  assert.notEqual(lasting.peek(id(299), "process"), undefined);
  await lasting.stop();
  assert.equal(closed.length, 256);
});

test("processes of all lineages are ended although those of one could not be, and none waits for another", async () => {
  const lasting = createLasting();
  const closed: string[] = [];
  let release: () => void = () => undefined;
  const last = new Promise<void>((resolve) => {
    release = resolve;
  });
  lasting.of(id(1)).of("process", () => ({ close: () => Promise.reject(new Error("no such group")) }));
  lasting.of(id(2)).of("process", () => ({ close: () => last.then(() => void closed.push("second")) }));
  lasting.of(id(3)).of("process", () => ({
    close: async () => {
      closed.push("third");
      release();
    },
  }));
  await assert.rejects(lasting.stop(), /no such group/);
  assert.deepEqual(closed, ["third", "second"]);
});
