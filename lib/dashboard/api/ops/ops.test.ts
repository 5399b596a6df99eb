import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { dashboardWorld } from "../../../../fixtures/dashboard/world.js";
import { manualClock } from "../../../../fixtures/ports/clock.js";
import { AppError } from "../../../base/errors.js";
import { randomIds } from "../../../base/ids.js";
import { createApiMemory } from "../../core/memory.js";

test("a long action answers at once, shows how far it is, and keeps what it found", async (t) => {
  const clock = manualClock();
  let finish: (found: unknown) => void = () => undefined;
  const command = (path: string) =>
    path === "doctor" ? new Promise((resolve) => (finish = resolve)) : Promise.reject(new AppError("E_STORE", "no"));
  const world = await dashboardWorld(t, { services: { command, memory: createApiMemory(clock, randomIds) } });
  const status = async (name = "doctor") => (await world.ask("GET", `/api/actions/${name}/status`)).json;
  assert.equal((await world.ask("GET", "/api/actions/doctor/status")).status, 404);
  const started = await world.ask("POST", "/api/ops/doctor", { deep: true });
  assert.deepEqual([started.status, started.json], [202, { action: "doctor" }]);
  assert.equal((await status())["state"], "running");
  assert.equal((await world.ask("POST", "/api/ops/doctor")).status, 409);
  clock.advance(1_000);
  finish({ ok: true, checks: [] });
  await new Promise(setImmediate);
  const done = await status();
  assert.deepEqual(
    [done["state"], done["result"], Number(done["ended_at"]) - Number(done["started_at"])],
    ["done", { ok: true, checks: [] }, 1_000],
  );
  await world.ask("POST", "/api/ops/checkpoints/prune");
  const failed = await status("checkpoints-prune");
  assert.deepEqual(
    [failed["state"], failed["error"], failed["result"]],
    ["failed", { code: "E_STORE", detail: "no" }, null],
  );
  assert.equal((await world.ask("POST", "/api/ops/doctor")).status, 202, "it can be started again");
});

test("a doctor that has really looked tells its checks", async (t) => {
  const world = await dashboardWorld(t);
  await world.ask("POST", "/api/ops/doctor");
  for (;;) {
    const { json } = await world.ask("GET", "/api/actions/doctor/status");
    if (String(json["state"]) === "running") continue;
    assert.equal(json["state"], "done");
    assert.ok((json["result"]?.["checks"]?.length ?? 0) > 3);
    return;
  }
});

test("the newest lines of a log are shown, filtered, within bounds", async (t) => {
  const world = await dashboardWorld(t);
  mkdirSync(world.home.logs, { recursive: true });
  const line = (n: number, level: string, component: string) =>
    `2026-01-01 00:00:00,${String(n % 1000).padStart(3, "0")} ${level} ${component}: line ${n}\n`;
  const lines = Array.from({ length: 3_000 }, (_, n) =>
    line(n, n % 10 === 0 ? "WARNING" : "INFO", n % 2 === 0 ? "board" : "tools"),
  );
  writeFileSync(join(world.home.logs, "agent.log"), lines.join(""));
  const ask = (query: string, name = "agent") => world.ask("GET", `/api/logs/${encodeURIComponent(name)}${query}`);
  const last = async (query: string) => (await ask(query)).json["lines"] ?? [];
  assert.equal((await last("")).length, 100);
  assert.match(String((await last("?lines=1"))[0]), /line 2999/);
  assert.equal((await last("?lines=500")).length, 500);
  assert.equal((await last("?lines=2000&search=line")).length, 2_000);
  assert.deepEqual(
    (await last("?lines=2&level=warning")).map((one) => String(one).slice(-9)),
    ["line 2980", "line 2990"],
  );
  assert.ok((await last("?component=tools")).every((one) => String(one).includes(" tools: ")));
  assert.equal((await ask("", "board")).json["exists"], true);
  assert.equal((await ask("", "gateway")).json["exists"], false);
  for (const [query, name] of [
    ["", "syslog"],
    ["", "../config"],
    ["", "__proto__"],
    ["?component=kernel"],
    ["?lines=501"],
  ])
    assert.equal((await ask(query ?? "", name)).status, 400, `${name} ${query}`);
  for (const query of ["?lines=0", "?lines=2001&search=x", "?level=loud"])
    assert.equal((await ask(query)).status, 422, query);
});

test("prompt and checkpoints are looked at, of an absolute directory only", async (t) => {
  const world = await dashboardWorld(t);
  const size = (await world.ask("GET", `/api/ops/prompt-size?cwd=${encodeURIComponent(world.work)}`)).json;
  assert.ok(Number(size["total"]?.["bytes"]) > 1_000);
  assert.equal((await world.ask("GET", "/api/ops/prompt-size?cwd=src")).status, 400);
  assert.deepEqual((await world.ask("GET", "/api/ops/checkpoints")).json, []);
  assert.equal((await world.ask("GET", "/api/ops/checkpoints?directory=src")).status, 400);
  assert.equal((await world.ask("GET", "/api/ops/checkpoints/status")).json["enabled"], false);
});

test("families of features that do not exist are not there", async (t) => {
  const world = await dashboardWorld(t);
  for (const path of ["/api/webhooks", "/api/pairing", "/api/platforms"])
    assert.equal((await world.ask("GET", path)).status, 404, path);
});
