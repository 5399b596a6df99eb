import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld } from "../../../fixtures/sim/chat-world.js";
import { createModelsApi } from "../../app/models/models-api.js";
import { silentLog } from "../../base/log/log.js";
import { runSlash, type SlashServices } from "../../cli/run-slash.js";
import { createSettings } from "../../config/settings-service.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import { COMMANDS } from "../index.gen.js";

type Json = Readonly<Record<string, unknown>>;

/** A conversation of an owner with two providers on one server, and the slash commands in it. */
async function setup(t: TestContext, mode = "responses") {
  const server = await startModelServer({ models: ["alpha-1", "beta-1"], auxiliary: false });
  t.after(() => server.close());
  const world = await chatWorld(t, {
    config: `# mine
model: { provider: p, default: alpha-1 }
providers:
  p: { base_url: "${server.url}", api_mode: ${mode}, context_length: 128000 }
  q: { base_url: "${server.url}?q=1", context_length: 64000, quirks: { fast: service_tier, reasoning: reasoning_effort } }
  tiny: { base_url: "${server.url}?t=1", context_length: 4000 }
`,
  });
  const session = await world.open();
  const slash = (text: string, on: SessionRecord = session) => {
    const services = {
      home: world.home,
      cwd: world.work,
      env: {},
      columns: 80,
      color: false,
      signal: new AbortController().signal,
      log: silentLog,
      chat: world.chat,
      config: world.config,
      settings: createSettings(world.home, world.config),
      models: createModelsApi(world.app(), async () => world.models),
    };
    return runSlash({ text, session: on.id }, services as unknown as SlashServices, COMMANDS); // these commands use neither board nor owner
  };
  const last = () => JSON.parse(server.chats().at(-1)?.raw ?? "{}") as Json;
  return { server, world, session, slash, last };
}

test("/model knows the names that the user gave to models, old and new, with and without an address", async (t) => {
  proves(t, "slash.model-aliases");
  const { slash, world, session } = await setup(t);
  const own = join(world.home.dir, "config.yaml");
  appendFileSync(
    own,
    'model_aliases: { fast: "q:beta-1", box: { provider: custom, model: boxed, base_url: "http://127.0.0.1:9/v1" } }\n',
  );
  writeFileSync(
    own,
    readFileSync(own, "utf8").replace(
      "default: alpha-1 }",
      "default: alpha-1, aliases: { big: { provider: q, model: alpha-1 } } }",
    ),
  );
  await world.config.reload();
  const chosen = async (name: string) => {
    const { text } = await slash(`/model ${name}`);
    return text.split("\n")[0];
  };
  assert.equal(await chosen("fast"), "Now beta-1 via q, window 64000 tokens.");
  assert.equal(await chosen("big"), "Now alpha-1 via q, window 64000 tokens.");
  assert.deepEqual(await world.chat.modelOf(session.id), { provider: "q", model: "alpha-1" });
});

test("/model lists what the providers offer, and marks the one in use", async (t) => {
  const { slash } = await setup(t);
  const { text, data, exit } = await slash("/model");
  assert.equal(exit, 0, text);
  assert.match(text, /^Model: alpha-1 via p\np:\n {2}\* alpha-1\n {4}beta-1\nq:/);
  const { current, providers } = data as { current: Json; providers: readonly Json[] };
  assert.deepEqual([current["model"], providers.map((one) => one["provider"])], ["alpha-1", ["p", "q", "tiny"]]);
});

test("/model NAME changes this conversation from its next message on, and no other one", async (t) => {
  const { world, session, slash, last } = await setup(t);
  await world.say(session, "one");
  const { text, exit } = await slash("/model q:beta-1");
  assert.equal(exit, 0, text);
  assert.match(text, /Now beta-1 via q, window 64000 tokens\.[\s\S]*cache is lost/);
  const { result } = await world.say(session, "two");
  assert.deepEqual([result.provider, result.model, last()["model"]], ["q", "beta-1", "beta-1"]);
  assert.match(String((await world.chat.get(session.id))?.system_prompt), /beta-1/);
  assert.equal((await world.say(await world.open(), "three")).result.model, "alpha-1");
});

test("a model that its provider does not list is chosen with a warning", async (t) => {
  const { slash } = await setup(t);
  const { text, exit } = await slash("/model q:gamma");
  assert.equal(exit, 0);
  assert.match(text, /Now gamma via q[\s\S]*q does not list gamma/);
});

test("the choice of a conversation outlives a restart, and a front end with another wish ends it", async (t) => {
  const { world, session, slash } = await setup(t);
  await slash("/model beta-1 --provider q");
  await world.say(session, "one");
  const again = await world.reopen(session.id);
  assert.equal((await world.say(again, "two")).result.provider, "q");
  const other = await world.chat.resume(session.id, {
    source: "cli",
    cwd: world.work,
    env: {},
    model: "alpha-1",
    provider: "p",
  });
  assert.equal((await world.say(other, "three")).result.provider, "p");
});

test("a model named on the command line wins over the one that /model chose, for as long as it is named", async (t) => {
  const { world, session, slash } = await setup(t);
  await slash("/model q:beta-1");
  await slash("/reasoning high");
  const front = { source: "cli", cwd: world.work, env: {} } as const;
  for (const text of ["one", "two"]) {
    const named = await world.chat.resume(session.id, { ...front, model: "alpha-1", provider: "p" });
    assert.equal((await world.say(named, text)).result.provider, "p");
  }
  assert.equal((await world.say(await world.chat.resume(session.id, front), "three")).result.provider, "q");
});

test("a model that /model chose wins over the flags that the same front end was started with", async (t) => {
  const { world, session, slash } = await setup(t);
  const front = { source: "cli", cwd: world.work, env: {}, model: "alpha-1", provider: "p" } as const;
  await world.chat.resume(session.id, front);
  await slash("/model q:beta-1");
  assert.equal((await world.say(session, "one")).result.provider, "q");
  assert.equal((await world.say(await world.chat.resume(session.id, front), "two")).result.provider, "q");
});

test("/model NAME keeps the conversation's provider where several offer the model", async (t) => {
  const { slash } = await setup(t);
  assert.match((await slash("/model beta-1")).text, /^Now beta-1 via p,/);
  await slash("/model q:beta-1");
  assert.match((await slash("/model alpha-1")).text, /^Now alpha-1 via q,/);
  assert.match((await slash("/model alph")).text, /^Still alpha-1 via q,/);
});

test("/model NAME names the providers where several others offer the model, and asks for one", async (t) => {
  const { world, session, slash } = await setup(t);
  const own = '  own: { base_url: "http://127.0.0.1:9/v1", models: { solo: { context_length: 64000 } } }\n';
  const file = readFileSync(world.home.config, "utf8");
  writeFileSync(world.home.config, file.replace("  tiny:", `${own}  tiny:`));
  await world.config.reload();
  const chosen = await slash("/model own:solo");
  assert.equal(chosen.exit, 0, chosen.text);
  const { text, exit } = await slash("/model alpha-1");
  assert.equal(exit, 2, text);
  assert.match(text, /several providers offer alpha-1: p, q, tiny/);
  assert.match(text, /p:alpha-1/);
  assert.equal((await world.chat.modelOf(session.id)).model, "solo");
});

test("/model --global is for new sessions too, and the file keeps its comments", async (t) => {
  const { world, slash } = await setup(t);
  const { text } = await slash("/model q:beta-1 --global");
  assert.match(text, /New sessions use it too/);
  const { readFileSync } = await import("node:fs");
  assert.match(readFileSync(world.home.config, "utf8"), /^# mine\n/);
  assert.equal((await world.say(await world.open(), "hi")).result.provider, "q");
});

const REFUSED: readonly (readonly [line: string, said: RegExp])[] = [
  ["/model gamma", /no provider offers gamma/],
  ["/model anthropic:claude-sonnet-4", /Anthropic does not have a key yet: choose it in \/model/],
  ["/model openai:gpt-5", /OpenAI does not have a key yet/],
  ["/model nobody:x", /no provider offers nobody:x/],
  ["/model tiny:alpha-1", /4000 tokens \(minimum 16000\)/],
  ["/model x --provider nobody", /unknown provider nobody/],
  ["/reasoning extreme", /what/],
  ["/fast slow", /what/],
];

for (const [line, said] of REFUSED) {
  test(`${line} is refused and changes nothing`, async (t) => {
    const { world, session, slash } = await setup(t);
    const { text, exit } = await slash(line);
    assert.notEqual(exit, 0);
    assert.match(text, said);
    assert.deepEqual(await world.chat.modelOf(session.id), {});
  });
}

const WIRES: readonly (readonly [mode: string, effort: (body: Json) => unknown])[] = [
  ["responses", (body) => body["reasoning"]],
  ["anthropic_messages", (body) => body["thinking"]],
];

for (const [mode, effort] of WIRES) {
  test(`/reasoning high reaches the ${mode} wire, and /reasoning none takes it away`, async (t) => {
    const { world, session, slash, last } = await setup(t, mode);
    await slash("/reasoning high");
    await world.say(session, "one");
    const told = {
      responses: { effort: "high", summary: "auto" },
      anthropic_messages: { type: "enabled", budget_tokens: 16_000 },
    }[mode];
    assert.deepEqual(effort(last()), told);
    await slash("/reasoning none");
    await world.say(session, "two");
    assert.equal(effort(last()), undefined);
  });
}

test("/reasoning tells effort and display, and hides thinking", async (t) => {
  const { slash } = await setup(t);
  assert.match((await slash("/reasoning")).text, /model default.*Reasoning is shown/);
  await slash("/reasoning low");
  await slash("/reasoning hide");
  assert.deepEqual((await slash("/reasoning")).data, { effort: "low", own: true, show: false });
});

test("/fast asks for the faster tier where there is one, and says where there is none", async (t) => {
  const { world, session, slash, last } = await setup(t);
  assert.match((await slash("/fast fast")).text, /does not have a faster tier/);
  await slash("/model q:beta-1");
  assert.deepEqual((await slash("/fast")).data, { fast: true, offered: true });
  await world.say(session, "one");
  assert.equal(last()["service_tier"], "priority");
  await slash("/fast normal");
  await world.say(session, "two");
  assert.equal(last()["service_tier"], undefined);
});
