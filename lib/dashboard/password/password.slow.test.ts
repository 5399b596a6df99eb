import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { askHttp } from "../../../fixtures/dashboard/ask.js";
import { addressOf, socketAt } from "../../../fixtures/dashboard/socket.js";
import { type DashboardWorld, dashboardWorld } from "../../../fixtures/dashboard/world.js";
import { type ManualClock, manualClock } from "../../../fixtures/ports/clock.js";
import { runLine } from "../../../fixtures/sim/run-line.js";
import { Secret } from "../../base/secret.js";
import { services } from "../../rpc/commands/command-services.js";

const HOUR = 3600_000;
const PASSWORD = "correct horse";

interface LoggedIn extends DashboardWorld {
  readonly clock: ManualClock;
  /** The cookie as a browser sends it, and the word for changes. */
  readonly cookie: string;
  readonly csrf: string;
  login(password: string): ReturnType<DashboardWorld["askPlain"]>;
}

async function loggedIn(t: TestContext): Promise<LoggedIn> {
  const clock = manualClock();
  const world = await dashboardWorld(t, { clock });
  await world.app.dashboard.setPassword(new Secret(PASSWORD));
  const login = (password: string) => world.askPlain("POST", "/api/auth/password-login", { body: { password } });
  const first = await login(PASSWORD);
  assert.equal(first.status, 200, first.text);
  const cookie = String(first.headers["set-cookie"]?.[0]).split(";")[0] ?? "";
  return { ...world, clock, cookie, csrf: String(first.json["csrf"]), login };
}

test("a password begins a session whose cookie no script reads and no other site sends", async (t) => {
  const { login, open, askPlain, cookie } = await loggedIn(t);
  const answer = await login(PASSWORD);
  const [header = ""] = answer.headers["set-cookie"] ?? [];
  assert.match(
    header,
    new RegExp(`^agent_session_${open.port}=[\\w-]{43}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict$`),
  );
  const me = await askPlain("GET", "/api/auth/me", { headers: { cookie } });
  assert.deepEqual([me.status, me.json["provider"]], [200, "password"]);
  assert.equal((await askPlain("GET", "/api/plugins/kanban/boards", { headers: { cookie } })).status, 200);
});

test("what changes something wants the word of the session beside its cookie", async (t) => {
  const { askPlain, cookie, csrf, login } = await loggedIn(t);
  const change = (headers: Record<string, string>) =>
    askPlain("POST", "/api/auth/ws-ticket", { headers: { cookie, ...headers } });
  assert.equal((await change({})).status, 403);
  assert.equal((await change({ "x-agent-csrf": "wrong" })).status, 403);
  assert.equal((await change({ "x-agent-csrf": String((await login(PASSWORD)).json["csrf"]) })).status, 403);
  assert.equal((await change({ "x-agent-csrf": csrf })).status, 200);
  assert.equal((await change({ "x-agent-csrf": csrf, origin: "https://evil.example" })).status, 403);
});

test("a session ends twelve hours after its last use, and after 30 days in any case", async (t) => {
  const { askPlain, cookie, clock } = await loggedIn(t);
  const status = async () => (await askPlain("GET", "/api/auth/me", { headers: { cookie } })).status;
  for (let halfDays = 0; halfDays < 59; halfDays++) {
    clock.advance(12 * HOUR - 1);
    assert.equal(await status(), 200);
  }
  clock.advance(12 * HOUR);
  assert.equal(await status(), 401);
});

test("the browser is told to keep the cookie of a session that is used, hourly and not beyond its 30 days", async (t) => {
  const { askPlain, cookie, csrf, clock } = await loggedIn(t);
  const renewed = async (path = "/api/plugins/kanban/boards") =>
    (await askPlain("GET", path, { headers: { cookie } })).headers["set-cookie"];
  clock.advance(HOUR - 1);
  assert.equal(await renewed(), undefined);
  clock.advance(1);
  assert.deepEqual(await renewed(), [`${cookie}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict`]);
  assert.equal(await renewed(), undefined);
  for (let hours = 1; hours < 30 * 24 - 6; hours += 6) {
    clock.advance(6 * HOUR);
    await renewed();
  }
  clock.advance(4 * HOUR);
  assert.match(String(await renewed()), /Max-Age=3600;/);
  const out = await askPlain("POST", "/api/auth/logout", { headers: { cookie, "x-agent-csrf": csrf } });
  assert.match(String(out.headers["set-cookie"]), /Max-Age=0;/);
});

test("a session that is not used for twelve hours is over", async (t) => {
  const { askPlain, cookie, clock } = await loggedIn(t);
  clock.advance(12 * HOUR);
  assert.equal((await askPlain("GET", "/api/auth/me", { headers: { cookie } })).status, 401);
});

test("logging out ends the session and its WebSockets, not those of others", async (t) => {
  const { ask, askPlain, cookie, csrf, url } = await loggedIn(t);
  const headers = { cookie, "x-agent-csrf": csrf };
  const socket = async (ticket: string) => {
    const opened = new WebSocket(`${url.replace("http", "ws")}api/plugins/kanban/events?ticket=${ticket}`);
    const closed = new Promise<number>((resolve) => opened.on("close", resolve));
    await new Promise((resolve) => opened.once("message", resolve));
    return { opened, closed };
  };
  const own = await socket(String((await askPlain("POST", "/api/auth/ws-ticket", { headers })).json["ticket"]));
  const other = await socket(String((await ask("POST", "/api/auth/ws-ticket")).json["ticket"]));
  const out = await askPlain("POST", "/api/auth/logout", { headers });
  assert.equal(out.status, 200);
  assert.match(String(out.headers["set-cookie"]), /=; Path=\/; Max-Age=0/);
  assert.equal(await own.closed, 1008);
  assert.equal(other.opened.readyState, WebSocket.OPEN);
  other.opened.close();
  assert.equal((await askPlain("GET", "/api/auth/me", { headers: { cookie } })).status, 401);
});

test("another password, or none, ends the sessions of the one before", async (t) => {
  const { app, askPlain, cookie, login } = await loggedIn(t);
  await app.dashboard.setPassword(new Secret("battery staple"));
  assert.equal((await askPlain("GET", "/api/auth/me", { headers: { cookie } })).status, 401);
  assert.equal((await login(PASSWORD)).status, 401);
  assert.equal((await login("battery staple")).status, 200);
  await app.dashboard.setPassword(undefined);
  assert.equal((await login("battery staple")).status, 404);
});

test("a ticket of a session that has ended opens nothing", async (t) => {
  const { app, url, askPlain, cookie, csrf, login } = await loggedIn(t);
  const ticket = async (headers: Record<string, string>) =>
    String((await askPlain("POST", "/api/auth/ws-ticket", { headers })).json["ticket"]);
  const status = (given: string) =>
    socketAt(addressOf({ url }, "/api/plugins/kanban/events", { ticket: given })).closed;
  const headers = { cookie, "x-agent-csrf": csrf };
  const late = await ticket(headers);
  await askPlain("POST", "/api/auth/logout", { headers });
  assert.equal(await status(late), 1008);
  const again = await login(PASSWORD);
  const next = String(again.headers["set-cookie"]?.[0]).split(";")[0] ?? "";
  const old = await ticket({ cookie: next, "x-agent-csrf": String(again.json["csrf"]) });
  await app.dashboard.setPassword(new Secret("battery staple"));
  assert.equal(await status(old), 1008);
});

/** Event stream and WebSocket of someone who has just logged in, and how they end. */
async function listening(url: string, password: string) {
  const begun = await askHttp(url, "POST", "/api/auth/password-login", { body: { password } });
  const cookie = String(begun.headers["set-cookie"]?.[0]).split(";")[0] ?? "";
  const headers = { cookie, "x-agent-csrf": String(begun.json["csrf"]) };
  const stream = await fetch(`${url}api/plugins/kanban/events/stream`, { headers });
  const { ticket } = (await askHttp(url, "POST", "/api/auth/ws-ticket", { headers })).json;
  const socket = socketAt(addressOf({ url }, "/api/plugins/kanban/events", { ticket: String(ticket) }));
  await socket.next();
  const over = stream.text().then(
    () => "over",
    () => "over",
  );
  return { headers, ended: Promise.all([over, socket.closed]) };
}

test("who logs out hears nothing more, by an event stream as little as by a WebSocket", async (t) => {
  const { url, askPlain } = await loggedIn(t);
  const { headers, ended } = await listening(url, PASSWORD);
  await askPlain("POST", "/api/auth/logout", { headers });
  assert.deepEqual(await ended, ["over", 1008]);
});

test("another password ends what the sessions of the one before listen to, although they ask for nothing", async (t) => {
  const { app } = await loggedIn(t);
  const { held, listener } = await app.dashboard.open({ host: "127.0.0.1", port: 0 });
  t.after(() => held.close(0));
  const { ended } = await listening(listener.url, PASSWORD);
  await app.dashboard.setPassword(new Secret("battery staple"));
  assert.deepEqual(await ended, ["over", 1008]);
});

test("after five wrong passwords within a minute the address waits for a minute", async (t) => {
  const { login, clock, ask } = await loggedIn(t);
  for (let at = 0; at < 5; at++) assert.equal((await login(`wrong ${at}`)).status, 401);
  const sixth = await login(PASSWORD);
  assert.deepEqual([sixth.status, sixth.headers["retry-after"]], [429, "60"]);
  assert.equal((await ask("GET", "/api/auth/me")).status, 200);
  clock.advance(60_000);
  assert.equal((await login(PASSWORD)).status, 200);
});

test("without a password nothing offers one, and the token is all there is", async (t) => {
  const { ask, askPlain } = await dashboardWorld(t);
  assert.deepEqual((await askPlain("GET", "/api/auth/providers")).json, { providers: [] });
  assert.equal((await askPlain("POST", "/api/auth/password-login", { body: { password: "" } })).status, 422);
  assert.equal((await askPlain("POST", "/api/auth/password-login", { body: { password: "any" } })).status, 404);
  assert.deepEqual((await ask("GET", "/api/auth/me")).json, { provider: "token", user: null, csrf: null });
  assert.equal((await ask("POST", "/api/auth/logout")).status, 200);
});

test("the command keeps nothing that the password could be read from, in a file of its own that only the user reads", async (t) => {
  const { app, home, askPlain } = await dashboardWorld(t);
  const line = (text: string, ...argv: string[]) =>
    runLine(["dashboard", "password", ...argv], { ...services(app), cwd: home.dir, stdin: async () => text });
  assert.equal((await line("", "set")).code, 2);
  assert.equal((await line("short\n", "set")).code, 2);
  assert.equal((await line("two\nlines of it\n", "set")).code, 2);
  assert.equal((await line(`${PASSWORD}\n`, "set")).code, 0);
  const file = join(home.dir, "dashboard.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const stored = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual([stored.n, stored.r, stored.p, Buffer.from(stored.salt, "base64").length], [16_384, 8, 1, 16]);
  assert.ok(!JSON.stringify(stored).includes(PASSWORD));
  const status = await askPlain("GET", "/api/status");
  assert.deepEqual(status.json["auth_providers"], ["password"]);
  assert.match((await line("", "clear")).out, /removed/);
  assert.match((await line("", "clear")).out, /No password is set/);
});
