import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { type SearchFate, startSearchServer } from "../../fixtures/servers/search/server.js";
import { CHALLENGE, keyOf } from "../../fixtures/servers/search/wires.js";
import { configOf } from "../../fixtures/worlds/tool-context.js";
import { AppError } from "../../lib/base/errors.js";
import { type Clock, systemClock } from "../../lib/base/time/clock.js";
import type { ToolCredential } from "../../lib/contracts/models/tool-credentials.js";
import type { PluginProvider } from "../../lib/contracts/plugins/context.js";
import type { SearchPlace } from "../../lib/contracts/web/search.js";
import type { WebSearchAnswer } from "../../lib/contracts/web/web.js";
import { createNet } from "../../lib/safety/net/net.js";
import { createWebSearch } from "../../lib/web/search/search.js";
import { SEARCH_BACKENDS } from "./index.js";

const KEYS: Readonly<Record<string, string>> = {
  firecrawl: "FIRECRAWL_API_KEY",
  parallel: "PARALLEL_API_KEY",
  tavily: "TAVILY_API_KEY",
  exa: "EXA_API_KEY",
  brave: "BRAVE_API_KEY",
  "search-vendor": "SEARCH_VENDOR_API_KEY",
};

const KEYED = Object.keys(KEYS);
const ALL = SEARCH_BACKENDS.map(({ name }) => name);

interface Setup {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly plugins?: readonly PluginProvider[];
  readonly credentials?: NonNullable<SearchPlace["credentials"]>;
}

/** Searches that go to the fake of every service. */
async function searching(
  t: TestContext,
  { settings = {}, env = {}, clock = systemClock, plugins = [], ...more }: Setup = {},
) {
  const server = await startSearchServer();
  const net = createNet({ clock, allowPrivate: () => false });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const { "web.searxng.base_url": _instance, ...addresses } = server.settings; // one of your own: no test has it unasked
  const search = createWebSearch({
    config: configOf({ ...addresses, ...settings }),
    env,
    net,
    clock,
    backends: SEARCH_BACKENDS,
    ofPlugins: () => plugins,
    ...more,
  });
  const instance = `${server.url}/searxng`;
  const say = (query: string, limit = 5, signal = new AbortController().signal) => search(query, limit, signal);
  return { server, say, instance };
}

/** The service alone, as a setting names it, with its key. */
const named = (name: string): Setup => {
  const variable = KEYS[name];
  return {
    settings: { "web.search_backend": name },
    env: variable === undefined ? {} : { [variable]: keyOf(name) },
  };
};

async function only(t: TestContext, name: string, more: Setup = {}) {
  const { settings, env } = named(name);
  const world = await searching(t, {
    ...more,
    settings: { ...settings, ...more.settings },
    env: { ...env, ...more.env },
  });
  return world;
}

/** The instance of SearXNG has no address of its own, so the test gives it one. */
async function ready(t: TestContext, name: string, clock?: Clock) {
  if (name !== "searxng") return only(t, name, clock === undefined ? {} : { clock });
  const server = await startSearchServer();
  t.after(server.close);
  const world = await only(t, name, {
    ...(clock !== undefined && { clock }),
    settings: { "web.searxng.base_url": `${server.url}/searxng` },
  });
  return { ...world, server };
}

const whyOf = (answer: WebSearchAnswer) => (answer.ok ? "it worked" : answer.why);

for (const name of ALL) {
  test(`${name} finds pages: title, address, description, position`, async (t) => {
    const { say, server } = await ready(t, name);
    const answer = await say("blue whales", 3);
    assert.deepEqual(answer, {
      ok: true,
      provider: name,
      found: [1, 2, 3].map((at) => ({
        title: `blue whales & more, part ${at}`,
        url: `https://site-${at}.example/blue%20whales`,
        description: `What page ${at} says about blue whales.${name === "parallel" ? " … Second excerpt." : ""}`,
        position: at,
      })),
    });
    assert.equal(server.requests.length, 1);
  });

  test(`${name} finds nothing: an empty list, no error`, async (t) => {
    const { say } = await ready(t, name);
    assert.deepEqual(await say("nothing"), { ok: true, provider: name, found: [] });
  });

  test(`${name} over its limit says when it is free again and what else can be done`, async (t) => {
    const { say, server } = await ready(t, name);
    server.next({ status: 429, headers: { "retry-after": "90" }, body: '{"error": "slow down"}' });
    const why = whyOf(await say("whales"));
    assert.match(
      why,
      name === "duckduckgo" ? /asked too often/ : /429: slow down.*free again in 90 s \(\d{4}-.*web\.search_backend/,
    );
  });

  test(`${name} that answers garbage, breaks off or fails is reported as what it is`, async (t) => {
    const { say, server } = await ready(t, name);
    const fates: readonly SearchFate[] = [
      { headers: { "content-type": "text/html" }, body: "<html>Welcome to the hotel network</html>" },
      { headers: { "content-type": "application/json" }, body: '{"results": 5, "data": {"web": 1}, "output": 2}' },
      "cut",
      { status: 500, body: '{"error": {"message": "out of order"}}' },
    ];
    server.next(...fates);
    const answers: string[] = [];
    for (const _ of fates) answers.push(whyOf(await say("whales")));
    assert.match(answers[0] ?? "", /no list of results \(text\/html, 41 characters\)/);
    assert.match(answers[1] ?? "", /no list of results/);
    assert.match(answers[2] ?? "", /cannot be reached/);
    assert.match(answers[3] ?? "", /answered 500: out of order/);
    for (const why of answers) assert.match(why, /web\.search_backend/);
  });

  test(`${name} that says nothing is given up in time`, async (t) => {
    const clock = manualClock();
    const { say, server } = await ready(t, name, clock);
    server.next("hang");
    const waiting = say("whales");
    await server.seen(1);
    clock.advance(60_000);
    assert.match(whyOf(await waiting), /did not answer within (30|55) s/);
  });
}

for (const name of KEYED) {
  test(`${name} is named in the settings and has no key: the error names the variable, and nothing is sent`, async (t) => {
    const { say, server } = await only(t, name, { env: { [KEYS[name] ?? ""]: "" } });
    const answer = await say("whales");
    assert.equal(answer.provider, name);
    assert.match(
      whyOf(answer),
      new RegExp(`${name} has no key: set ${KEYS[name]} in \\.env .*web\\.search_backend names ${name}`),
    );
    assert.equal(server.requests.length, 0);
  });

  test(`${name} refuses a wrong key: the error names the variable, never its value`, async (t) => {
    const { say } = await only(t, name, { env: { [KEYS[name] ?? ""]: "wrong-key-value" } });
    const why = whyOf(await say("whales"));
    assert.match(why, new RegExp(`does not accept the key in ${KEYS[name]}`));
    assert.doesNotMatch(why, /wrong-key-value/);
  });
}

test("without a setting the first service that has a key is taken, and duckduckgo where none has", async (t) => {
  const every = Object.fromEntries(KEYED.map((name) => [KEYS[name] ?? "", keyOf(name)]));
  const order: string[] = [];
  for (const left of [...KEYED.filter((name) => name !== "search-vendor"), "duckduckgo"]) {
    const { say } = await searching(t, { env: every });
    const answer = await say("whales", 1);
    order.push(answer.provider);
    delete every[KEYS[left] ?? ""];
  }
  assert.deepEqual(order, ["firecrawl", "parallel", "tavily", "exa", "brave", "duckduckgo"]);
});

test("an instance of SearXNG comes before brave; the vendor's own search is never taken unasked", async (t) => {
  const env = { BRAVE_API_KEY: keyOf("brave"), SEARCH_VENDOR_API_KEY: keyOf("search-vendor") };
  const { say } = await searching(t, { env, settings: { "web.searxng.base_url": "http://127.0.0.1:9" } });
  assert.equal((await say("whales")).provider, "searxng");
  const without = await searching(t, { env: { SEARCH_VENDOR_API_KEY: keyOf("search-vendor") } });
  assert.equal((await without.say("whales")).provider, "duckduckgo");
});

test("web.search_backend wins over web.backend, and both over what has a key; an unknown name lists those that there are", async (t) => {
  const env = { TAVILY_API_KEY: keyOf("tavily"), EXA_API_KEY: keyOf("exa"), FIRECRAWL_API_KEY: keyOf("firecrawl") };
  const one = await searching(t, { env, settings: { "web.backend": "exa" } });
  assert.equal((await one.say("whales")).provider, "exa");
  const both = await searching(t, { env, settings: { "web.backend": "exa", "web.search_backend": "Tavily" } });
  assert.equal((await both.say("whales")).provider, "tavily");
  const wrong = await searching(t, { env, settings: { "web.backend": "altavista" } });
  assert.match(whyOf(await wrong.say("whales")), /web\.backend names 'altavista'.*firecrawl, parallel, .*duckduckgo/);
});

test("brave is asked page by page, tavily for at most twenty, each as its service allows", async (t) => {
  const brave = await only(t, "brave");
  const many = await brave.say("whales", 50);
  assert.equal(many.ok && many.found.length, 50);
  assert.deepEqual(
    brave.server.requests.map(({ query }) => `${query.get("count")}@${query.get("offset")}`),
    ["20@0", "20@1", "20@2"],
  );
  const tavily = await only(t, "tavily");
  const twenty = await tavily.say("whales", 100);
  assert.equal(twenty.ok && twenty.found.length, 20);
});

test("what the first pages found is kept when a later one fails", async (t) => {
  const { say, server } = await only(t, "brave");
  server.next(
    {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        type: "search",
        web: { results: [{ title: "One", url: "https://one.example/", description: "" }] },
      }),
    },
    { status: 500, body: "" },
  );
  const answer = await say("whales", 20);
  assert.deepEqual(answer.ok && answer.found.map(({ url }) => url), ["https://one.example/"]);
});

test("of the two limits of brave the one that is used up says when it ends", async (t) => {
  const { say, server } = await only(t, "brave", { clock: manualClock("2026-03-01T10:00:00Z") });
  server.next({
    status: 429,
    headers: { "x-ratelimit-limit": "1, 2000", "x-ratelimit-remaining": "0, 17", "x-ratelimit-reset": "1, 1419704" },
    body: JSON.stringify({
      type: "ErrorResponse",
      error: { code: "RATE_LIMITED", detail: "Request rate limit exceeded" },
    }),
  });
  assert.match(whyOf(await say("whales")), /Request rate limit exceeded.*free again in 1 s \(2026-03-01T10:00:01/);
});

test("a used-up account is reported as that: tavily's own number, and the number that says to pay", async (t) => {
  const tavily = await only(t, "tavily");
  tavily.server.next({
    status: 432,
    body: '{"detail": {"error": "This request exceeds your plan\'s set usage limit."}}',
  });
  assert.match(whyOf(await tavily.say("whales")), /432: This request exceeds.*plan of the account is used up/);
  const firecrawl = await only(t, "firecrawl");
  firecrawl.server.next({
    status: 402,
    body: '{"success": false, "error": "Payment required to access this resource."}',
  });
  assert.match(whyOf(await firecrawl.say("whales")), /402: Payment required.*no credit left/);
});

test("duckduckgo that asks for a person says so, and what to do", async (t) => {
  const { say, server } = await only(t, "duckduckgo");
  server.next(CHALLENGE);
  assert.match(whyOf(await say("whales")), /asks whether a person is searching.*key of another service/);
});

test("a SearXNG instance that does not allow JSON says which setting of it does", async (t) => {
  const { say, server } = await ready(t, "searxng");
  server.next({ status: 403, headers: { "content-type": "text/html" }, body: "<h1>Forbidden</h1>" });
  assert.match(whyOf(await say("whales")), /search\.formats in its settings\.yml/);
});

test("a page that the vendor's model names without having looked at it is left out", async (t) => {
  const { say } = await only(t, "search-vendor");
  const answer = await say("whales", 10);
  assert.equal(answer.ok && answer.found.some(({ url }) => url.includes("made-up")), false);
});

/** A login at the search vendor, whose bearer changes when it is renewed; `over`: it came to its end. */
function loginAt(baseUrl: () => string, bearers: readonly string[], over = false) {
  const noted: string[] = [];
  const used = (at: number): ToolCredential => ({
    baseUrl: `${baseUrl()}/search-vendor`,
    bearer: bearers[at] ?? "",
    entry: "e1",
    kind: "oauth",
  });
  const ended = new AppError("E_AUTH", "the login to search-vendor was revoked: agent auth add search-vendor");
  const credentials: NonNullable<SearchPlace["credentials"]> = (provider) => ({
    exists: async (choice) => provider === "search-vendor" && choice === "oauth",
    get: async () => (over ? Promise.reject(ended) : used(0)),
    renew: async () => (bearers[1] === undefined ? undefined : used(1)),
    worked: async ({ bearer }) => void noted.push(bearer),
  });
  return { credentials, noted };
}

test("the vendor's search uses the login before a key, renews one that is refused, and names how to log in again", async (t) => {
  let url = "";
  const settings = { "web.search_backend": "search-vendor" };
  const search = async (bearers: readonly string[], over = false) => {
    const { credentials, noted } = loginAt(() => url, bearers, over);
    const made = await searching(t, { settings, credentials, env: { XAI_API_KEY: "a-key-that-is-not-used" } });
    url = made.server.url;
    return { ...made, noted };
  };
  const fresh = await search([keyOf("search-vendor")]);
  assert.ok((await fresh.say("whales")).ok);
  assert.deepEqual(fresh.noted, [keyOf("search-vendor")]);

  const stale = await search(["stale", keyOf("search-vendor")]);
  stale.server.next({ status: 401, body: "{}" });
  assert.ok((await stale.say("whales")).ok);
  assert.deepEqual(
    [stale.noted, stale.server.requests.map(({ headers }) => headers.authorization)],
    [[keyOf("search-vendor")], ["Bearer stale", `Bearer ${keyOf("search-vendor")}`]],
  );

  const refused = await search(["stale"]);
  refused.server.next({ status: 401, body: "{}" });
  assert.match(whyOf(await refused.say("whales")), /does not accept the login: agent auth add search-vendor logs in/);

  const over = await search([], true);
  assert.match(whyOf(await over.say("whales")), /was revoked: agent auth add search-vendor/);
  assert.equal(over.server.requests.length, 0, "no key takes the place of a login");
});

test("addresses that are none, of other schemes or told twice are left out; texts are plain and short", async (t) => {
  const { say, server } = await only(t, "tavily");
  const results = [
    {
      title: "A <b>bold</b> &amp; \u001b[31mred\u001b[0m\n title",
      url: "https://a.example/",
      content: "x ".repeat(2_000),
    },
    { title: "again", url: "https://a.example/", content: "" },
    { title: "script", url: "javascript:alert(1)", content: "" },
    { title: "file", url: "file:///etc/passwd", content: "" },
    { title: "none", url: "https://", content: "" },
    { title: 5, url: "https://b.example/", content: null },
  ];
  server.next({ headers: { "content-type": "application/json" }, body: JSON.stringify({ results }) });
  const answer = await say("whales");
  assert.ok(answer.ok);
  assert.deepEqual(
    answer.found.map(({ title, url, position }) => [title, url, position]),
    [
      ["A bold & red title", "https://a.example/", 1],
      ["https://b.example/", "https://b.example/", 2],
    ],
  );
  assert.equal(answer.found[0]?.description.length, 600);
});

test("a search that is interrupted ends at once, as an interruption", async (t) => {
  const { say, server } = await only(t, "tavily");
  server.next("hang");
  const stop = new AbortController();
  const waiting = say("whales", 5, stop.signal);
  await server.seen(1);
  stop.abort(new Error("interrupted"));
  await assert.rejects(waiting, /interrupted/);
});

const hit = { title: "From the plugin", url: "https://plugin.example/", description: "It found this." };

/** A provider as a plugin registers it. */
const pluginOf = (search: (question: unknown) => unknown, isAvailable = () => true) =>
  ({ name: "acme", isAvailable, search }) as unknown as PluginProvider; // the registry has checked its methods

test("the service of a plugin comes after those with a key and before duckduckgo", async (t) => {
  const plugins = [pluginOf(async () => [hit])];
  const alone = await searching(t, { plugins });
  assert.deepEqual(await alone.say("whales"), { ok: true, provider: "acme", found: [{ ...hit, position: 1 }] });
  const keyed = await searching(t, { plugins, env: { TAVILY_API_KEY: keyOf("tavily") } });
  assert.equal((await keyed.say("whales")).provider, "tavily");
  const chosen = await searching(t, {
    plugins,
    env: { TAVILY_API_KEY: keyOf("tavily") },
    settings: { "web.search_backend": "acme" },
  });
  assert.equal((await chosen.say("whales")).provider, "acme");
});

test("a plugin that throws, answers no list, is not available or never answers is reported by its name", async (t) => {
  const throwing = await searching(t, { plugins: [pluginOf(() => Promise.reject(new Error("no quota")))] });
  assert.match(whyOf(await throwing.say("whales")), /plugin of acme failed: no quota/);
  const odd = await searching(t, { plugins: [pluginOf(async () => ({ results: [{ url: 5 }] }))] });
  assert.match(whyOf(await odd.say("whales")), /plugin of acme answered no list/);
  const away = await searching(t, {
    plugins: [
      pluginOf(
        async () => [hit],
        () => false,
      ),
    ],
  });
  assert.equal((await away.say("whales")).provider, "duckduckgo");
  const clock = manualClock();
  const silent = await searching(t, { clock, plugins: [pluginOf(() => new Promise(() => undefined))] });
  const waiting = silent.say("whales");
  await clock.waitsFor(30_000);
  clock.advance(30_000);
  assert.match(whyOf(await waiting), /plugin of acme did not answer within 30 s/);
});
