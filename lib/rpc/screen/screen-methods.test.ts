import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import type { Method } from "../../backplane/methods.js";
import type { SessionRow } from "../../contracts/chat/session-overview.js";
import type { ModelRow, ProviderSetUp } from "../../contracts/models/model-rows.js";
import type { PaletteItems } from "../../contracts/ui/palette.js";
import { MODEL_BASE_URL } from "../../models/keys.js";
import { sessionOverviewMethods } from "../sessions/session-overview.js";
import { screenKeyMethods } from "./display-methods.js";
import { modelMethods } from "./model-methods.js";
import { paletteMethods } from "./palette-methods.js";
import { screenStartMethods } from "./screen-start.js";

async function setup(t: TestContext) {
  const owner = await chatOwner(t, { script: () => ({ text: "hello" }) });
  const methods = new Map<string, Method>([
    ...paletteMethods(owner.app),
    ...sessionOverviewMethods(owner.app),
    ...modelMethods(owner.app),
    ...screenKeyMethods(owner.app.settings),
    ...screenStartMethods(owner.app),
  ]);
  const call = async <T>(name: string, params: object = {}): Promise<T> => {
    const method = methods.get(name);
    assert.ok(method, name);
    const client = { kind: "workspace", signal: new AbortController().signal };
    // What a client gets has been JSON on its way.
    return JSON.parse(
      JSON.stringify(await method.run(method.params.parse(params) as never, client as never, {} as never)),
    );
  };
  return { owner, call };
}

const text = (value: unknown): boolean => typeof value === "string";

test("the palette gets sessions, tasks and settings of a home, each with its words", async (t) => {
  const { owner, call } = await setup(t);
  const { session_id: id } = await owner.ask("fix the parser");
  const board = owner.app.board;
  await board.create("default" as never, { title: "Docs for the lexer" } as never, { kind: "human", name: "user" });
  const items = await call<PaletteItems>("palette.items", { session_id: id });
  assert.ok(items.sessions.some((one) => one.id === id && one.title.includes("parser")));
  assert.deepEqual(
    items.tasks.map(({ board: slug, title }) => [slug, title]),
    [["default", "Docs for the lexer"]],
  );
  assert.ok(
    items.settings.length > 50 &&
      items.settings.every(({ key, value, help }) => text(key) && text(value) && text(help)),
  );
});

test("what was used last is remembered, ten things at most, newest first", async (t) => {
  const { call } = await setup(t);
  for (let at = 0; at < 12; at++) await call("palette.used", { key: `task:${at}` });
  await call("palette.used", { key: "task:5" });
  const { recent } = await call<PaletteItems>("palette.items");
  assert.deepEqual([recent.length, recent[0], recent[1]], [10, "task:5", "task:11"]);
});

test("the overview of sessions tells messages and state, and pinned ones stand on top", async (t) => {
  const { owner, call } = await setup(t);
  const { session_id: first } = await owner.ask("one");
  const { session_id: second } = await owner.ask("two");
  await call("session.pin", { session_id: first, pinned: true });
  const rows = await call<SessionRow[]>("session.overview", { cwd: owner.work });
  assert.deepEqual(
    rows.map(({ id, pinned, running, messages }) => [id, pinned, running, messages]),
    [
      [first, true, false, 2],
      [second, false, false, 2],
    ],
  );
  assert.deepEqual(await call("session.overview", { cwd: "/nowhere" }), []);
});

test("the model picker gets what is offered, marks what is in use, and the stand-in is always there", async (t) => {
  const { owner, call } = await setup(t);
  const { session_id: id } = await owner.ask("hello");
  const rows = await call<ModelRow[]>("models.list", { session_id: id });
  assert.ok(
    rows.some(({ current }) => current),
    JSON.stringify(rows),
  );
  assert.ok(rows.some(({ provider, notes }) => provider === "offline" && notes.includes("offline assistant")));
  await owner.app.chat.setModel(id, { provider: "offline", model: "offline-1" });
  const chosen = await call<ModelRow[]>("models.list", { session_id: id });
  assert.deepEqual(
    chosen.filter(({ current }) => current).map(({ name }) => name),
    ["offline:offline-1"],
    "chosen since the last turn",
  );
  const told = await call<{ ok: boolean; text: string }>("models.test", { provider: "custom" });
  assert.equal(typeof told.ok, "boolean");
});

test("a key of a provider goes into the home's .env under the name of its entry", async (t) => {
  const { owner, call } = await setup(t);
  await owner.app.settings.set("providers.acme", '{ base_url: "http://127.0.0.1:1/v1" }', {
    asText: false,
    force: true,
  });
  assert.deepEqual(await call("models.set_key", { provider: "acme", key: "sk-secret" }), { stored: "ACME_API_KEY" });
  assert.equal(owner.app.options.config.env["ACME_API_KEY"], "sk-secret");
  await assert.rejects(call("models.set_key", { provider: "nobody", key: "x" }), /unknown provider nobody/);
});

test("an empty home gets the providers that people know, and a server with a key is stored once it lists its models", async (t) => {
  const server = await startModelServer({ models: ["alpha-1", "beta-1"], auxiliary: false });
  t.after(() => server.close());
  const { owner, call } = await setup(t);
  const rows = await call<ModelRow[]>("models.list");
  for (const [label, needs] of [
    ["OpenAI", "key"],
    ["Anthropic", "key"],
    ["OpenRouter", "key"],
    ["Another server", "address"],
  ])
    assert.equal(rows.find((one) => one.label === label)?.needs, needs, label);
  const gone = { provider: "custom", base_url: "http://127.0.0.1:1/v1" };
  await assert.rejects(call("models.set_up", gone), /Nothing stored/);
  await assert.rejects(call("models.set_up", { provider: "anthropic" }), /Anthropic requires a key/);
  await assert.rejects(call("models.set_up", { provider: "nobody", key: "x" }), /unknown provider nobody/);
  const stored = await call<ProviderSetUp>("models.set_up", {
    provider: "custom",
    base_url: server.url,
    key: "sk-secret",
  });
  assert.deepEqual([stored.provider, stored.models], ["custom", 2]);
  const { config } = owner.app.options;
  assert.deepEqual([config.env["MODEL_API_KEY"], config.get(MODEL_BASE_URL)], ["sk-secret", server.url]);
  assert.doesNotMatch(readFileSync(owner.home.config, "utf8"), /sk-secret/);
});

test("keys.yaml is read, and what of it does not hold is named", async (t) => {
  const { owner, call } = await setup(t);
  writeFileSync(join(owner.home.dir, "keys.yaml"), "zoom: Alt+M\nhelp: [F1, Blah]\nsuspend: none\nzoo: F9\n");
  const { given, problems } = await call<{ given: object; problems: string[] }>("screen.keys");
  assert.deepEqual(given, { zoom: ["alt+m"], help: ["f1"], suspend: [], zoo: ["f9"] });
  assert.match(problems.join("\n"), /unknown key "Blah"[\s\S]*zoo: unknown action/);
  writeFileSync(join(owner.home.dir, "keys.yaml"), "zoom: [");
  const broken = await call<{ given: object; problems: string[] }>("screen.keys");
  assert.deepEqual([broken.given, broken.problems.length], [{}, 1]);
});

test("an empty conversation is told who serves, and the newest one of its directory that someone talked in", async (t) => {
  const { owner, call } = await setup(t);
  const first = await call<{ offer: unknown; serving: { how: string } }>("screen.start", { cwd: owner.work });
  assert.deepEqual([first.offer, first.serving.how], [null, "configured"]);
  const { session_id: id } = await owner.ask("fix the parser");
  const { id: empty } = await owner.open();
  const { offer } = await call<{ offer: { id: string; messages: number } }>("screen.start", {
    cwd: owner.work,
    session_id: empty,
  });
  assert.deepEqual([offer.id, offer.messages], [id, 2]);
});
