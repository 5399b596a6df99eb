import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { quickClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import type { FakeService } from "../../../fixtures/servers/media/service.js";
import { searchedPosts, startPostSearch } from "../../../fixtures/servers/media/x-search.js";
import { settingsOf } from "../../../fixtures/sim/settings.js";
import { type Net, NetError } from "../../base/net/net.js";
import type { SocialSearch } from "../../contracts/media/social.js";
import type { ToolCredentials } from "../../contracts/models/tool-credentials.js";
import { createNet } from "../../safety/net/net.js";
import { createSocialSearch } from "./x-search.js";

const never = new AbortController().signal;
const PLAIN: SocialSearch = { query: "agents", allowedHandles: [], excludedHandles: [], images: false, videos: false };

interface World {
  readonly vendor: FakeService;
  readonly waits: number[];
  readonly said: string[];
  search(wanted?: Partial<SocialSearch>, signal?: AbortSignal): Promise<Record<string, unknown>>;
}

async function world(
  t: TestContext,
  given: { settings?: Record<string, unknown>; net?: (real: Net) => Net; credentials?: Partial<ToolCredentials> } = {},
): Promise<World> {
  const vendor = await startPostSearch(t, ["key-1", "token-2"]);
  const quick = quickClock(1_000);
  const waits: number[] = [];
  const clock = {
    ...quick,
    sleep: (ms: number, signal?: AbortSignal) => {
      waits.push(ms);
      return quick.sleep(ms, signal ?? never);
    },
  };
  const real = createNet({ clock: quickClock(1), allowPrivate: () => true });
  t.after(() => real.close());
  const credentials: ToolCredentials = {
    exists: async () => true,
    get: async () => ({ baseUrl: vendor.url, bearer: "key-1", entry: "0", kind: "api_key" }),
    renew: async () => undefined,
    worked: async () => undefined,
    ...given.credentials,
  };
  const said: string[] = [];
  const config = settingsOf(given.settings ?? {});
  const api = createSocialSearch({ config, clock, net: given.net?.(real) ?? real, version: "1.2.3", credentials });
  return {
    vendor,
    waits,
    said,
    search: (wanted = {}, signal = never) =>
      api.search({ ...PLAIN, ...wanted }, (text) => said.push(text), signal) as Promise<Record<string, unknown>>,
  };
}

test("a search asks the vendor's own search with the filters that are set, and answers with what it cites", async (t) => {
  proves(t, "tool.x-search");
  const { vendor, search, said } = await world(t);
  const filters = { allowedHandles: ["one", "two"], fromDate: "2026-01-01", images: true };
  const found = await search(filters);
  const [asked] = vendor.requests;
  assert.deepEqual(asked?.json, {
    model: "grok-4.20-reasoning",
    input: [{ role: "user", content: "agents" }],
    tools: [
      {
        type: "x_search",
        allowed_x_handles: ["one", "two"],
        from_date: "2026-01-01",
        enable_image_understanding: true,
      },
    ],
    store: false,
  });
  assert.equal(asked?.headers["user-agent"], "agent/1.2.3");
  assert.deepEqual(found, {
    success: true,
    provider: "search-vendor",
    credential_source: "api_key",
    tool: "x_search",
    model: "grok-4.20-reasoning",
    query: "agents",
    answer: "People like it.",
    citations: ["https://x.com/agent/status/1"],
    inline_citations: [{ url: "https://x.com/agent/status/1", title: "1", start_index: 0, end_index: 15 }],
    degraded: false,
    degraded_reason: null,
  });
  assert.match(said[0] ?? "", /search-vendor \(grok-4.20-reasoning/);
});

test("an answer that cites nothing although filters were set is marked as degraded", async (t) => {
  const { vendor, search } = await world(t);
  vendor.next(searchedPosts("I think so.", []), searchedPosts("I think so.", []));
  const filtered = await search({ excludedHandles: ["spam"] });
  assert.equal(filtered["degraded"], true);
  assert.match(String(filtered["degraded_reason"]), /filters/);
  assert.equal((await search())["degraded"], false);
});

test("a server error and a lost connection are repeated twice after 1.5 and 3 seconds; a refusal never", async (t) => {
  proves(t, "tool.x-search.errors", "limit.x-search-decided");
  const { vendor, search, waits } = await world(t);
  vendor.next({ status: 503 }, "cut");
  assert.equal((await search())["success"], true);
  assert.deepEqual(waits, [1_500, 3_000]);
  vendor.next({ status: 500, body: "broken" }, { status: 500, body: "broken" }, { status: 500, body: "broken" });
  assert.deepEqual(await search(), {
    success: false,
    provider: "search-vendor",
    tool: "x_search",
    error: "broken",
    error_type: "api_error",
  });
  assert.equal(vendor.requests.length, 6);
  vendor.next({ status: 400, body: { code: "invalid-argument", error: "unknown model" } });
  assert.equal((await search())["error"], "invalid-argument: unknown model");
  assert.equal(vendor.requests.length, 7);
});

test("a request of x_search that takes too long says which setting decides; shorter than 30 seconds is not possible", async (t) => {
  proves(t, "config.x-search");
  const limits: (number | undefined)[] = [];
  const net = (real: Net): Net => ({
    ...real,
    fetch: async ({ totalMs }) => {
      limits.push(totalMs);
      throw new NetError("timeout", "no answer");
    },
  });
  const settings = { "x_search.timeout_seconds": 5, "x_search.retries": 1, "x_search.model": "grok-9" };
  const { search, said } = await world(t, { net, settings });
  const { error, error_type } = await search();
  assert.deepEqual([error, error_type], ["no answer within 30 s (x_search.timeout_seconds)", "timeout"]);
  assert.deepEqual(limits, [30_000, 30_000]);
  assert.match(said[0] ?? "", /grok-9/);
});

test("a refused search says what to do: another credential, or when the limit ends", async (t) => {
  const { vendor, search } = await world(t);
  vendor.next({ status: 401, body: { code: "unauthenticated", error: "bad key" } });
  const refused = await search();
  assert.equal(refused["error_type"], "auth_required");
  assert.match(String(refused["error"]), /unauthenticated: bad key; check SEARCH_VENDOR_API_KEY/);
  vendor.next({ status: 429, headers: { "retry-after": "120" }, body: { error: "slow down" } });
  assert.match(String((await search())["error"]), /slow down; the limit ends at \d{4}-/);
  assert.equal(vendor.requests.length, 2);
});

test("an answer that is none of the protocol is an error of the tool", async (t) => {
  const { vendor, search } = await world(t);
  const garbage = ["<html>", {}, { output: [] }, { output: [{ type: "message", content: [{ text: " " }] }] }];
  for (const body of [...garbage, { error: { code: "x", message: "overloaded" } }]) {
    vendor.next({ body });
    const { success, error_type, error } = await search();
    assert.deepEqual([success, error_type], [false, "api_error"]);
    assert.match(String(error), /JSON|no output|no text|overloaded/);
  }
});

test("a login that the vendor refuses is renewed once for the call", async (t) => {
  const bearers: string[] = [];
  const { vendor, search } = await world(t, {
    credentials: {
      get: async () => ({ baseUrl: vendor.url, bearer: "token-1", entry: "1", kind: "oauth" }),
      renew: async (refused) => ({ ...refused, bearer: "token-2" }),
      worked: async ({ bearer }) => void bearers.push(bearer),
    },
  });
  const found = await search();
  assert.deepEqual([found["success"], found["credential_source"]], [true, "oauth"]);
  assert.equal(vendor.requests.length, 2);
  assert.deepEqual(bearers, ["token-2"]);
});

test("an interrupted search ends at once", async (t) => {
  const { vendor, search } = await world(t);
  const control = new AbortController();
  vendor.next("silent");
  const searching = search({}, control.signal);
  await vendor.arrived(1);
  control.abort(new Error("interrupted"));
  await assert.rejects(searching, /interrupted|abort/);
});
