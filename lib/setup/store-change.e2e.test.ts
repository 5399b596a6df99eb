import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { world } from "../../fixtures/e2e/world.js";
import { storeAt } from "../app/gateway-control/store-variables.js";
import type { CommandLine } from "../cli/command-line.js";
import type { SettingsApi } from "../contracts/config/settings.js";
import type { ModelsApi } from "../contracts/models/models-api.js";
import { keepAt, stepAt } from "./store-change.js";

/** Nothing may be written here while an owner lives. */
const untouched = new Proxy({}, { get: () => () => assert.fail("it is the owner who writes") });

test("answers and changes of the chain are stored by the owner that runs, and hold there at once; a command without a terminal asks nothing", async (t) => {
  const made = await world(t, { config: "providers:\n  acme: { base_url: http://127.0.0.1:9/v1 }\n" });
  await made.owner();
  const reads: string[] = [];
  const kept = { home: made.home, version: "0", reload: async () => void reads.push("again") };
  const keep = keepAt(kept, untouched as SettingsApi); // a stand-in that fails
  const step = stepAt(kept, untouched as ModelsApi); // the same
  await keep([
    { key: "ACME_KEY", text: "sk-1" },
    { key: "agent.max_turns", text: "12", typed: true },
    { key: "timezone", text: "007" },
    { key: "agent.disabled_toolsets", text: '["web"]', typed: true },
  ]);
  await step({ add: { provider: "acme", model: "big" } });
  await step({ add: { provider: "acme", model: "small" } });
  await step({ move: { from: 2, to: 1 } });
  await step({ remove: 2 });
  assert.equal(reads.length, 5);
  const file = readFileSync(made.home.config, "utf8");
  for (const line of ["max_turns: 12", 'timezone: "007"', "- web", "model: small"])
    assert.ok(file.includes(line), file);
  assert.ok(!file.includes("model: big"));
  assert.equal(readFileSync(made.home.env, "utf8"), "ACME_KEY=sk-1\n");
  // What platforms are set up with goes the same way: the owner knows it at once.
  const caller = { env: made.env } as CommandLine["caller"]; // nothing else of it is looked at
  const line = { home: made.home, version: "0", globals: {}, caller } as CommandLine; // the same
  await storeAt({ home: made.home, line })([{ key: "MSGT_HOME_CHANNEL", text: "7" }]);
  assert.equal(readFileSync(made.home.env, "utf8"), "ACME_KEY=sk-1\nMSGT_HOME_CHANNEL=7\n");
  assert.match((await made.run(["send", "--list"])).out, /msgt.*7/);
  assert.equal((await made.json<{ value: number }>("config", "get", "agent.max_turns")).value, 12);
  await step({ clear: true });
  assert.ok(!readFileSync(made.home.config, "utf8").includes("model: small"));
  const shown = await made.run(["setup", "agent"]);
  assert.deepEqual([shown.code, shown.err], [2, ""]);
  assert.match(shown.out, /agent config set agent\.max_turns/);
});
