import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ProtectedOptions, startProtectedServer } from "../../../fixtures/servers/mcp/protected-server.js";
import { AppError } from "../../../lib/base/errors.js";
import { randomIds } from "../../../lib/base/ids.js";
import { lockFile } from "../../../lib/base/process/file-lock.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import { sha256 } from "../../../lib/base/text/hash.js";
import { systemClock } from "../../../lib/base/time/clock.js";
import { mcpEntrySchema } from "../../../lib/contracts/mcp/entry.js";
import { mcpLoginFile } from "../../../lib/contracts/mcp/logins.js";
import { callbackListener } from "../../../lib/http/login-callback.js";
import { logInToServer } from "./log-in.js";
import { storedLogin } from "./stored-login.js";
import { createMcpTokenStore } from "./token-store.js";

async function setup(t: TestContext, options: ProtectedOptions = {}, oauth: object = {}) {
  const dir = mkdtempSync(join(tmpdir(), "mcp-login-"));
  const server = await startProtectedServer(options);
  t.after(async () => {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const parts = {
    home: { dir },
    clock: systemClock,
    ids: randomIds,
    listen: callbackListener(systemClock),
    spawner: systemSpawner,
  };
  const { oauth: settings } = mcpEntrySchema.parse({ url: server.url, oauth });
  const logIn = (open: (url: string) => Promise<void>, paste?: () => Promise<string | undefined>) =>
    logInToServer({
      name: "notes",
      entry: { url: server.url, oauth: settings },
      ask: { open, ...(paste === undefined ? {} : { paste }) },
      signal: new AbortController().signal,
      fetch,
      parts,
    });
  /** The person's browser: it goes where it is sent. */
  const browser = async (url: string) => {
    await fetch(await server.browse(url));
  };
  const connect = async () => {
    const authProvider = storedLogin({ name: "notes", fetch, parts });
    const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { authProvider }));
    t.after(() => client.close());
    return client;
  };
  const refreshes = () => server.requests.filter((one) => one === "POST /token refresh_token").length;
  const file = mcpLoginFile({ dir }, "notes");
  return {
    dir,
    server,
    parts,
    logIn,
    browser,
    connect,
    refreshes,
    file,
    store: createMcpTokenStore({ dir }, systemClock),
  };
}

test("a person logs in with a browser, and the server's tools can be used from then on", async (t) => {
  const { server, logIn, browser, connect, file } = await setup(t);
  await assert.rejects(connect, /agent mcp login notes/);
  await logIn(browser);
  assert.deepEqual(server.requests, ["POST /register", "GET /authorize", "POST /token authorization_code"]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const client = await connect();
  assert.deepEqual((await client.callTool({ name: "whoami" })).content, [{ type: "text", text: "Uma" }]);
});

test("a callback without the right state or on another path leaves the login waiting", async (t) => {
  const { server, logIn } = await setup(t);
  const statuses: number[] = [];
  await logIn(async (url) => {
    const right = new URL(await server.browse(url));
    for (const change of [
      (to: URL) => to.searchParams.set("state", "other"),
      (to: URL) => to.searchParams.delete("state"),
      (to: URL) => to.searchParams.delete("code"),
      (to: URL) => {
        to.pathname = "/other";
      },
    ]) {
      const wrong = new URL(right);
      change(wrong);
      statuses.push((await fetch(wrong)).status);
    }
    statuses.push((await fetch(right)).status);
  });
  assert.deepEqual(statuses, [400, 400, 400, 404, 200]);
});

test("an answer of another issuer is refused and nothing is stored", async (t) => {
  const { logIn, browser, store } = await setup(t, { iss: "https://evil.example" });
  await assert.rejects(() => logIn(browser), { code: "E_AUTH" });
  assert.equal(await store.tokens("notes"), undefined);
});

test("what the browser ends at may be pasted as an address or a query; that of another login is refused", async (t) => {
  const { server, logIn, store } = await setup(t);
  for (const form of [(to: URL) => to.href, (to: URL) => to.search]) {
    let end = new URL("http://127.0.0.1/");
    const open = async (url: string) => {
      end = new URL(await server.browse(url));
    };
    await logIn(open, async () => form(end));
    assert.match((await store.tokens("notes"))?.tokens.access_token ?? "", /^access-/);
  }
  const other = async () => "http://127.0.0.1:1/callback?code=x&state=other";
  await assert.rejects(() => logIn(async () => undefined, other), /belongs to another login/);
  await assert.rejects(
    () =>
      logIn(
        async () => undefined,
        async () => "",
      ),
    /nothing was pasted/,
  );
});

test("a client id of the settings is used in place of a registration", async (t) => {
  const { server, logIn, browser, store } = await setup(t, { unregistered: true }, { client_id: "mine" });
  await logIn(browser);
  assert.deepEqual(server.requests, ["GET /authorize", "POST /token authorization_code"]);
  assert.equal((await store.client("notes", server.issuer))?.client_id, "mine");
});

test("a login ends when its time is over or it is cancelled", async (t) => {
  const { logIn } = await setup(t, {}, { timeout: 0.05 });
  await assert.rejects(() => logIn(async () => undefined), /no answer from the browser within 0.05 s/);
});

test("MC12: eight sessions at the expiry of one login send one renewal, and each goes on", async (t) => {
  const { server, logIn, browser, connect, refreshes } = await setup(t);
  await logIn(browser);
  const clients = await Promise.all(Array.from({ length: 8 }, connect));
  server.expire();
  const answers = await Promise.all(clients.map((client) => client.callTool({ name: "whoami" })));
  assert.equal(answers.filter(({ isError }) => isError !== true).length, 8);
  assert.equal(refreshes(), 1);
});

test("MC12: a login that another process of the home renews meanwhile is renewed once", async (t) => {
  const { server, parts, store, logIn, browser, refreshes } = await setup(t, { expiresIn: 20 });
  await logIn(browser);
  const path = join(parts.home.dir, "mcp-tokens", "locks", `${sha256(server.issuer).slice(0, 16)}.lock`);
  const other = await lockFile(path, parts, { ms: 0 });
  let settled = false;
  const token = storedLogin({ name: "notes", fetch, parts })
    .token()
    .finally(() => {
      settled = true;
    });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(settled, false);
  const found = await store.tokens("notes");
  assert.ok(found);
  await store.saveTokens("notes", found.issuer, { ...found.tokens, access_token: "of-the-other", expires_in: 3_600 });
  other.release();
  assert.equal(await token, "of-the-other");
  assert.equal(refreshes(), 0);
});

test("MC12: a 401 keeps the stored login", async (t) => {
  const { server, logIn, browser, connect, store, file } = await setup(t);
  await logIn(browser);
  const client = await connect();
  server.refuse(100);
  await assert.rejects(() => client.callTool({ name: "whoami" }));
  assert.notEqual(await store.tokens("notes"), undefined);
  server.refuse(0);
  const again = await connect();
  assert.equal((await again.callTool({ name: "whoami" })).isError, undefined);
  server.endAll();
  const before = readFileSync(file, "utf8");
  await assert.rejects(() => again.callTool({ name: "whoami" }), /refused to renew the login.*agent mcp login notes/);
  assert.equal(readFileSync(file, "utf8"), before);
});

test("a token that is about to expire is renewed before it is used, also by servers of the same issuer one after the other", async (t) => {
  const { server, parts, logIn, browser, connect, refreshes } = await setup(t, { expiresIn: 20 });
  await logIn(browser);
  const { token } = storedLogin({ name: "notes", fetch, parts });
  const all = await Promise.all([token(), token(), token()]);
  assert.equal(new Set(all).size, 1, "all of them get the same new token");
  assert.equal(refreshes(), 1);
  const client = await connect();
  assert.equal((await client.callTool({ name: "whoami" })).isError, undefined);
  assert.ok(server.requests.length > 0);
});

test("a refusal of the person is told with its reason", async (t) => {
  const { logIn } = await setup(t);
  const deny = async (url: string) => {
    const { searchParams } = new URL(url);
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("state", searchParams.get("state") ?? "");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_description", "not today");
    await fetch(back);
  };
  await assert.rejects(
    () => logIn(deny),
    (error) => error instanceof AppError && error.code === "E_AUTH" && /not today/.test(error.message),
  );
});
