import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Issuer, startIssuer } from "../../fixtures/servers/portal/issuer.js";
import { type LoginWorld, loginWorld } from "../../fixtures/sim/login-world.js";
import { toAppError } from "../base/errors.js";
import type { ToolCredentials } from "../contracts/models/tool-credentials.js";
import { createToolCredentials } from "./tool-credentials.js";

const never = new AbortController().signal;
const HOUR = 3_600_000;
const KEY = { SEARCH_VENDOR_API_KEY: "xai-key-1" };

interface Place {
  readonly world: LoginWorld;
  readonly issuer: Issuer;
  readonly credentials: ToolCredentials;
  /** Write a login whose token lasts so long, and whose refresh token the issuer does or does not know. */
  logIn(lasts: number, refreshToken?: string): void;
}

async function place(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<Place> {
  const issuer = await startIssuer();
  t.after(() => issuer.close());
  const world = await loginWorld(t, {
    env,
    settings: { "auth.providers": { "search-vendor": { issuer: issuer.url, inference_url: "https://api.x.ai/v1" } } },
  });
  const logIn = (lasts: number, refreshToken = "unknown to the issuer") =>
    world.write({
      version: 1,
      credential_pool: {
        "search-vendor": [
          {
            id: "0a0b0c0d",
            auth_type: "oauth",
            source: "loopback_pkce",
            access_token: "oauth-token-1",
            refresh_token: refreshToken,
            expires_at: new Date(world.clock.now() + lasts).toISOString(),
          },
        ],
      },
    });
  return { world, issuer, credentials: createToolCredentials(world.logins, "search-vendor"), logIn };
}

const failure = async (work: Promise<unknown>) => {
  try {
    await work;
  } catch (error) {
    return toAppError(error);
  }
  assert.fail("nothing failed");
};

test("a tool uses the login before the key, and each one when it is asked for by name", async (t) => {
  const { credentials, logIn } = await place(t, KEY);
  assert.equal((await credentials.get("auto", "", never)).bearer, "xai-key-1");
  logIn(3 * HOUR);
  const { bearer, kind } = await credentials.get("auto", "", never);
  assert.deepEqual([bearer, kind], ["oauth-token-1", "oauth"]);
  assert.equal((await credentials.get("api_key", "", never)).bearer, "xai-key-1");
  assert.equal((await credentials.get("oauth", "", never)).bearer, "oauth-token-1");
});

test("a login that came to its end is reported with the command that renews it, and no key takes its place", async (t) => {
  const { credentials, logIn } = await place(t, KEY);
  logIn(-HOUR);
  for (const choice of ["auto", "oauth", "auto"] as const) {
    const { code, message } = await failure(credentials.get(choice, "", never));
    assert.equal(code, "E_AUTH");
    assert.match(message, /agent auth add search-vendor/);
    assert.doesNotMatch(message, /xai-key-1/);
  }
  assert.equal((await credentials.get("api_key", "", never)).bearer, "xai-key-1");
  assert.equal(await credentials.exists("auto"), true);
});

test("a refused login is renewed once; one that its provider has ended is reported", async (t) => {
  const { credentials, logIn, issuer } = await place(t, KEY);
  logIn(3 * HOUR);
  const used = await credentials.get("auto", "", never);
  const ended = await failure(credentials.renew(used, never));
  assert.match(ended.message, /agent auth add search-vendor/);
  assert.equal(issuer.forms.length, 1);
  const key = await credentials.get("api_key", "", never);
  assert.equal(await credentials.renew(key, never), undefined);
});

test("without any credential a tool hears of the login and of the variable", async (t) => {
  const { credentials } = await place(t);
  assert.equal(await credentials.exists("auto"), false);
  const { message } = await failure(credentials.get("auto", "", never));
  assert.match(message, /agent auth add search-vendor/);
  assert.match(message, /SEARCH_VENDOR_API_KEY/);
  assert.match(
    (await failure(credentials.get("api_key", "", never))).message,
    /no API key of xAI: set SEARCH_VENDOR_API_KEY/,
  );
});

test("a key is looked for in .env and the environment at each call", async (t) => {
  const env: Record<string, string> = {};
  const { credentials } = await place(t, env);
  assert.equal(await credentials.exists("api_key"), false);
  env["XAI_API_KEY"] = "xai-key-2";
  assert.equal((await credentials.get("auto", "", never)).bearer, "xai-key-2");
});

test("a login is sent to its own vendor and to this machine alone; a key wherever its user says, in private", async (t) => {
  const { credentials, logIn } = await place(t, KEY);
  logIn(3 * HOUR);
  const sent = async (choice: "oauth" | "api_key", url: string) => (await credentials.get(choice, url, never)).baseUrl;
  assert.equal(await sent("oauth", "https://eu.api.x.ai/v1"), "https://eu.api.x.ai/v1");
  assert.equal(await sent("oauth", "http://127.0.0.1:9/v1"), "http://127.0.0.1:9/v1");
  assert.equal(await sent("api_key", "https://proxy.example/v1"), "https://proxy.example/v1");
  assert.match((await failure(sent("oauth", "https://proxy.example/v1"))).message, /its own vendor only/);
  assert.match((await failure(sent("api_key", "http://proxy.example/v1"))).message, /only sent to https/);
});
