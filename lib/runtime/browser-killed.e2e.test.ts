import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noChromium } from "../../fixtures/browser/test-session.js";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { world } from "../../fixtures/e2e/world.js";
import type { Script, ScriptedCall } from "../../fixtures/servers/model/script.js";
import { loopback } from "../../fixtures/servers/shared/loopback.js";
import type { ProcessId } from "../base/process/spawn.js";
import { systemSpawner } from "../base/process/spawn-system.js";

const CONFIG = "browser:\n  allow_private_urls: true\ntools:\n  tool_search:\n    enabled: 'false'\n";

test("an owner that is killed takes its browser and all of its processes with it", { skip: noChromium }, async (t) => {
  const server = await loopback(async (_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<title>Shop</title><button>Buy</button>");
  });
  t.after(() => server.close());
  const go: ScriptedCall = { name: "browser_navigate", arguments: { url: `${server.url}/` } };
  const wait: ScriptedCall = { name: "terminal", arguments: { command: "touch begun; sleep 600; true" } };
  const script: Script = { replies: [{ tool_calls: [go] }, { tool_calls: [wait] }, { text: "done" }] };
  const made = await world(t, { model: { script }, name: "any", config: CONFIG });
  const turn = made.start(["-z", "look", "--yolo", "--toolsets", "browser,terminal"]);
  await eventually(() => existsSync(join(made.work, "begun")));
  const profiles = join(made.home.cache, "browser");
  const lease = readdirSync(profiles).find((name) => name.endsWith(".json")) ?? assert.fail("no browser was started");
  const { browser } = JSON.parse(readFileSync(join(profiles, lease), "utf8")) as { readonly browser: ProcessId };
  assert.ok(systemSpawner.alive(browser));
  const below = systemSpawner.descendants(browser.pid);
  assert.ok(below.length > 0);
  await turn.end("SIGKILL");
  await eventually(() => [browser, ...below].every((one) => !systemSpawner.alive(one)));
});
