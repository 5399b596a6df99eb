import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { proves } from "../../fixtures/requirements.js";
import { layOutHome } from "../base/home.js";
import { randomIds } from "../base/ids.js";
import { silentLog } from "../base/log/log.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import { loadConfig } from "../config/load-config.js";
import { RUNTIME_KEYS } from "../contracts/runtimes/keys.js";
import { openRuntime, vendorRuntime } from "./runtimes.js";

const tools = { list: async () => [], call: async () => ({ text: "", isError: false }) };

async function parts(t: TestContext, settings: string) {
  const dir = mkdtempSync(join(tmpdir(), "runtimes-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "config.yaml"), settings);
  const home = layOutHome(dir);
  const clock = manualClock();
  const config = await loadConfig({ home, env: { AGENT_HOME: dir }, clock, keys: RUNTIME_KEYS });
  return { home, config, clock, ids: randomIds, spawner: systemSpawner, log: silentLog, version: "1.0.0" };
}

const models = async () => ({ route: async () => ({ baseUrl: "http://127.0.0.1:9/v1", key: undefined }) });
const asked = { cwd: "/w", env: {}, tools };

test("turns are handed to the app-server for the provider vendor only, and only where it is switched on", async (t) => {
  proves(t, "runtime.opt-in");
  proves(t, "config.model.vendor-runtime");
  const off = vendorRuntime(await parts(t, ""), models);
  assert.equal(await off({ provider: "vendor", ...asked }), undefined);
  const on = vendorRuntime(await parts(t, "model:\n  vendor_runtime: vendor_app_server\n"), models);
  assert.equal(await on({ provider: "openrouter", ...asked }), undefined);
  const opened = await on({ provider: "vendor", ...asked });
  assert.deepEqual([opened?.id, opened?.timeoutMs], ["app-server", 1_800_000]);
  await opened?.close();
});

test("a program that was opened is closed with its door; one that no one knows is not opened", async (t) => {
  const made = await parts(t, "");
  const place = { cwd: "/w", env: {} };
  assert.equal(await openRuntime(made, { id: "other", place, tools }), undefined);
  const opened = await openRuntime(made, { id: "app-server", place, tools });
  assert.ok(opened);
  await opened.close();
  await opened.close();
});
