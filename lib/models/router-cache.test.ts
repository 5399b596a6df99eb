import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { modelsWorld } from "../../fixtures/sim/models-cli.js";
import { settingsOf } from "../../fixtures/sim/settings.js";
import { silentLog } from "../base/log/log.js";
import { routerHeaders } from "./router-cache.js";

const REQUEST = { requestId: "r", model: "m", messages: [{ role: "user", content: "hi" }], tools: [] } as const;

/** Headers about the cache that a router, and another provider, get with these settings. */
async function sent(t: TestContext, settings: string, env: Readonly<Record<string, string>> = {}) {
  const server = await startModelServer({ auxiliary: false });
  t.after(() => server.close());
  const providers = `providers:\n  aggregator: { base_url: "${server.url}", quirks: { router: true } }\n  router: { base_url: "${server.url}?2" }\n`;
  const { made } = await modelsWorld(t, `${providers}${settings}`, env);
  const headers = [];
  for (const [at, id] of ["aggregator", "router"].entries()) {
    const provider = await made.provider(id);
    for await (const _event of provider.stream(REQUEST, new AbortController().signal));
    const got = server.chats()[at]?.headers ?? {};
    headers.push([got["x-openrouter-cache"], got["x-openrouter-cache-ttl"]]);
  }
  return headers;
}

const NONE = [undefined, undefined];
const ROWS: readonly (readonly [string, string, Record<string, string>, (string | undefined)[]])[] = [
  ["nothing is set", "", {}, ["true", "300"]],
  ["it is switched off", "router: { response_cache: false }\n", {}, NONE],
  ["it is switched off by the environment", "", { AGENT_ROUTER_CACHE: "0" }, NONE],
  [
    "the environment wins",
    "router: { response_cache: false, response_cache_ttl: 5 }\n",
    { AGENT_ROUTER_CACHE: "yes", AGENT_ROUTER_CACHE_TTL: "60" },
    ["true", "60"],
  ],
  ["the shortest time", "router: { response_cache_ttl: 1 }\n", {}, ["true", "1"]],
  ["the longest time", "router: { response_cache_ttl: 86400 }\n", {}, ["true", "86400"]],
  ["no time", "router: { response_cache_ttl: 0 }\n", {}, ["true", undefined]],
  ["too long a time", "router: { response_cache_ttl: 86401 }\n", {}, ["true", undefined]],
  ["half a second more", "router: { response_cache_ttl: 1.5 }\n", {}, ["true", undefined]],
  ["a word for a time", "router: { response_cache_ttl: long }\n", {}, ["true", undefined]],
  ["a bad time of the environment", "", { AGENT_ROUTER_CACHE_TTL: "-1" }, ["true", undefined]],
];

for (const [name, settings, env, expected] of ROWS) {
  test(`the router alone is asked to cache answers: ${name}`, async (t) => {
    proves(t, "config.router.response-cache", "config.router.response-cache-ttl", "limit.router-cache");
    assert.deepEqual(await sent(t, settings, env), [expected, NONE]);
  });
}

test("the address decides who the router is, and a time that cannot be is reported once", () => {
  const told: string[] = [];
  const log = { ...silentLog, warning: (text: string) => void told.push(text) };
  const said = new Set<string>();
  const headers = (baseUrl: string) =>
    routerHeaders(settingsOf({ "router.response_cache_ttl": "soon" }), { baseUrl, entry: {} }, { log, said });
  for (let n = 0; n < 3; n++) assert.equal(headers("https://openrouter.ai/api/v1")["x-openrouter-cache"], "true");
  assert.deepEqual(headers("https://openrouter.ai.evil.example/api/v1"), {});
  assert.deepEqual(told, ["router.response_cache_ttl must be a whole number from 1 to 86400"]);
});
