import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { runLine } from "../../../fixtures/sim/run-line.js";
import { ALL_KEYS } from "../../app/all-keys.gen.js";
import { layOutHome } from "../../base/home.js";
import { loadConfig } from "../../config/load-config.js";
import { createSettings } from "../../config/settings-service.js";

/** Command lines on the settings of a home with this config.yaml. */
async function settingsWorld(t: TestContext, file = "") {
  const dir = mkdtempSync(join(tmpdir(), "config-list-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  writeFileSync(home.config, file);
  const config = await loadConfig({ home, env: {}, clock: manualClock(), keys: ALL_KEYS });
  const settings = createSettings(home, config);
  return { run: (...argv: string[]) => runLine(argv, { home, cwd: dir, settings }) };
}

test("config list describes the settings of a section: type, default, variable, what it does, and a changed value", async (t) => {
  const { run } = await settingsWorld(t, "kanban: { failure_limit: 5 }\n");
  const { code, out } = await run("config", "list", "kanban");
  assert.equal(code, 0);
  assert.match(
    out,
    /\* kanban\.failure_limit \(integer; default 2\)\n +Consecutive failures before a task is blocked\.\n +set to 5 \(file\)\n/,
  );
  assert.match(
    out,
    /^ {2}kanban\.claim_ttl_seconds \(integer; default 900; variable AGENT_KANBAN_CLAIM_TTL_SECONDS\)\n/m,
  );
  assert.doesNotMatch(out, /agent\.max_turns/, "no other section");
});

test("config list without a name describes every setting, each with its help", async (t) => {
  const { run } = await settingsWorld(t);
  const { out } = await run("config", "list");
  for (const { key, help } of ALL_KEYS) {
    if (key.includes("*")) continue;
    assert.ok(out.includes(`${key} (`), key);
    assert.ok(help !== "" && out.includes(help), key);
  }
});

test("config list finds settings by a word of their description, and says when nothing matches", async (t) => {
  const { run } = await settingsWorld(t);
  const { out } = await run("config", "list", "Redact");
  assert.match(out, /security\.redact_secrets \(boolean; default true; variable AGENT_REDACT_SECRETS\)/);
  const none = await run("config", "list", "no-such-word");
  assert.deepEqual([none.code, none.out], [1, ""]);
  assert.match(none.err, /no setting matches 'no-such-word'/);
});

test("config list --json gives type, choices, default and value of each setting; secrets stay masked", async (t) => {
  const { run } = await settingsWorld(t, "model: { api_key: sk-test-abcdefghijklmnop }\n");
  const [mode] = JSON.parse((await run("config", "list", "approvals.mode", "--json")).out);
  assert.deepEqual([mode.type, mode.choices, mode.default], ["choice", ["manual", "smart", "off"], "manual"]);
  const { out } = await run("config", "list", "model.api_key");
  assert.match(out, /set to "?\[secret\]/);
  assert.doesNotMatch(out, /abcdefghij/);
});

test("config get of a section points to the description of its settings", async (t) => {
  const { run } = await settingsWorld(t);
  assert.match((await run("config", "get", "kanban")).err, /agent config list kanban/);
});
