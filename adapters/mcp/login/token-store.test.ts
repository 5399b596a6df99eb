import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { createMcpTokenStore } from "./token-store.js";

const ISSUER = "https://auth.example";
const TOKENS = { access_token: "a1", token_type: "Bearer", refresh_token: "r1", expires_in: 3600 };

function setup(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "mcp-tokens-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const clock = manualClock("1970-01-01T00:16:40Z");
  return { dir, clock, store: createMcpTokenStore({ dir }, clock), file: join(dir, "mcp-tokens", "notes.json") };
}

test("stored logins are readable by their user alone, and found by issuer or as the last ones", async (t) => {
  const { dir, store, file } = setup(t);
  await store.saveTokens("notes", ISSUER, TOKENS);
  await store.saveTokens("notes", "https://other.example", { ...TOKENS, access_token: "b1" });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(dir, "mcp-tokens")).mode & 0o777, 0o700);
  assert.deepEqual(await store.tokens("notes", ISSUER), { issuer: ISSUER, tokens: TOKENS, expiresAt: 4_600_000 });
  assert.equal((await store.tokens("notes"))?.issuer, "https://other.example");
  assert.equal(await store.tokens("other"), undefined);
});

test("an answer without a refresh token keeps the one of before", async (t) => {
  const { store } = setup(t);
  await store.saveTokens("notes", ISSUER, TOKENS);
  await store.saveTokens("notes", ISSUER, { access_token: "a2", token_type: "Bearer" });
  const found = await store.tokens("notes", ISSUER);
  assert.deepEqual(found, {
    issuer: ISSUER,
    tokens: { access_token: "a2", token_type: "Bearer", refresh_token: "r1" },
  });
});

test("changes made at once are all kept", async (t) => {
  const { store } = setup(t);
  await Promise.all([
    store.saveClient("notes", ISSUER, { client_id: "c1" }),
    store.saveTokens("notes", ISSUER, TOKENS),
    store.saveDiscovery("notes", { authorizationServerUrl: ISSUER }),
  ]);
  assert.deepEqual(await store.client("notes", ISSUER), { client_id: "c1" });
  assert.equal((await store.tokens("notes"))?.tokens.access_token, "a1");
  assert.deepEqual(await store.discovery("notes"), { authorizationServerUrl: ISSUER });
});

test("forgetting tokens leaves the registration, and removing a server leaves nothing", async (t) => {
  const { store, file } = setup(t);
  await store.saveClient("notes", ISSUER, { client_id: "c1" });
  await store.saveTokens("notes", ISSUER, TOKENS);
  assert.equal(await store.forget("notes", { tokens: true, client: false }), true);
  assert.equal(await store.forget("notes", { tokens: true, client: false }), false);
  assert.equal(await store.tokens("notes"), undefined);
  assert.deepEqual(await store.client("notes", ISSUER), { client_id: "c1" });
  await store.remove("notes");
  assert.throws(() => readFileSync(file), /ENOENT/);
});

test("a login file that cannot be read is named and not replaced", async (t) => {
  const { store, file } = setup(t);
  await store.saveTokens("notes", ISSUER, TOKENS);
  writeFileSync(file, "{");
  await assert.rejects(() => store.saveTokens("notes", ISSUER, TOKENS), { code: "E_STATE" });
  assert.equal(readFileSync(file, "utf8"), "{");
});
