import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type SearchFate, startSearchServer } from "../../fixtures/servers/search/server.js";
import { keyOf } from "../../fixtures/servers/search/wires.js";
import { configOf } from "../../fixtures/worlds/tool-context.js";
import { systemClock } from "../../lib/base/time/clock.js";
import type { AuxClient } from "../../lib/contracts/models/auxiliary.js";
import { createNet } from "../../lib/safety/net/net.js";
import { createPages } from "../../lib/web/extract/pages.js";
import { PAGE_BACKENDS } from "./index.js";

const KEYS: Readonly<Record<string, string>> = {
  firecrawl: "FIRECRAWL_API_KEY",
  parallel: "PARALLEL_API_KEY",
  tavily: "TAVILY_API_KEY",
  exa: "EXA_API_KEY",
};
const NAMES = PAGE_BACKENDS.map(({ name }) => name);
const PAGE = "https://site-1.example/page";

/** Pages as the service of the settings reads them; none is asked on this machine. */
async function reading(t: TestContext, settings: Readonly<Record<string, unknown>>, withKeys = true) {
  const server = await startSearchServer();
  const net = createNet({ clock: systemClock, allowPrivate: () => false });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const env = withKeys ? Object.fromEntries(NAMES.map((name) => [KEYS[name] ?? "", keyOf(name)])) : {};
  const config = configOf({ ...server.settings, ...settings });
  const refuse = async (url: string) => (url.includes("inside") ? "blocked: inside.example is denied" : undefined);
  const services = { config, env, net, clock: systemClock, backends: PAGE_BACKENDS, refuse };
  const aux: AuxClient = { state: async () => "none", ask: async () => ({ ok: false, why: "none" }) };
  const { extract } = createPages({ net, clock: systemClock, aux, services });
  return { server, extract: (...urls: string[]) => extract(urls, { signal: t.signal }) };
}

test("every service that a setting names reads a page, and says what it could not read", async (t) => {
  for (const name of NAMES) {
    const { extract, server } = await reading(t, { "web.extract_backend": name });
    const [page, gone] = await extract(PAGE, "https://gone.example/");
    assert.equal(page?.content, `# A page\n\nWhat stands at ${PAGE}.`, name);
    assert.equal(page?.error, undefined);
    assert.equal(page?.title, name === "tavily" ? "" : "A page");
    assert.match(
      gone?.error ?? "",
      new RegExp(`^${name} (could not read it: .+|answered 500: The page could not be loaded.*)`),
    );
    assert.equal(server.requests.length, 2, "each address is asked for by itself");
  }
});

test("a service that lacks its key, is not there, is over its limit or answers garbage is reported with what to do", async (t) => {
  const fates: readonly [SearchFate, RegExp][] = [
    [{ status: 429, headers: { "retry-after": "60" }, body: "{}" }, /free again in 60 s .*web\.extract_backend/],
    [{ body: "<html>" }, /answered what is no page .*web\.extract_backend/],
    ["cut", /cannot be reached: .*web\.extract_backend/],
  ];
  for (const name of NAMES) {
    const without = await reading(t, { "web.extract_backend": name }, false);
    assert.match(
      (await without.extract(PAGE))[0]?.error ?? "",
      new RegExp(`no key: set ${KEYS[name]} .*built-in reads pages`),
    );
    const { server, extract } = await reading(t, { "web.extract_backend": name });
    for (const [fate, says] of fates) {
      server.next(fate);
      assert.match((await extract(PAGE))[0]?.error ?? "", says, name);
    }
  }
  const { extract } = await reading(t, { "web.extract_backend": "reader" });
  assert.match((await extract(PAGE))[0]?.error ?? "", /'reader', which reads no pages; there are: .*built-in/);
});

test("an address that may not be asked from this machine is not sent to a service", async (t) => {
  const { extract, server } = await reading(t, { "web.extract_backend": "exa" });
  const pages = await extract("https://inside.example/", "https://me:word@site-1.example/", "no address");
  assert.deepEqual(
    pages.map(({ error }) => error),
    [
      "blocked: inside.example is denied",
      "its URL contains a user name or password, which would be sent",
      "not a URL; URLs start with https://",
    ],
  );
  assert.equal(server.requests.length, 0);
});

test("web.backend reads pages where it can, and built-in keeps them on this machine; a key alone chooses nothing", async (t) => {
  const asked = async (settings: Readonly<Record<string, unknown>>) => {
    const { extract, server } = await reading(t, settings);
    await extract("https://gone.invalid/");
    return server.requests.map(({ service }) => service);
  };
  assert.deepEqual(await asked({ "web.backend": "tavily" }), ["tavily"]);
  assert.deepEqual(await asked({ "web.backend": "tavily", "web.extract_backend": "built-in" }), []);
  assert.deepEqual(await asked({ "web.backend": "brave" }), []);
  assert.deepEqual(await asked({}), []);
});
