import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { simNet } from "../../fixtures/ports/net.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { AppError } from "../base/errors.js";
import { silentLog } from "../base/log/log.js";
import { systemClock } from "../base/time/clock.js";
import type { Config, ConfigKey } from "../contracts/config/config.js";
import { createNet } from "../safety/net/net.js";
import type { ProviderDefinition } from "./core/define.js";
import { offlineProvider } from "./offline/provider.js";
import { createModels, type ModelsDeps } from "./select.js";
import { chatProvider } from "./wire/chat.js";

type Settings = Readonly<Record<string, unknown>>;

interface Row {
  readonly name: string;
  readonly settings: Settings;
  readonly wanted?: { model?: string; provider?: string };
  /** `provider model baseUrl`, or the code of the error. */
  readonly is: string;
}

const ACME = { base_url: "https://acme.test/v1", api_key: "k", models: { "acme-large": { context_length: 200_000 } } };
const PLAIN = { base_url: "https://plain.test/v1" };

const ROWS: readonly Row[] = [
  { name: "nothing", settings: {}, is: "offline offline-1" },
  { name: "offline by name", settings: { model: { provider: "offline" } }, is: "offline offline-1" },
  { name: "a model without a name", settings: {}, wanted: { model: "" }, is: "offline offline-1" },
  {
    name: "offline by flag",
    settings: { providers: { acme: ACME } },
    wanted: { provider: "offline" },
    is: "offline offline-1",
  },
  {
    name: "custom",
    settings: { model: { provider: "custom", base_url: "http://h.test/v1", default: "m" } },
    is: "custom m http://h.test/v1",
  },
  {
    name: "a base URL is enough",
    settings: { model: { base_url: "http://h.test/v1", default: "m" } },
    is: "custom m http://h.test/v1",
  },
  { name: "custom without an address", settings: { model: { provider: "custom", default: "m" } }, is: "E_CONFIG" },
  {
    name: "custom with a bad address",
    settings: { model: { provider: "custom", base_url: "h.test", default: "m" } },
    is: "E_CONFIG",
  },
  {
    name: "a protocol that is not there",
    settings: { model: { provider: "custom", base_url: "http://h.test", default: "m", api_mode: "responses" } },
    is: "E_CONFIG",
  },
  {
    name: "a named provider",
    settings: { model: { provider: "acme", default: "x" }, providers: { acme: ACME } },
    is: "acme x https://acme.test/v1",
  },
  {
    name: "its own first model",
    settings: { model: { provider: "acme" }, providers: { acme: ACME } },
    is: "acme acme-large https://acme.test/v1",
  },
  {
    name: "auto takes the first with a key",
    settings: { providers: { plain: PLAIN, acme: ACME } },
    is: "acme acme-large https://acme.test/v1",
  },
  {
    name: "a key from the environment",
    settings: { model: "y", providers: { plain: { ...PLAIN, key_env: "PLAIN_KEY" } } },
    is: "plain y https://plain.test/v1",
  },
  {
    name: "an unset variable is no key",
    settings: { providers: { plain: { ...PLAIN, key_env: "NO_SUCH" } } },
    is: "offline offline-1",
  },
  {
    name: "flags win",
    settings: { model: { provider: "offline" }, providers: { acme: ACME } },
    wanted: { provider: "acme", model: "z" },
    is: "acme z https://acme.test/v1",
  },
  {
    name: "provider:model",
    settings: { providers: { acme: ACME } },
    wanted: { model: "acme:z" },
    is: "acme z https://acme.test/v1",
  },
  {
    name: "provider/model",
    settings: { providers: { acme: ACME } },
    wanted: { model: "acme/v/z" },
    is: "acme v/z https://acme.test/v1",
  },
  {
    name: "a vendor is no provider",
    settings: { providers: { acme: ACME } },
    wanted: { model: "vendor/z" },
    is: "acme vendor/z https://acme.test/v1",
  },
  {
    name: "an alias",
    settings: { model: { aliases: { big: { provider: "acme", model: "acme-xl" } } }, providers: { acme: ACME } },
    wanted: { model: "big" },
    is: "acme acme-xl https://acme.test/v1",
  },
  {
    name: "an alias with an address",
    settings: { model_aliases: { box: { provider: "custom", model: "q", base_url: "http://box.test/v1" } } },
    wanted: { model: "box" },
    is: "custom q http://box.test/v1",
  },
  { name: "an unknown provider", settings: {}, wanted: { provider: "nobody", model: "m" }, is: "E_USAGE" },
  {
    name: "a provider without a model",
    settings: { providers: { plain: PLAIN } },
    wanted: { provider: "plain" },
    is: "E_USAGE",
  },
  {
    name: "a provider without an address",
    settings: { providers: { bare: { api_key: "k" } } },
    wanted: { provider: "bare", model: "m" },
    is: "E_CONFIG",
  },
  { name: "a model that nobody serves", settings: {}, wanted: { model: "gpt-x" }, is: "E_CONFIG" },
];

for (const { name, settings, wanted, is } of ROWS) {
  test(`the provider is chosen as configured: ${name}`, async () => {
    const models = createModels(deps({ model: undefined, ...settings }));
    const found = await models.choose(wanted).then(
      (choice) => [choice.provider.id, choice.model, choice.provider.baseUrl].join(" ").trim(),
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
    assert.equal(found, is);
  });
}

test("the stand-in says why it serves, unless it was named", async () => {
  assert.match((await createModels(deps({})).choose()).notice ?? "", /agent setup/);
  assert.equal((await createModels(deps({ model: { provider: "offline" } })).choose()).notice, undefined);
});

test("C79: a local server is found, named, and asked for again after a minute only", async (t) => {
  const server = await startModelServer({ models: ["nomic-embed", "llama3"], window: 40_000 });
  const net = realNet(t);
  t.after(() => server.close());
  const clock = { ...manualClock(), mono: () => now };
  let now = 0;
  const models = createModels({ ...deps({}), net, clock, ports: [1, server.port] });
  const choice = await models.choose();
  assert.equal(choice.model, "llama3");
  assert.equal(choice.window, 40_000);
  assert.equal(choice.found, true);
  assert.match(
    choice.notice ?? "",
    new RegExp(`llama3 of the local server at http://127.0.0.1:${server.port}\\. .*40000`),
  );
  const before = server.requests.length;
  await server.close();
  now = 59_999;
  assert.equal((await models.choose()).model, "llama3");
  now = 60_000;
  assert.equal((await models.choose()).provider.id, "offline");
  assert.equal(server.requests.length, before);
});

test("detection can be turned off", async () => {
  const net = simNet();
  net.route("http://127.0.0.1:11434", { body: '{"data":[{"id":"llama3"}]}' });
  const choice = await createModels({ ...deps({ model: { detect_local: false } }), net }).choose();
  assert.equal(choice.provider.id, "offline");
  assert.equal(net.requests.length, 0);
});

test("the first port of the list wins, whatever answers first", async () => {
  const net = simNet();
  net.route("http://127.0.0.1:8080", { body: '{"data":[{"id":"c"}]}' });
  net.route("http://127.0.0.1:1234", { body: '{"data":[{"id":"b"}]}' });
  net.route("http://127.0.0.1:11434", { body: '{"data":[]}' });
  assert.equal((await createModels({ ...deps({}), net }).choose()).model, "b");
  assert.ok(net.requests.filter((request) => request.purpose === "loopback").length === 3);
});

const WINDOWS: readonly (readonly [name: string, routes: Readonly<Record<string, string>>, window: number])[] = [
  ["vLLM", { "/v1/models": '{"data":[{"id":"m","max_model_len":50000}]}' }, 50_000],
  ["LM Studio", { "/api/v0/models": '{"data":[{"id":"m","max_context_length":60000}]}' }, 60_000],
  [
    "LM Studio, loaded smaller",
    { "/api/v0/models": '{"data":[{"id":"m","max_context_length":60000,"loaded_context_length":20000}]}' },
    20_000,
  ],
  ["llama.cpp", { "/props": '{"default_generation_settings":{"n_ctx":24000}}' }, 24_000],
  ["Ollama", { "/api/show": '{"model_info":{"llama.context_length":131072}}' }, 131_072],
  [
    "Ollama with num_ctx",
    { "/api/show": '{"parameters":"stop x\\nnum_ctx 32000","model_info":{"llama.context_length":131072}}' },
    32_000,
  ],
  ["a server that does not tell", {}, 32_768],
];

for (const [name, routes, window] of WINDOWS) {
  test(`the window comes from the server: ${name}`, async () => {
    const net = simNet();
    for (const [path, body] of Object.entries(routes)) net.route(`http://127.0.0.1:9${path}`, { body });
    const choice = await createModels({
      ...deps({ model: { base_url: "http://127.0.0.1:9/v1", default: "m" } }),
      net,
    }).choose();
    assert.equal(choice.window, window);
  });
}

test("a configured window wins and asks no one", async () => {
  const net = simNet();
  const settings = { model: { base_url: "http://127.0.0.1:9/v1", default: "m", context_length: 99_000 } };
  assert.equal((await createModels({ ...deps(settings), net }).choose()).window, 99_000);
  assert.equal((await createModels({ ...deps({ providers: { acme: ACME } }), net }).choose()).window, 200_000);
  assert.equal(net.requests.length, 0);
});

test("a window that is too small is refused with its size and the key, without a chat request", async (t) => {
  const server = await startModelServer({ window: 8192 });
  t.after(() => server.close());
  const models = createModels({ ...deps({ model: { base_url: server.url, default: "fake-1" } }), net: realNet(t) });
  const error = await models.choose().then(
    () => assert.fail("the window was taken"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError);
  assert.match(error.message, /8192.*model\.context_length/);
  assert.equal(error.data["reason"], "context_too_small");
  assert.equal(server.chats().length, 0);
});

test("side work uses the main model, its own, or none, and never the stand-in", async () => {
  const main = { model: { base_url: "http://h.test/v1", default: "m", context_length: 100_000 } };
  assert.equal((await createModels(deps(main)).aux("title_generation"))?.model, "m");
  const own = {
    ...main,
    auxiliary: { title_generation: { model: "small", base_url: "http://s.test/v1", timeout: 5 } },
  };
  const title = await createModels(deps(own)).aux("title_generation");
  assert.deepEqual([title?.model, title?.provider.baseUrl, title?.timeoutMs], ["small", "http://s.test/v1", 5000]);
  assert.equal(await createModels(deps({})).aux("compression"), undefined);
  assert.equal(
    await createModels(deps({ ...main, auxiliary: { compression: { provider: "offline" } } })).aux("compression"),
    undefined,
  );
  assert.equal(
    await createModels(deps({ ...main, auxiliary: { compression: { provider: "gone" } } })).aux("compression"),
    undefined,
  );
});

test("side work left to `auto` takes the vendor's cheapest model that reads as much, and only at the vendor's own endpoint", async () => {
  const at = (base_url: string, model: string) => ({
    model: { base_url, default: model, api_mode: "chat_completions", api_key: "k" },
  });
  const aux = async (settings: Settings, slot: "title_generation" | "approval" = "title_generation") =>
    (await createModels(deps(settings)).aux(slot))?.model;
  assert.equal(await aux(at("https://api.openai.com/v1", "gpt-5")), "gpt-5-nano");
  assert.equal(
    await aux(at("https://api.openai.com/v1", "gpt-4.1")),
    "gpt-4.1-nano",
    "400,000 tokens are too few for it",
  );
  assert.equal(await aux(at("https://api.anthropic.com/v1", "claude-opus-4-5-20251101")), "claude-haiku-4-5");
  assert.equal(
    await aux(at("https://api.openai.com/v1", "gpt-5"), "approval"),
    "gpt-5",
    "what decides for a person is the main model",
  );
  assert.equal(await aux(at("https://gateway.test/v1", "gpt-5")), "gpt-5", "it may not serve the other one");
  const named = {
    ...at("https://api.openai.com/v1", "gpt-5"),
    auxiliary: { title_generation: { provider: "custom", model: "gpt-5-mini" } },
  };
  assert.equal(await aux(named), "gpt-5-mini");
});

test("pictures left to `auto` are described by the vendor's cheapest model that sees, else by a main model that does", async () => {
  const vision = async (base_url: string, model: string, more: Settings = {}) =>
    (
      await createModels(
        deps({ model: { base_url, default: model, api_mode: "chat_completions", api_key: "k" }, ...more }),
      ).aux("vision")
    )?.model;
  assert.equal(await vision("https://api.openai.com/v1", "o3-mini"), "gpt-5-nano");
  assert.equal(await vision("https://api.anthropic.com/v1", "claude-opus-4-5"), "claude-haiku-4-5");
  assert.equal(await vision("https://api.deepseek.com/v1", "deepseek-chat"), undefined, "none of this vendor sees");
  assert.equal(await vision("https://gateway.test/v1", "gpt-5"), "gpt-5", "it may not serve the other one");
  assert.equal(await vision("https://gateway.test/v1", "fake-1"), undefined);
  const named = { auxiliary: { vision: { provider: "custom", model: "seer" } } };
  assert.equal(await vision("https://gateway.test/v1", "fake-1", named), "seer", "what is named is asked");
});

test("a hosted model of the catalogue has a price, one on this machine none, and that of the settings comes first", async () => {
  const priceOf = async (base_url: string, entry = {}) => {
    const provider = {
      base_url,
      api_key: "k",
      api_mode: "chat_completions",
      models: { "gpt-5": { context_length: 100_000, ...entry } },
    };
    return (
      await createModels(deps({ model: { provider: "p", default: "gpt-5" }, providers: { p: provider } })).choose()
    ).price;
  };
  assert.deepEqual(await priceOf("https://api.openai.com/v1"), {
    input: 1.25,
    output: 10,
    cacheRead: 0.125,
    cacheWrite: 1.25,
  });
  assert.equal(await priceOf("http://127.0.0.1:8000/v1"), undefined);
  const own = { price: { input: 2, output: 4, cache_read: 0.5 } };
  assert.deepEqual(await priceOf("http://127.0.0.1:8000/v1", own), {
    input: 2,
    output: 4,
    cacheRead: 0.5,
    cacheWrite: 2,
  });
});

test("a slot says whether there is no model for it or one that cannot be used", async () => {
  const main = { model: { base_url: "http://h.test/v1", default: "m", context_length: 100_000 } };
  const kindOf = async (settings: Settings) => (await createModels(deps(settings)).auxFound("kanban_decomposer")).kind;
  assert.equal(await kindOf(main), "found");
  assert.equal(await kindOf({}), "none");
  assert.equal(await kindOf({ ...main, auxiliary: { kanban_decomposer: { provider: "offline" } } }), "none");
  assert.equal(await kindOf({ ...main, auxiliary: { kanban_decomposer: { provider: "gone" } } }), "broken");
});

test("the main key is not sent to the address of a slot, and the slot's own body members are", async () => {
  const net = simNet();
  const seen: { url: string; authorization: string | undefined; body: string }[] = [];
  const spying = {
    ...net,
    fetch: async (request: Parameters<typeof net.fetch>[0]) => {
      seen.push({
        url: request.url,
        authorization: request.headers?.["authorization"],
        body: String(request.body ?? ""),
      });
      return net.fetch(request);
    },
  };
  const settings = {
    model: {
      provider: "custom",
      base_url: "http://h.test/v1",
      default: "m",
      api_key: "main-key",
      context_length: 100_000,
    },
    auxiliary: { kanban_decomposer: { base_url: "http://s.test/v1", model: "small", extra_body: { think: false } } },
  };
  const found = await createModels({ ...deps(settings), net: spying }).auxFound("kanban_decomposer");
  assert.ok(found.kind === "found");
  const request = {
    requestId: "r",
    model: found.choice.model,
    messages: [{ role: "user", content: "hi" }],
    tools: [],
  } as const;
  for await (const _event of found.choice.provider.stream(request, new AbortController().signal));
  const sent = seen.find((one) => one.url.startsWith("http://s.test/"));
  assert.equal(sent?.authorization, undefined);
  assert.equal(JSON.parse(sent?.body ?? "{}").think, false);
});

const CHAT: ProviderDefinition = { id: "chat_completions", summary: "", create: chatProvider };
const OFFLINE: ProviderDefinition = {
  id: "offline",
  summary: "",
  create: (ports) => offlineProvider(ports.clock),
};

function deps(settings: Settings): ModelsDeps {
  return {
    config: configOf(settings),
    net: simNet(),
    clock: systemClock,
    log: silentLog,
    providers: [CHAT, OFFLINE].map((definition) => ({ id: definition.id, load: async () => definition })),
    env: { PLAIN_KEY: "secret" },
  };
}

function realNet(t: TestContext) {
  const net = createNet({ clock: systemClock, allowPrivate: () => false });
  t.after(() => net.close());
  return net;
}

/** Settings as the loader of config.yaml gives them out. */
function configOf(settings: Settings): Config {
  const raw = (path: string): unknown =>
    path
      .split(".")
      .reduce<unknown>(
        (value, name) =>
          typeof value === "object" && value !== null
            ? Object.entries(value).find(([key]) => key === name)?.[1]
            : undefined,
        settings,
      );
  return {
    get: <T>(key: ConfigKey<T>) => (raw(key.key) ?? key.default) as T, // the tests write values of the declared kind
    source: (key) => (raw(key.key) === undefined ? "default" : "file"),
    raw,
    hasVariable: () => false,
    onChange: () => () => undefined,
  };
}

test("each model of a provider has its own limit for answers, whichever was asked first", async () => {
  const models = { one: { max_tokens: 1_000, context_length: 99_000 }, two: { context_length: 99_000 } };
  const { choose, provider } = createModels(deps({ providers: { acme: { ...ACME, models } } }));
  await provider("acme"); // as a list of models asks for it
  const capOf = async (model: string) => (await choose({ provider: "acme", model })).provider.traits?.outputCap;
  assert.deepEqual([await capOf("one"), await capOf("two"), await capOf("one")], [1_000, undefined, 1_000]);
});

test("a window that its server could not tell because it was not reached is asked for again", async () => {
  const net = simNet();
  const { choose } = createModels({ ...deps({ model: { base_url: "http://h.test/v1", default: "m" } }), net });
  assert.equal((await choose()).window, 128_000);
  net.route("http://h.test/v1/models", {
    status: 200,
    body: JSON.stringify({ data: [{ id: "m", context_length: 40_000 }] }),
  });
  assert.equal((await choose()).window, 40_000);
  net.route("http://h.test/v1/models", { status: 500, body: "" });
  assert.equal((await choose()).window, 40_000, "what it has told is believed");
});
