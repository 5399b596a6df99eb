import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { SCREEN_KEYS } from "../../lib/contracts/ui/screen-keys.gen.js";
import { conflictsIn, keyLabel, parseKey } from "../../lib/contracts/ui/screen-keys.js";
import { BINDINGS } from "./keys.js";

test("no two actions have one key in one context", () => assert.deepEqual(conflictsIn(BINDINGS), []));

test("every key is spelled as a user may spell it in keys.yaml", () => {
  const odd = BINDINGS.flatMap(({ keys }) => keys).filter((one) => parseKey(keyLabel(one)) !== one && one !== " ");
  assert.deepEqual(odd, []);
});

test("the owner knows the same keys as the screen", () => {
  const plain = BINDINGS.map(({ id, context, keys, label }) => ({ id, context, keys, label }));
  assert.deepEqual(SCREEN_KEYS, plain);
});

test("W21 a key that keys.yaml has moved acts, and the old one does not", async (t) => {
  const { send, state, close } = await openScreen(120, 40);
  t.after(close);
  await send({ type: "called", to: "keymap", ok: true, result: { given: { zoom: ["alt+m"] }, problems: [] } });
  await send(key("f8"));
  assert.equal(state().zoom, false);
  const shown = await send(key("m", { alt: true }));
  assert.equal(state().zoom, true);
  assert.match(shown.join("\n"), /Alt\+M zoom/);
});

test("what keys.yaml gets wrong is said, and the rest holds", async (t) => {
  const { send, state, close } = await openScreen(120, 40);
  t.after(close);
  const shown = await send({
    type: "called",
    to: "keymap",
    ok: true,
    result: { given: { zoom: ["alt+m"] }, problems: ["keys.yaml: zoo: unknown action"] },
  });
  assert.match(shown.join("\n"), /zoo: unknown action/);
  await send(key("m", { alt: true }));
  assert.equal(state().zoom, true);
});
