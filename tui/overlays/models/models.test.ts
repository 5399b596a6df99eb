import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../../fixtures/tui/screen.js";
import type { ModelRow } from "../../../lib/contracts/models/model-rows.js";
import type { Effect, Message } from "../../model/messages.js";

const row = (name: string, provider: string, model: string, more: Partial<ModelRow> = {}): ModelRow => ({
  name,
  provider,
  model,
  base_url: "",
  window: null,
  notes: [],
  problem: "",
  current: false,
  ...more,
});
const ROWS = [
  row("acme:big-one", "acme", "big-one", { window: 128_000, current: true }),
  row("acme:small", "acme", "small", { notes: ["fallback 1"] }),
  row("", "far", "", { problem: "connection refused" }),
  row("quick", "acme", "small", { notes: ["alias"] }),
  row("offline:rules", "offline", "rules", { notes: ["offline assistant"] }),
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
    /rules +offline · offline assistant/,
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
  assert.deepEqual(effects.at(-1), {
    do: "call",
    method: "models.test",
    params: { provider: "far" },
    to: "models.tested",
    reads: true,
  });
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

const NEW_ROWS = [
  ROWS[4],
  row("", "anthropic", "", { label: "Anthropic", needs: "key", notes: ["Claude", "Enter: add a key"] }),
  row("", "router", "", { label: "OpenRouter", needs: "nothing", notes: ["Enter: use the key in ROUTER_API_KEY"] }),
  row("", "custom", "", {
    label: "Another server",
    needs: "address",
    notes: ["Ollama, LM Studio", "Enter: add its address"],
  }),
];
const lastCall = (effects: readonly Effect[]) =>
  effects.findLast((one) => one.do === "call" && one.method === "models.set_up");

test("/setup in an empty home opens the providers by the names people know, and Enter asks for a key", async (t) => {
  const made = await openScreen(110, 30);
  t.after(made.close);
  const send = async (...messages: Message[]) => (await made.send(...messages)).join("\n");
  const shown = await send(typed("/setup"), key("enter"), answer("models.rows", NEW_ROWS));
  for (const part of [/Anthropic +Claude · Enter: add a key/, /OpenRouter/, /Another server +Ollama, LM Studio/])
    assert.match(shown, part);
  assert.match(await send(typed("claude")), /Anthropic/);
  assert.match(await send(key("enter"), typed("sk-1")), /key of Anthropic \(hidden\): ••••/);
  assert.match(await send(key("enter")), /listing the models of Anthropic/);
  assert.deepEqual(lastCall(made.effects), {
    do: "call",
    method: "models.set_up",
    to: "models.set_up",
    params: { provider: "anthropic", key: "sk-1" },
  });
  assert.doesNotMatch(JSON.stringify(made.state().overlay), /sk-1/);
  const added = answer("models.set_up", { provider: "anthropic", models: 2, default: "claude-x" });
  const listed = answer("models.rows", [row("anthropic:claude-x", "anthropic", "claude-x")]);
  assert.match(
    await send(added, listed),
    /claude-x[\s\S]*anthropic is set up and lists 2 models\. New sessions use claude-x\./,
  );
});

test("a key of the environment is used by Enter alone; a server is asked for by its address, and may have no key", async (t) => {
  const { screen, effects } = await setup(t);
  await screen(alt("r"), answer("models.rows", NEW_ROWS), key("down"), key("down"), key("enter"));
  assert.deepEqual(lastCall(effects), {
    do: "call",
    method: "models.set_up",
    to: "models.set_up",
    params: { provider: "router" },
  });
  const refused: Message = {
    type: "called",
    to: "models.set_up",
    ok: false,
    code: "E_INVALID",
    message: "Nothing was stored: 401",
  };
  assert.match(await screen(refused), /Nothing was stored: 401/);
  assert.match(
    await screen(key("down"), key("enter"), typed("http://127.0.0.1:9/v1")),
    /address.*: http:\/\/127\.0\.0\.1:9\/v1/,
  );
  assert.match(await screen(key("enter")), /Enter for none/);
  await screen(key("enter"));
  const params = { provider: "custom", base_url: "http://127.0.0.1:9/v1" };
  assert.deepEqual(lastCall(effects), { do: "call", method: "models.set_up", to: "models.set_up", params });
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
