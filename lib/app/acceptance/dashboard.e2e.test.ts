import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { askHttp } from "../../../fixtures/dashboard/ask.js";
import { world } from "../../../fixtures/e2e/world.js";

const READY = /^DASHBOARD_READY port=(\d+)$/;

test("agent dashboard serves the built page, lets a browser in with the printed URL, and ends with Ctrl+C", async (t) => {
  const { start, run, home } = await world(t);
  assert.equal((await run(["dashboard", "--status"])).code, 1);
  const dashboard = start(["dashboard", "--port", "0"]);
  const port = READY.exec(await dashboard.line((line) => READY.test(line)))?.[1];
  const entry = await dashboard.line((line) => line.startsWith("http"));
  const base = `http://127.0.0.1:${port}`;
  const page = await askHttp(base, "GET", "/");
  assert.deepEqual([page.status, page.headers["x-frame-options"]], [200, "DENY"]);
  const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "");
  assert.ok(parts.length > 0);
  for (const path of parts) assert.equal((await askHttp(base, "GET", `/${path}`)).status, 200, path);
  const { json } = await askHttp(base, "POST", "/api/auth/exchange", { body: { code: entry.split("#code=")[1] } });
  const headers = { "x-agent-session-token": String(json["token"]) };
  const status = await askHttp(base, "GET", "/api/status", { headers });
  assert.equal(status.json["owner_pid"], dashboard.pid);
  const made = await askHttp(base, "POST", "/api/plugins/kanban/tasks", { headers, body: { title: "from a browser" } });
  assert.equal(made.status, 200);
  const taken = await run(["kanban", "list", "--json"]);
  assert.match(taken.out, /from a browser/);
  const first = await run(["dashboard", "--status"]);
  assert.equal(first.code, 0, first.err);
  const ended = await dashboard.end("SIGINT");
  assert.equal(ended.code, 0, ended.err);
  assert.equal((await run(["dashboard", "--status"])).code, 1);
  const log = join(home.logs, "agent.log");
  if (existsSync(log)) assert.ok(!readFileSync(log, "utf8").includes(String(json["token"])), "the token is in no log");
});

test("an owner that stays opens the dashboard by itself where that is set, and goes on when it cannot", async (t) => {
  const { owner, run } = await world(t, { config: "dashboard:\n  autostart: true\n  port: 0\n" });
  const running = await owner();
  const status = await run(["dashboard", "--status"]);
  assert.equal(status.code, 0, status.out);
  const url = /http:\S+/.exec(status.out)?.[0] ?? "";
  assert.equal((await askHttp(url, "GET", "/api/status")).status, 200);
  await running.end();
  const port = new URL(url).port;
  const wrong = await world(t, { config: `dashboard:\n  autostart: true\n  host: 192.0.2.1\n  port: ${port}\n` });
  await wrong.owner();
  const failed = await wrong.run(["dashboard", "--status"]);
  assert.equal(failed.code, 1);
  assert.match(failed.out, /cannot listen on 192\.0\.2\.1/);
});
