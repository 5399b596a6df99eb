import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionId } from "../../base/units.js";
import { createLineageResources } from "./lineage-resources.js";

const id = (n: number) => `s${n}` as SessionId; // any text names a lineage here
const entry = (idle: boolean, closed: string[] = []) => ({
  idle: () => idle,
  close: async () => {
    closed.push("closed");
  },
});

test("what a lineage keeps is there for its next conversation, and only what lasts is kept", async () => {
  const resources = createLineageResources();
  const mine = entry(true);
  assert.equal(
    resources.of(id(1)).of("process", () => mine),
    mine,
  );
  assert.equal(
    resources.of(id(1)).of("process", () => entry(true)),
    mine,
  );
  assert.equal(
    resources.of(id(1)).of("terminal", () => entry(true)),
    undefined,
  );
  assert.equal(resources.peek(id(2), "process"), undefined);
});

test("a lineage that is left with nothing in it is forgotten; one with a background process, running or ended, is not", () => {
  const resources = createLineageResources();
  const held = (n: number, empty: boolean) =>
    resources.of(id(n)).of("process", () => ({ ...entry(true), empty: () => empty }));
  held(1, true);
  held(2, false);
  for (const n of [1, 2, 3]) resources.of(id(n)).leave();
  assert.deepEqual(
    [1, 2, 3].map((n) => resources.peek(id(n), "process") !== undefined),
    [false, true, false],
  );
  assert.equal(resources.named("process").length, 1);
});

test("lineages that are idle and were used longest ago are forgotten, one with work never", async () => {
  const resources = createLineageResources();
  const closed: string[] = [];
  for (let n = 0; n < 300; n++) resources.of(id(n)).of("process", () => entry(n !== 0, closed));
  assert.notEqual(resources.peek(id(0), "process"), undefined);
  assert.equal(resources.peek(id(1), "process"), undefined);
  assert.notEqual(resources.peek(id(299), "process"), undefined);
  await resources.stop();
  assert.equal(closed.length, 256);
});

test("processes of all lineages are ended although those of one could not be, and none waits for another", async () => {
  const resources = createLineageResources();
  const closed: string[] = [];
  let release: () => void = () => undefined;
  const last = new Promise<void>((resolve) => {
    release = resolve;
  });
  resources.of(id(1)).of("process", () => ({ close: () => Promise.reject(new Error("no such group")) }));
  resources.of(id(2)).of("process", () => ({ close: () => last.then(() => void closed.push("second")) }));
  resources.of(id(3)).of("process", () => ({
    close: async () => {
      closed.push("third");
      release();
    },
  }));
  await assert.rejects(resources.stop(), /no such group/);
  assert.deepEqual(closed, ["third", "second"]);
});
