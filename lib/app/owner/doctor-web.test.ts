import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { layOutHome } from "../../base/home.js";
import { loadConfig } from "../../config/load-config.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";
import { ALL_KEYS } from "../all-keys.gen.js";
import { examineWeb } from "./doctor-web.js";

/** What doctor says of the web in a home with these settings. */
async function examined(
  t: TestContext,
  config: string,
  env: Readonly<Record<string, string>> = {},
  plugins: readonly PluginProvider[] = [],
) {
  const dir = mkdtempSync(join(tmpdir(), "doctor-web-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  writeFileSync(home.config, config);
  const loaded = await loadConfig({ home, env, clock: manualClock(), keys: ALL_KEYS });
  return (await examineWeb({ home, config: loaded }, plugins)).map(
    ({ name, status, detail, fix }) => `${status} ${name}: ${detail}${fix === undefined ? "" : ` | ${fix}`}`,
  );
}

test("doctor names the search service that is used, and says nothing where none is set up", async (t) => {
  assert.deepEqual(await examined(t, ""), []);
  assert.deepEqual(await examined(t, "", { EXA_API_KEY: "some-key-of-exa" }), ["ok web search: exa"]);
  assert.deepEqual(await examined(t, "web: {backend: duckduckgo}"), ["ok web search: duckduckgo (web.backend)"]);
  const plugin = { name: "acme", isAvailable: () => true, search: () => [] } as PluginProvider;
  assert.deepEqual(await examined(t, "", {}, [plugin]), ["ok web search: acme"]);
});

test("doctor warns of a service without its key, and of one that does not exist", async (t) => {
  const [missing = ""] = await examined(t, "web: {search_backend: tavily}");
  assert.match(
    missing,
    /^warn web search: tavily has no key: set TAVILY_API_KEY .*config set web\.search_backend NAME$/,
  );
  const [unknown = ""] = await examined(t, "web: {backend: altavista}");
  assert.match(unknown, /^warn web search: web\.backend names 'altavista'.*\| there are: firecrawl, .*duckduckgo$/);
});

test("doctor reports a block list that cannot be read and a proxy variable that names none", async (t) => {
  const list = "security: {website_blocklist: {enabled: true, shared_files: [gone.txt]}}";
  assert.match((await examined(t, list))[0] ?? "", /^fail block list: .*gone\.txt cannot be read \(ENOENT\)/);
  const proxy = await examined(t, "security: {trust_proxy: true}", { HTTPS_PROXY: "https://tls.proxy:1" });
  assert.match(proxy[0] ?? "", /^fail proxy: HTTPS_PROXY is no address/);
});
