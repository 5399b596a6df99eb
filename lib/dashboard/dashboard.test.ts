import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardWorld } from "../../fixtures/dashboard/world.js";
import type { DashboardServices } from "./core/parts.js";

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
  for (const token of ["wrong", "w".repeat(43)]) {
    const guesser = await askPlain("GET", "/api/status", { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual([guesser.status, guesser.json], [200, stranger.json]);
  }
  const known = await ask("GET", "/api/status");
  assert.equal(known.json["owner_pid"], process.pid);
  assert.equal(known.json["home"], home.dir);
});

test("the status shows the gateway as it is, and its reasons only to a caller with the token", async (t) => {
  const platform = {
    state: "connected",
    account: "@bot",
    listen: "0.0.0.0:1",
    updated_at: "2026-01-01T00:00:00.000Z",
  } as const;
  const times = {
    last_receive_at: null,
    last_poll_at: null,
    last_send_at: null,
    error_code: null,
    error_message: null,
  };
  const running = {
    running: true,
    state: "running",
    started_at: "2026-01-01T00:00:00.000Z",
    recorded_at: null,
    exit_reason: null,
  } as const;
  const stopped = {
    running: false,
    state: "startup_failed",
    started_at: null,
    recorded_at: "2026-01-02T00:00:00.000Z",
  } as const;
  const reason = "no token in /home/me/.env";
  let now: Awaited<ReturnType<DashboardServices["gateway"]>> = {
    ...running,
    platforms: { msgt: { ...platform, ...times } },
  };
  const { ask, askPlain } = await dashboardWorld(t, { services: { gateway: async () => now } });
  const stranger = await askPlain("GET", "/api/status");
  assert.deepEqual([stranger.json["gateway_running"], stranger.json["gateway_state"]], [true, "running"]);
  assert.deepEqual(stranger.json["gateway_platforms"], {
    msgt: { state: "connected", error_code: null, updated_at: "2026-01-01T00:00:00.000Z" },
  });
  now = { ...stopped, exit_reason: reason, platforms: {} };
  assert.equal((await askPlain("GET", "/api/status")).json["gateway_exit_reason"], null);
  const known = await ask("GET", "/api/status");
  assert.deepEqual(
    [
      known.json["gateway_running"],
      known.json["gateway_state"],
      known.json["gateway_exit_reason"],
      known.json["gateway_updated_at"],
    ],
    [false, "startup_failed", reason, "2026-01-02T00:00:00.000Z"],
  );
});
