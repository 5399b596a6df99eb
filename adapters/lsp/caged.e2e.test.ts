import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { languageWorld, stub } from "../../fixtures/servers/language/world.js";
import { programOnPath } from "../../lib/base/process/program-path.js";
import { systemSpawner } from "../../lib/base/process/spawn-system.js";

const skip = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;

test("a language server whose entry says cage: true reports errors from a cage, and ends with its session", {
  skip,
}, async (t) => {
  const pyright = { ...stub("heard.log"), cage: true };
  const world = languageWorld(t, { cages: true, config: { "lsp.wait_timeout": 60, "lsp.servers": { pyright } } });
  world.put("a.py", "one\n");
  assert.match((await world.edit("a.py", "one\nBAD new\n")) ?? "", /ERROR \[2:1\] BAD new/);
  const { clients } = await world.servers.status({ env: world.env, signal: new AbortController().signal });
  const [client] = clients;
  assert.equal(client?.root, join(world.project));
  const pids = systemSpawner.members(client?.pid ?? 0);
  assert.ok(pids.length >= 2, "bubblewrap and what it started");
  await world.servers.stop();
  assert.deepEqual(systemSpawner.members(client?.pid ?? 0), []);
});
