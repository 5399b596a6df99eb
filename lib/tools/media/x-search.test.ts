import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { startPostSearch } from "../../../fixtures/servers/media/x-search.js";
import { startIssuer } from "../../../fixtures/servers/portal/issuer.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";

const call = (args: Record<string, unknown>) => ({ tool_calls: [{ name: "x_search", arguments: args }] });
const KEY = { SEARCH_VENDOR_API_KEY: "xai-key-1" };

async function world(
  t: TestContext,
  calls: readonly Record<string, unknown>[],
  given: { readonly env?: Record<string, string>; readonly login?: string; readonly settings?: string } = {},
) {
  const vendor = await startPostSearch(t, ["xai-key-1", "oauth-token-1"]);
  const issuer = await startIssuer();
  t.after(() => issuer.close());
  const config = `x_search:\n  base_url: ${vendor.url}\n  retries: 0\n${given.settings ?? ""}auth:\n  providers:\n    search-vendor:\n      issuer: ${issuer.url}\n`;
  const owner = await chatOwner(t, {
    script: [...calls.map(call), { text: "done" }],
    config,
    env: given.env ?? {},
    prepared: true,
  });
  const logIn = (token: string) =>
    writeFileSync(
      join(owner.home.dir, "auth.json"),
      JSON.stringify({
        version: 1,
        credential_pool: {
          "search-vendor": [
            {
              id: "0a0b0c0d",
              auth_type: "oauth",
              source: "loopback_pkce",
              access_token: token,
              refresh_token: "ended by the user",
              expires_at: "2999-01-01T00:00:00Z",
            },
          ],
        },
      }),
      { mode: 0o600 },
    );
  if (given.login !== undefined) logIn(given.login);
  const results = async () => {
    const { session_id } = await owner.ask("what do they say?");
    return (await owner.results(session_id)).map((text) => text as string | Record<string, unknown>); // each is JSON, or labelled text
  };
  return { vendor, owner, results, logIn };
}

const FUTURE = "2999-01-01";

const HANDLES = Array.from({ length: 11 }, (_, at) => `handle_${at}`);
const WRONG: readonly (readonly [why: RegExp, args: Record<string, unknown>])[] = [
  [/must not be blank/, { query: "  " }],
  [/at most 10 handles \(has 11\)/, { query: "a", allowed_x_handles: HANDLES }],
  [/cannot be used together/, { query: "a", allowed_x_handles: ["one"], excluded_x_handles: ["two"] }],
  [/"a b" is not a handle/, { query: "a", excluded_x_handles: ["a b"] }],
  [/is not a handle/, { query: "a", allowed_x_handles: ["sixteen_letters_"] }],
  [/from_date must be a real date/, { query: "a", from_date: "2026-02-30" }],
  [/to_date must be a real date/, { query: "a", to_date: "2026-2-3" }],
  [/from_date 2026-01-02 is after to_date 2026-01-01/, { query: "a", from_date: "2026-01-02", to_date: "2026-01-01" }],
  [/is in the future/, { query: "a", from_date: FUTURE }],
];

test("C42, MD1: a search with wrong handles or dates is an error of the tool, and nothing is sent", async (t) => {
  proves(t, "tool.x-search.schema-decided");
  const { vendor, results } = await world(
    t,
    WRONG.map(([, args]) => args),
    { env: KEY },
  );
  const found = await results();
  assert.equal(found.length, WRONG.length);
  for (const [at, [why]] of WRONG.entries()) {
    assert.match(JSON.stringify(found[at]), /"error_type\\?":\\?"invalid_arguments/);
    assert.match(String((found[at] as Record<string, unknown>)["error"] ?? found[at]).replaceAll("\\", ""), why);
  }
  assert.deepEqual(vendor.requests, []);
});

test("handles lose their @ and blanks are dropped; a day that has not come yet may end a search", async (t) => {
  const args = {
    query: " agents ",
    allowed_x_handles: ["@one", " ", "@@two "],
    from_date: "2026-01-01",
    to_date: FUTURE,
  };
  const { vendor, results } = await world(t, [args], { env: KEY });
  assert.match(String((await results())[0]), /People like it/);
  const { input, tools } = vendor.requests[0]?.json ?? {};
  assert.deepEqual(input, [{ role: "user", content: "agents" }]);
  assert.deepEqual(tools, [
    { type: "x_search", allowed_x_handles: ["one", "two"], from_date: "2026-01-01", to_date: FUTURE },
  ]);
});

test("AU9: with a login and a key a search sends the login, and says so", async (t) => {
  proves(t, "tool.x-search.oauth-first");
  const { vendor, results } = await world(t, [{ query: "a" }], {
    env: KEY,
    login: "oauth-token-1",
  });
  assert.match(String((await results())[0]), /"credential_source":"oauth"/);
  assert.equal(vendor.requests[0]?.headers["authorization"], "Bearer oauth-token-1");
});

test("AU8: a login that the vendor has revoked is an error of the tool although a key is there", async (t) => {
  proves(t, "tool.x-search.per-call");
  const { vendor, results } = await world(t, [{ query: "a" }, { query: "b" }], {
    env: KEY,
    login: "revoked-token",
  });
  const found = await results();
  for (const one of found) assert.match(JSON.stringify(one), /agent auth add search-vendor/);
  const sent = vendor.requests.map(({ headers }) => headers["authorization"]);
  assert.deepEqual(sent, ["Bearer revoked-token"], "the second call has no bearer to send");
});

test("AU8: with credential_source api_key the key is used, whatever became of the login", async (t) => {
  const { vendor, results } = await world(t, [{ query: "a" }], {
    env: KEY,
    login: "revoked-token",
    settings: "  credential_source: api_key\n",
  });
  assert.match(String((await results())[0]), /"credential_source":"api_key"/);
  assert.equal(vendor.requests[0]?.headers["authorization"], "Bearer xai-key-1");
});

test("x_search is there when a key or a login is, and says what to do when neither is", async (t) => {
  proves(t, "tool.x-search.registers");
  const facts = async ({ owner }: Awaited<ReturnType<typeof world>>, env: Record<string, string>) => {
    const { tools } = await owner.chat.toolList({ source: "cli", cwd: owner.work, env });
    return tools.find(({ name }) => name === "x_search");
  };
  const bare = await world(t, []);
  const missing = await facts(bare, {});
  assert.equal(missing?.offered, false);
  assert.match(missing?.why ?? "", /agent auth add search-vendor/);
  bare.logIn("oauth-token-1");
  assert.equal((await facts(bare, {}))?.offered, true);
  assert.equal((await facts(await world(t, [], { env: KEY }), KEY))?.offered, true);
});
