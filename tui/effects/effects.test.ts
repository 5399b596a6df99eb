import assert from "node:assert/strict";
import { test } from "node:test";
import type { EffectOptions } from "./effect.js";
import { createEffectRunners } from "./effects.js";

const MANY = 12;

test("a screen that waits for a dozen answers at once prints no warning of listeners", async (t) => {
  const warned: string[] = [];
  const hear = ({ name, message }: Error) => {
    if (name === "MaxListenersExceededWarning") warned.push(message);
  };
  process.on("warning", hear);
  t.after(() => process.off("warning", hear));
  let answer: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  const client = {
    call: async () => {
      asked += 1;
      await all;
    },
  };
  // Nothing else of it is looked at before the feeds are started.
  const options = { client, after: () => () => undefined, log: () => undefined } as unknown as EffectOptions;
  const feeds = createEffectRunners(options, () => undefined);
  for (let at = 0; at < MANY; at++) feeds.perform({ do: "call", method: "a.b", params: {} }, undefined);
  await new Promise((resolve) => setImmediate(resolve));
  answer();
  await feeds.stop();
  assert.deepEqual([asked, warned], [MANY, []]);
});
