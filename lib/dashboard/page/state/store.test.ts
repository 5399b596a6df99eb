import assert from "node:assert/strict";
import { test } from "node:test";
import { createStore } from "./store.js";

test("who looks at a store hears of each change once, and of nothing after having left", () => {
  const store = createStore(1);
  const heard: number[] = [];
  const leave = store.subscribe(() => heard.push(store.get()));
  store.set(1);
  store.update((n) => n + 1);
  leave();
  store.set(9);
  assert.deepEqual(heard, [2]);
});
