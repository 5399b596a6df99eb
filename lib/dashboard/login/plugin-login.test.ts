import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import type { Answer } from "../../../fixtures/dashboard/ask.js";
import { putLoginPlugin } from "../../../fixtures/dashboard/login-plugin.js";
import { type DashboardWorld, type DashboardWorldOptions, dashboardWorld } from "../../../fixtures/dashboard/world.js";
import { type ManualClock, manualClock } from "../../../fixtures/ports/clock.js";

const PAGE = "https://accounts.example/authorize";
const ENABLED = "plugins: {enabled: [acct]}\n";

interface LoginWorld extends DashboardWorld {
  readonly clock: ManualClock;
  /** Go to where a login begins. */
  start(provider?: string, headers?: Record<string, string>): Promise<Begun>;
  /** Come back from the page of someone else. */
  back(begun: Pick<Begun, "cookie" | "state">, code: string): Promise<Answer>;
}

interface Begun {
  readonly answer: Answer;
  readonly cookie: string;
  readonly state: string;
  readonly sent: URLSearchParams;
}

async function loginWorld(t: TestContext, options: DashboardWorldOptions = {}): Promise<LoginWorld> {
  const clock = manualClock();
  const world = await dashboardWorld(t, { clock, config: ENABLED, ...options });
  putLoginPlugin(world.home.dir, PAGE);
  return {
    ...world,
    clock,
    start: async (provider = "acct", headers = {}) => {
      const answer = await world.askPlain("GET", `/auth/login?provider=${provider}`, { headers });
      const sent = new URL(answer.headers.location ?? "about:blank").searchParams;
      const cookie = String(answer.headers["set-cookie"]?.[0]).split(";")[0] ?? "";
      return { answer, cookie, sent, state: sent.get("state") ?? "" };
    },
    back: ({ cookie, state }, code) =>
      world.askPlain("GET", `/auth/callback?${new URLSearchParams({ state, code })}`, { headers: { cookie } }),
  };
}

const cookieIn = (answer: Answer): string => String(answer.headers["set-cookie"]?.[0]).split(";")[0] ?? "";

test("a plugin's login is offered, leads to its page, and begins a session that no script reads and no other site sends", async (t) => {
  const { askPlain, open, start, back, url } = await loginWorld(t);
  const { providers } = (await askPlain("GET", "/api/auth/providers")).json;
  assert.deepEqual(providers?.[0], {
    name: "acct",
    label: "Acct & Co",
    login: "auth/login?provider=acct",
    kind: "browser",
  });
  const begun = await start();
  assert.equal(begun.answer.status, 302);
  assert.ok(begun.answer.headers.location?.startsWith(`${PAGE}?`));
  assert.equal(begun.sent.get("redirect_uri"), `${url}auth/callback`);
  assert.match(
    String(begun.answer.headers["set-cookie"]),
    new RegExp(`^agent_login_${open.port}=[\\w-]{43}; Path=/auth; Max-Age=600; HttpOnly; SameSite=Lax$`),
  );
  const landed = await back(begun, "ok");
  assert.deepEqual([landed.status, landed.headers["cache-control"]], [200, "no-store"]);
  assert.match(landed.text, /url=\.\.\//);
  assert.match(
    String(landed.headers["set-cookie"]),
    new RegExp(`^agent_session_${open.port}=[\\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict$`),
  );
  const me = await askPlain("GET", "/api/auth/me", { headers: { cookie: cookieIn(landed) } });
  assert.deepEqual([me.status, me.json["provider"], me.json["user"]], [200, "acct", "ada@example.com"]);
  const status = await askPlain("GET", "/api/status");
  assert.deepEqual(status.json["auth_providers"]?.[0], "acct");
});

test("the nonce and the verifier of a login are those that it was begun with", async (t) => {
  const { start, back } = await loginWorld(t);
  const first = await start();
  const second = await start();
  assert.equal((await back(first, `nonce ${first.sent.get("nonce")}`)).status, 200);
  assert.equal((await back(second, `nonce ${first.sent.get("nonce")}`)).status, 403);
  const third = await start();
  assert.equal((await back(third, `challenge ${third.sent.get("code_challenge")}`)).status, 200);
  const fourth = await start();
  assert.equal((await back(fourth, `challenge ${third.sent.get("code_challenge")}`)).status, 403);
});

test("a way back that this browser did not begin, a used one, a late one and one without a state let no one in", async (t) => {
  const { start, back, clock, askPlain } = await loginWorld(t);
  const own = await start();
  const other = await start();
  const refused = async (answer: Promise<Answer>, what: string) => {
    const { status, headers } = await answer;
    assert.deepEqual([status, headers["set-cookie"]], [400, undefined], what);
  };
  await refused(back({ state: own.state, cookie: "" }, "ok"), "no cookie");
  await refused(back({ state: own.state, cookie: other.cookie }, "ok"), "the cookie of another login");
  await refused(back({ state: `${own.state}x`, cookie: own.cookie }, "ok"), "another state");
  await refused(back({ state: "", cookie: own.cookie }, "ok"), "an empty state");
  await refused(askPlain("GET", "/auth/callback?code=ok", { headers: { cookie: own.cookie } }), "no state");
  await refused(back({ state: own.state, cookie: `${own.cookie}; ${other.cookie}` }, "ok"), "two cookies");
  assert.equal((await back(own, "ok")).status, 200, "wrong ways back do not use it up");
  await refused(back(own, "ok"), "used");
  clock.advance(600_000);
  await refused(back(other, "ok"), "ten minutes old");
});

test("an account that may not come in, a plugin that throws and one that answers nonsense begin no session and tell nothing", async (t) => {
  const { start, back } = await loginWorld(t);
  for (const [code, status] of [
    ["nobody", 403],
    ["throws", 502],
    ["odd", 502],
  ] as const) {
    const begun = await start();
    const answer = await back(begun, code);
    assert.deepEqual([answer.status, answer.headers["set-cookie"]], [status, undefined], code);
    assert.doesNotMatch(answer.text, /s3cret/);
    assert.equal((await back(begun, "ok")).status, 400, "it was used up");
  }
});

test("a browser is sent to no script, no plain address of elsewhere and nothing that pretends to be another", async (t) => {
  const { start, askPlain } = await loginWorld(t);
  for (const name of ["throws", "script", "plain", "user", "nothing"]) {
    const { answer } = await start(name);
    assert.deepEqual(
      [answer.status, answer.headers.location, answer.headers["set-cookie"]],
      [502, undefined, undefined],
      name,
    );
  }
  const unknown = await start("<b>");
  assert.equal(unknown.answer.status, 404);
  assert.doesNotMatch(unknown.answer.text, /<b>/);
  for (const more of ["next=https://evil.example", "redirect_uri=https://evil.example", "return_to=//evil.example"]) {
    const answer = await askPlain("GET", `/auth/login?provider=acct&${more}`);
    assert.doesNotMatch(answer.headers.location ?? "", /evil/, more);
  }
});

test("pages of other sites may send a window back from a login, and can begin none and load none in a frame", async (t) => {
  const { askPlain, start } = await loginWorld(t);
  const window = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  assert.equal((await start("acct", window)).answer.status, 403);
  const begun = await start();
  const callback = (headers: Record<string, string>, method = "GET") =>
    askPlain(method, `/auth/callback?state=${begun.state}&code=ok`, { headers: { cookie: begun.cookie, ...headers } });
  assert.equal((await callback({ ...window, "sec-fetch-dest": "iframe" })).status, 403);
  assert.equal((await callback({ ...window, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" })).status, 403);
  assert.equal((await callback({ ...window, origin: "https://evil.example" })).status, 403);
  assert.equal((await callback(window, "POST")).status, 403);
  assert.equal((await askPlain("GET", "/", { headers: window })).status, 403);
  assert.equal((await callback({}, "POST")).status, 405);
  assert.equal((await callback({}, "HEAD")).status, 405);
  assert.equal((await callback(window)).status, 200);
});

test("DB1: who has logged in through a plugin is known by the cookie, changes nothing without the session's word, and no one else is let in", async (t) => {
  const { askPlain, start, back } = await loginWorld(t);
  const bare = await askPlain("GET", "/api/plugins/kanban/board");
  assert.deepEqual([bare.status, bare.json], [401, { detail: "Unauthorized" }]);
  const cookie = cookieIn(await back(await start(), "ok"));
  assert.equal((await askPlain("GET", "/api/plugins/kanban/board", { headers: { cookie } })).status, 200);
  const { csrf } = (await askPlain("GET", "/api/auth/me", { headers: { cookie } })).json;
  const change = (headers: Record<string, string>) =>
    askPlain("POST", "/api/auth/ws-ticket", { headers: { cookie, ...headers } });
  assert.equal((await change({})).status, 403);
  assert.equal((await change({ "x-agent-csrf": "wrong" })).status, 403);
  assert.equal((await change({ "x-agent-csrf": String(csrf), origin: "https://evil.example" })).status, 403);
  assert.equal((await change({ "x-agent-csrf": String(csrf) })).status, 200);
  assert.equal(
    (await askPlain("POST", "/api/auth/logout", { headers: { cookie, "x-agent-csrf": String(csrf) } })).status,
    200,
  );
  assert.equal((await askPlain("GET", "/api/auth/me", { headers: { cookie } })).status, 401);
});

test("DB2: a session of a plugin and its WebSockets end with 1008 when the plugin is disabled", async (t) => {
  const { app, askPlain, start, back, url } = await loginWorld(t);
  const cookie = cookieIn(await back(await start(), "ok"));
  const { csrf } = (await askPlain("GET", "/api/auth/me", { headers: { cookie } })).json;
  const headers = { cookie, "x-agent-csrf": String(csrf) };
  const ticket = async () => String((await askPlain("POST", "/api/auth/ws-ticket", { headers })).json["ticket"]);
  const opened = async (given: string) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}api/plugins/kanban/events?ticket=${given}`);
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    const first = new Promise<"frame">((resolve) => socket.once("message", () => resolve("frame")));
    return { closed, first: await Promise.race([first, closed]) };
  };
  const once = await ticket();
  const live = await opened(once);
  assert.equal(live.first, "frame");
  assert.equal((await opened(once)).first, 1008, "a ticket works once");
  const left = await ticket();
  const under = await start();
  await app.plugins.disable("acct");
  assert.equal(await live.closed, 1008);
  assert.equal((await opened(left)).first, 1008);
  assert.equal((await askPlain("GET", "/api/auth/me", { headers: { cookie } })).status, 401);
  assert.equal((await back(under, "ok")).status, 403, "a login under way ends with its plugin");
  assert.equal((await start()).answer.status, 404);
});

test("DB3: behind a TLS proxy the way back has the proxy's origin and the cookies are secure; a wrong host begins nothing", async (t) => {
  const config = `${ENABLED}dashboard: {allowed_hosts: [desk.example], allowed_origins: ["https://desk.example"], base_path: /agent}\n`;
  const { start, askPlain } = await loginWorld(t, { config });
  const begun = await start("acct", { host: "desk.example" });
  assert.equal(begun.sent.get("redirect_uri"), "https://desk.example/agent/auth/callback");
  assert.match(String(begun.answer.headers["set-cookie"]), /; Path=\/agent\/auth; .*SameSite=Lax; Secure$/);
  const landed = await askPlain("GET", `/agent/auth/callback?state=${begun.state}&code=ok`, {
    headers: {
      host: "desk.example",
      cookie: begun.cookie,
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    },
  });
  assert.equal(landed.status, 200);
  assert.match(String(landed.headers["set-cookie"]), /; Path=\/agent\/; .*SameSite=Strict; Secure$/);
  assert.equal((await start("acct", { host: "desk.example.evil.test" })).answer.status, 400);
});

test("an address that begins logins or comes back wrongly again and again has to wait a minute", async (t) => {
  const { start, back, clock } = await loginWorld(t);
  let begun = await start();
  for (let at = 1; at < 20; at++) begun = await start();
  const more = await start();
  assert.deepEqual([more.answer.status, more.answer.headers["retry-after"]], [429, "60"]);
  for (let at = 0; at < 11; at++) assert.equal((await back({ state: "x", cookie: begun.cookie }, "ok")).status, 400);
  assert.equal((await back(begun, "ok")).status, 429);
  clock.advance(60_000);
  assert.equal((await back(begun, "ok")).status, 200);
  assert.equal((await start()).answer.status, 302);
});

test("without a plugin there is no login but the page at /login itself", async (t) => {
  const { askPlain } = await dashboardWorld(t);
  assert.deepEqual((await askPlain("GET", "/api/auth/providers")).json, { providers: [] });
  assert.equal((await askPlain("GET", "/auth/login?provider=acct")).status, 404);
  const page = await askPlain("GET", "/login");
  assert.deepEqual([page.status, page.text], [200, (await askPlain("GET", "/")).text]);
});
