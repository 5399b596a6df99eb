import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../../fixtures/tui/screen.js";
import type { ModelRow } from "../../../lib/proto/model-rows.js";
import type { Message } from "../../messages.js";

const row = (name: string, provider: string, model: string, more: Partial<ModelRow> = {}): ModelRow => ({
  ...{ name, provider, model, base_url: "", window: null, notes: [], problem: "", current: false },
  ...more,
});
const ROWS = [
  row("acme:big-one", "acme", "big-one", { window: 128_000, current: true }),
  row("acme:small", "acme", "small", { notes: ["fallback 1"] }),
  row("", "far", "", { problem: "connection refused" }),
  row("quick", "acme", "small", { notes: ["alias"] }),
  row("offline:rules", "offline", "rules", { notes: ["stand-in"] }),
];
const typed = (text: string): Message => ({ type: "text", text });
const alt = (name: string): Message => key(name, { alt: true });
const answer = (to: string, result: unknown): Message => ({ type: "called", to, ok: true, result });

async function setup(t: TestContext, [columns, rows]: readonly [number, number] = [100, 30]) {
  const made = await openScreen(columns, rows);
  t.after(made.close);
  await made.send(typed("/model"), key("enter"), answer("models.rows", ROWS));
  const screen = async (...messages: Message[]) => (await made.send(...messages)).join("\n");
  const commands = () => made.effects.flatMap((one) => (one.do === "command" ? [one.text] : []));
  return { ...made, screen, commands };
}

test("/model without arguments opens the picker, with window, provider and what is known of each", async (t) => {
  const { screen, commands } = await setup(t);
  const shown = await screen();
  for (const part of [
    /›\*big-one +128k +acme/,
    /small +acme · fallback 1/,
    /far +far: connection refused/,
    /quick +acme · alias/,
    /rules +offline · stand-in/,
  ])
    assert.match(shown, part);
  assert.deepEqual(commands(), []);
});

test("typing filters, Enter uses it in this conversation, Alt+G in new ones too", async (t) => {
  const { screen, commands } = await setup(t);
  await screen(typed("small"), key("enter"));
  await screen(typed("/model"), key("enter"), answer("models.rows", ROWS), typed("quick"), alt("g"));
  assert.deepEqual(commands(), ["/model acme:small", "/model quick --global"]);
});

test("a provider that lists nothing says why, and can be tested", async (t) => {
  const { screen, commands, effects } = await setup(t);
  assert.match(await screen(typed("far"), key("enter")), /far: connection refused/);
  await screen(alt("t"));
  assert.deepEqual(effects.at(-1), { do: "call", method: "models.test", params: { provider: "far" }, to: "models.tested", reads: true });
  assert.match(await screen(answer("models.tested", { ok: false, ms: 41, text: "refused" })), /refused \(41 ms\)/);
  assert.deepEqual(commands(), []);
});

test("a key is typed hidden, goes to the owner, and stays nowhere on the screen", async (t) => {
  const { screen, effects, state } = await setup(t);
  const shown = await screen(alt("k"), typed("sk-secret"));
  assert.match(shown, /key of acme \(hidden\): •••••••••/);
  assert.doesNotMatch(shown, /sk-secret/);
  await screen(key("enter"));
  assert.deepEqual(effects.at(-1), {
    do: "call",
    method: "models.set_key",
    params: { provider: "acme", key: "sk-secret" },
    to: "models.stored",
  });
  assert.doesNotMatch(JSON.stringify([state().overlay, state().composer]), /sk-secret/);
  assert.match(await screen(answer("models.stored", { stored: "ACME_API_KEY" })), /stored as ACME_API_KEY/);
});

test("Escape leaves the key, then the picker", async (t) => {
  const { screen, state } = await setup(t);
  await screen(alt("k"), typed("x"), key("escape"));
  assert.equal(state().overlay?.kind, "models");
  await screen(key("escape"));
  assert.equal(state().overlay, undefined);
});

for (const size of [
  [40, 12],
  [80, 24],
] as const)
  test(`the model picker stands whole on a screen of ${size.join("x")}`, async (t) => {
    const { screen } = await setup(t, size);
    assert.match(await screen(), /╔ Models[\s\S]*big-one[\s\S]*╝/);
  });
