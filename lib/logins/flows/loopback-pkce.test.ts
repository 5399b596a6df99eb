import assert from "node:assert/strict";
import { request } from "node:http";
import { type TestContext, test } from "node:test";
import { type IssuerOptions, startIssuer } from "../../../fixtures/servers/portal/issuer.js";
import { loginWorld } from "../../../fixtures/sim/login-world.js";
import { sameSite } from "../core/addresses.js";

const never = new AbortController().signal;
const HOUR = 3_600_000;

/** What a browser gets at an address. */
function look(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** A login that is under way: the address that the user was shown, and how it ends. */
async function begun(t: TestContext, options: IssuerOptions = {}, more: readonly string[] = []) {
  const issuer = await startIssuer(options);
  t.after(() => issuer.close());
  const world = await loginWorld(t);
  let shown: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    shown = resolve;
  });
  const stop = new AbortController();
  const where = [
    "--issuer",
    issuer.url,
    "--inference-url",
    `${issuer.url}/v1`,
    "--client-id",
    "client-1",
    "--no-browser",
    ...more,
  ];
  let err = "";
  const ended = world.run(["auth", "add", "search-vendor", ...where], {
    signal: stop.signal,
    err: async (text: string) => {
      err += text;
      const found = /^ {2}(http\S+)$/m.exec(err)?.[1];
      if (found !== undefined) shown(found);
    },
  });
  return {
    issuer,
    world,
    ended,
    stop,
    url: () => Promise.race([url, ended.then(({ code }) => assert.fail(`it ended with ${code}: ${err}`))]),
    said: () => err,
  };
}

test("AU4: a callback with a wrong state gets a 400 page and completes nothing; the right one after it does", async (t) => {
  const { issuer, world, ended, url } = await begun(t);
  const back = issuer.visit(await url());
  const wrong = await look(back.replace(/state=.*/, "state=other"));
  assert.deepEqual([wrong.status, wrong.text.includes("No login is waiting")], [400, true]);
  assert.equal((await look(back.replace(/state=.*/, ""))).status, 400);
  assert.equal((await look(back.replace(/code=[^&]*&/, ""))).status, 400);
  assert.deepEqual([issuer.forms.length, (await world.auth.list()).providers.length], [0, 0]);
  const right = await look(back);
  assert.deepEqual([right.status, right.text.includes("You are logged in")], [200, true]);
  assert.equal((await ended).code, 0);
  const credential = await world.logins.source("search-vendor").get(never);
  assert.deepEqual([credential.bearer, credential.baseUrl], ["issuer-access-1", `${issuer.url}/v1`]);
  assert.equal((await world.auth.list()).providers[0]?.entries[0]?.source, "loopback_pkce");
});

test("the browser is sent to the issuer with a proof, a state and a nonce, and for a login that can be renewed", async (t) => {
  const { issuer, ended, url } = await begun(t);
  const asked = new URL(await url());
  const values = Object.fromEntries(asked.searchParams);
  assert.equal(`${asked.origin}${asked.pathname}`, `${issuer.url}/authorize`);
  assert.deepEqual(
    [values["response_type"], values["client_id"], values["code_challenge_method"]],
    ["code", "client-1", "S256"],
  );
  assert.match(values["scope"] ?? "", /\boffline_access\b/);
  assert.match(values["redirect_uri"] ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  for (const name of ["state", "nonce", "code_challenge"]) assert.match(values[name] ?? "", /^[\w-]{43}$/);
  await look(issuer.visit(asked.href));
  assert.equal((await ended).code, 0);
  assert.deepEqual(
    [issuer.forms[0]?.["redirect_uri"], issuer.forms[0]?.["code_challenge"]],
    [values["redirect_uri"], values["code_challenge"]],
  );
});

test("the listener answers one path, by its own name, and is gone afterwards", async (t) => {
  const { issuer, ended, stop, url } = await begun(t);
  const back = issuer.visit(await url());
  const place = new URL(back).origin;
  assert.equal((await look(`${place}/`)).status, 404);
  assert.equal((await look(`${place}/callback/x`)).status, 404);
  assert.equal((await look(back, { host: "evil.test" })).status, 400);
  stop.abort("SIGINT");
  assert.equal((await ended).code, 130);
  await assert.rejects(look(back));
  assert.equal(issuer.forms.length, 0);
});

test("what the vendor refuses ends the login with its words", async (t) => {
  const { issuer, ended, url } = await begun(t);
  const back = issuer.visit(await url());
  const error = back.replace(/code=[^&]*/, "error=access_denied&error_description=not+today");
  assert.equal((await look(error)).status, 400);
  const { code, out } = await ended;
  assert.deepEqual([code, out], [1, ""]);
});

test("a plan that does not include it is told, without advice to log in again", async (t) => {
  const { issuer, ended, url, said } = await begun(t, { exchange: { status: 403, body: {} } });
  await look(issuer.visit(await url()));
  assert.equal((await ended).code, 1);
  assert.match(
    said(),
    /failed to log in to xAI: your plan does not include this\nagent: agent auth add search-vendor --type api-key adds a key\n$/,
  );
});

const PASTED: readonly (readonly [name: string, paste: (back: string) => string, code: number, said: RegExp])[] = [
  ["the address", (back) => ` ${back}\n`, 0, /and log in/],
  ["its query", (back) => new URL(back).search, 0, /and log in/],
  ["the query without its mark", (back) => new URL(back).search.slice(1), 0, /and log in/],
  ["the code", (back) => new URL(back).searchParams.get("code") ?? "", 0, /and log in/],
  ["the address of another login", (back) => back.replace(/state=.*/, "state=other"), 1, /belongs to another login/],
  [
    "a refusal",
    (back) => back.replace(/code=[^&]*/, "error=denied&error_description=not+today"),
    1,
    /failed to log in to xAI: not today/,
  ],
  ["an address without a code", (back) => back.replace(/code=[^&]*&/, ""), 1, /no code in the pasted text/],
  ["nothing", () => "", 1, /nothing pasted/],
];

for (const [name, paste, code, words] of PASTED) {
  test(`with --manual-paste nothing listens, and the user brings ${name}`, async (t) => {
    const issuer = await startIssuer();
    t.after(() => issuer.close());
    const world = await loginWorld(t);
    let err = "";
    const where = ["--issuer", issuer.url, "--inference-url", `${issuer.url}/v1`, "--client-id", "c"];
    const ran = await world.run(["auth", "add", "search-vendor", ...where, "--manual-paste"], {
      err: async (text) => {
        err += text;
      },
      stdin: async () => paste(issuer.visit(/^ {2}(http\S+)$/m.exec(err)?.[1] ?? "")),
    });
    assert.equal(ran.code, code, err);
    assert.match(err, words);
    assert.deepEqual(world.pages, []);
  });
}

const REFUSED: readonly (readonly [name: string, options: IssuerOptions, said: RegExp])[] = [
  [
    "a token address elsewhere",
    { describes: { token_endpoint: "https://evil.example/token" } },
    /outside its domain: https:\/\/evil\.example/,
  ],
  ["no encryption", { describes: { authorization_endpoint: "http://auth.example/a" } }, /outside its domain/],
  ["no addresses", { describes: { token_endpoint: undefined } }, /lacks the login address/],
];

for (const [name, options, words] of REFUSED) {
  test(`a login does not begin where the issuer names ${name}`, async (t) => {
    const { ended, said } = await begun(t, options);
    assert.equal((await ended).code, 1);
    assert.match(said(), words);
  });
}

test("tokens of another login are not taken", async (t) => {
  const { issuer, ended, url, said } = await begun(t, { claims: () => ({ nonce: "another" }) });
  await look(issuer.visit(await url()));
  assert.equal((await ended).code, 1);
  assert.match(said(), /belong to another login/);
});

test("a login is renewed at the address that the issuer names, an hour before its end", async (t) => {
  const { issuer, world, ended, url } = await begun(t, { claims: (nonce) => ({ nonce, email: "me@example.com" }) });
  await look(issuer.visit(await url()));
  assert.match((await ended).out, /me@example\.com oauth loopback_pkce/);
  world.clock.jumpWall(HOUR + 1);
  assert.equal((await world.logins.source("search-vendor").get(never)).bearer, "issuer-access-2");
});

test("each login is renewed at the issuer that made it, whatever a later one named", async (t) => {
  const { issuer, world, ended, url } = await begun(t, {}, ["--label", "first"]);
  await look(issuer.visit(await url()));
  assert.equal((await ended).code, 0);
  const other = await startIssuer();
  t.after(() => other.close());
  const addresses = { issuer: other.url, inference_url: `${other.url}/v1`, client_id: "client-2" };
  const told = async ({ url: shown }: { url: string }) => void (await look(other.visit(shown)));
  await world.auth.login("search-vendor", { label: "second", addresses, told, signal: never });
  await world.auth.refresh("search-vendor", true);
  for (const { forms } of [issuer, other])
    assert.deepEqual(
      forms.map((form) => form["grant_type"]),
      ["authorization_code", "refresh_token"],
    );
});

const SITES: readonly (readonly [a: string, b: string, same: boolean])[] = [
  ["https://accounts.x.ai/a", "https://auth.x.ai", true],
  ["https://x.ai/a", "https://auth.x.ai", true],
  ["https://notx.ai/a", "https://auth.x.ai", false],
  ["https://x.ai.evil.example/a", "https://auth.x.ai", false],
  ["https://other.co.uk", "https://auth.vendor.co.uk", false],
  ["https://login.vendor.co.uk", "https://auth.vendor.co.uk", true],
  ["https://192.168.0.1/a", "https://10.0.0.1", false],
  ["https://10.0.0.1/a", "https://10.0.0.1:8443", true],
  ["http://127.0.0.1:1/a", "http://127.0.0.1:1", true],
  ["http://127.0.0.1:2/a", "http://127.0.0.1:1", false],
  ["http://127.0.0.1:1/a", "https://auth.x.ai", false],
];

for (const [a, b, same] of SITES)
  test(`${a} is ${same ? "" : "not "}of the domain of ${b}`, () => assert.equal(sameSite(a, b), same));
