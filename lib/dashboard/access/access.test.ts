import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocket } from "ws";
import { dashboardWorld } from "../../../fixtures/dashboard/world.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";

const codeOf = (url: string): string => url.split("#code=")[1] ?? "";

test("a code lets in once, within two minutes, and a wrong one never", async (t) => {
  const clock = manualClock();
  const { open, token, askPlain } = await dashboardWorld(t, { clock });
  const exchange = (code: string) => askPlain("POST", "/api/auth/exchange", { body: { code } });
  const code = codeOf(open.entryUrl());
  assert.equal(Buffer.from(code, "base64url").length, 32);
  const first = await exchange(code);
  assert.deepEqual([first.status, first.json], [200, { token }]);
  const again = await exchange(code);
  assert.deepEqual([again.status, again.json], [401, { detail: "Unauthorized" }]);
  const late = codeOf(open.entryUrl());
  clock.advance(120_000);
  assert.equal((await exchange(late)).status, 401);
  const inTime = codeOf(open.entryUrl());
  clock.advance(119_999);
  assert.equal((await exchange(inTime)).status, 200);
});

test("a ticket for a WebSocket works once, within 30 seconds, and for nothing else", async (t) => {
  const clock = manualClock();
  const { open, ask, askPlain } = await dashboardWorld(t, { clock });
  const ticket = async () => {
    const { status, json } = await ask("POST", "/api/auth/ws-ticket");
    assert.deepEqual([status, json["expires_in"]], [200, 30]);
    return String(json["ticket"]);
  };
  const once = await ticket();
  assert.deepEqual([open.access.redeemSocket(once), open.access.redeemSocket(once)], [true, false]);
  const late = await ticket();
  clock.advance(31_000);
  assert.equal(open.access.redeemSocket(late), false);
  assert.equal(open.access.redeemSocket(undefined), false);
  const download = await ask("POST", "/api/auth/ticket", {
    purpose: "download",
    path: "/api/plugins/kanban/attachments/1",
  });
  assert.equal(open.access.redeemSocket(String(download.json["ticket"])), false);
  assert.equal((await askPlain("GET", `/api/plugins/kanban/attachments/1?ticket=${await ticket()}`)).status, 401);
});

test("a download takes a ticket for its own path, once, within 30 seconds, below a base path as well", async (t) => {
  const clock = manualClock();
  const { ask, askPlain } = await dashboardWorld(t, { clock, config: "dashboard:\n  base_path: /agent\n" });
  const made = await ask("POST", "/api/plugins/kanban/tasks", { title: "with a file" });
  const id = String(made.json["task"]?.["id"]);
  const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n';
  const put = await ask("POST", `/api/plugins/kanban/tasks/${id}/attachments`, form, {
    "content-type": "multipart/form-data; boundary=x",
  });
  assert.equal(put.status, 200, put.text);
  const path = `/api/plugins/kanban/attachments/${String(put.json["attachment"]?.["id"])}`;
  const ticket = async (wanted: string) =>
    String((await ask("POST", "/api/auth/ticket", { purpose: "download", path: wanted })).json["ticket"]);
  const get = async (at: string, given: string) => (await askPlain("GET", `${at}?ticket=${given}`)).status;
  const once = await ticket(`/agent${path}`);
  assert.deepEqual([await get(`/agent${path}`, once), await get(`/agent${path}`, once)], [200, 401]);
  assert.equal(await get(path, await ticket(path)), 200);
  assert.equal(await get(path, await ticket(`${path}0`)), 401);
  assert.equal(
    await get("/api/plugins/kanban/boards", await ticket("/api/plugins/kanban/boards")),
    401,
    "a path that is no download takes none",
  );
  const late = await ticket(path);
  clock.advance(30_000);
  assert.equal(await get(path, late), 401);
});

const WAYS = [
  { what: "wrong tokens", ask: ["GET", "/api/openapi.json", { headers: { authorization: "Bearer wrong" } }] },
  {
    what: "wrong tokens in the other header",
    ask: ["POST", "/api/auth/ws-ticket", { headers: { "x-agent-session-token": "wrong" } }],
  },
  { what: "wrong codes", ask: ["POST", "/api/auth/exchange", { body: { code: "wrong" } }] },
] as const;

for (const { what, ask: question } of WAYS)
  test(`more than ten ${what} within a minute shut out wrong ones for a minute, and the right token and code still work`, async (t) => {
    const clock = manualClock();
    const { ask, askPlain, open, token } = await dashboardWorld(t, { clock });
    const guess = async () => {
      const [method, path, rest] = question;
      return askPlain(method, path, rest);
    };
    for (let at = 0; at < 10; at++) assert.equal((await guess()).status, 401);
    const eleventh = await guess();
    assert.deepEqual([eleventh.status, eleventh.headers["retry-after"]], [429, "60"]);
    for (const {
      ask: [method, path, rest],
    } of WAYS)
      assert.equal((await askPlain(method, path, rest)).status, 429, "every kind of wrong secret counts together");
    assert.equal((await ask("GET", "/api/openapi.json")).status, 200);
    assert.equal(
      (await askPlain("GET", "/api/openapi.json", { headers: { "x-agent-session-token": token } })).status,
      200,
    );
    assert.equal(
      (await askPlain("POST", "/api/auth/exchange", { body: { code: codeOf(open.entryUrl()) } })).status,
      200,
    );
    assert.equal((await guess()).status, 429, "a right token does not clear the count of wrong ones");
    clock.advance(60_000);
    assert.equal((await guess()).status, 401);
  });

test("ten wrong tokens in each of many minutes shut no one out", async (t) => {
  const clock = manualClock();
  const { ask, askPlain } = await dashboardWorld(t, { clock });
  for (let minute = 0; minute < 3; minute++) {
    for (let at = 0; at < 10; at++)
      await askPlain("GET", "/api/openapi.json", { headers: { authorization: "Bearer wrong" } });
    clock.advance(60_000);
  }
  assert.equal((await ask("GET", "/api/openapi.json")).status, 200);
});

test("a request that shows two tokens is not let in, also when one of them is right", async (t) => {
  const { askPlain, token } = await dashboardWorld(t);
  const asked = (headers: Record<string, string | readonly string[]>) =>
    askPlain("GET", "/api/openapi.json", { headers });
  assert.equal((await asked({ "x-agent-session-token": token })).status, 200);
  assert.equal((await asked({ "x-agent-session-token": [token, "other"] })).status, 401);
  assert.equal((await asked({ "x-agent-session-token": "other", authorization: `Bearer ${token}` })).status, 401);
  assert.equal((await asked({ authorization: `Basic ${token}` })).status, 401);
});

test("a token that the user has set counts, and one that is too short is refused", async (t) => {
  const own = "a".repeat(16) + "B".repeat(16);
  const { token, ask } = await dashboardWorld(t, { env: { AGENT_DASHBOARD_SESSION_TOKEN: own } });
  assert.equal(token, own);
  assert.equal((await ask("GET", "/api/openapi.json")).status, 200);
  await assert.rejects(dashboardWorld(t, { env: { AGENT_DASHBOARD_SESSION_TOKEN: "short" } }), { code: "E_CONFIG" });
});

test("DB2: a WebSocket without a ticket, with a used one, or with one of 31 seconds ago is closed with 1008 and no frame", async (t) => {
  proves(t, "dashboard.auth-decided");
  const clock = manualClock();
  const { ask, url } = await dashboardWorld(t, { clock });
  const ticket = async () => String((await ask("POST", "/api/auth/ws-ticket")).json["ticket"]);
  const opened = (query: string) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}api/plugins/kanban/events${query}`);
    const frames: string[] = [];
    socket.on("message", (data: Buffer) => frames.push(data.toString("utf8")));
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    const first = new Promise<void>((resolve) => socket.once("message", () => resolve()));
    return { socket, frames, closed, first };
  };
  const once = await ticket();
  const good = opened(`?ticket=${once}`);
  await good.first;
  const late = await ticket();
  clock.advance(31_000);
  for (const query of ["", "?ticket=", `?ticket=${once}`, `?ticket=${late}`]) {
    const refused = opened(query);
    assert.deepEqual([await refused.closed, refused.frames], [1008, []], query);
  }
  good.socket.close();
  await good.closed;
});
