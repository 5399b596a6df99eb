import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardWorld } from "../../fixtures/dashboard/world.js";

test("DB1: without a token only the page and the public paths answer, and the page does not hold the token", async (t) => {
  const { ask, askPlain, token } = await dashboardWorld(t);
  const asked = await askPlain("POST", "/api/auth/ws-ticket");
  assert.deepEqual([asked.status, asked.json], [401, { detail: "Unauthorized" }]);
  assert.equal((await askPlain("GET", "/api/plugins/kanban/board")).status, 401);
  assert.equal((await askPlain("GET", "/api/status")).status, 200);
  assert.equal((await askPlain("GET", "/api/status", { headers: { host: "evil.example" } })).status, 400);
  const page = await askPlain("GET", "/");
  assert.equal(page.status, 200);
  assert.ok(!page.text.includes(token));
  assert.equal((await ask("POST", "/api/auth/ws-ticket")).status, 200);
});

test("the status tells paths, process and listeners only to who shows the token", async (t) => {
  const { ask, askPlain, home } = await dashboardWorld(t);
  const stranger = await askPlain("GET", "/api/status");
  assert.equal(stranger.json["auth_required"], true);
  assert.equal(stranger.json["active_sessions"], 0);
  assert.ok(!stranger.text.includes(home.dir));
  const known = await ask("GET", "/api/status");
  assert.equal(known.json["owner_pid"], process.pid);
  assert.equal(known.json["home"], home.dir);
});
