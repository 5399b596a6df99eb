import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pluginWorld } from "../../../fixtures/sim/plugin-world.js";
import { parseManifest } from "./manifest.js";

const WRONG: readonly (readonly [string, RegExp])[] = [
  ["version: 1", /^plugin\.yaml:1: name: /],
  ["name: x\nmain: ../out.js", /^plugin\.yaml:2: main: must be a path inside/],
  ["name: x\n\nrequires_env:\n  - A\n  - 'not a name'\n", /^plugin\.yaml:5: requires_env\.1/],
  ["name: x\nprovides_cli: [Bad name]", /^plugin\.yaml:2: provides_cli\.0/],
  ["name: x\n  bad: [", /^plugin\.yaml:\d: /],
  ["name: x\nname: y", /^plugin\.yaml:2: Map keys must be unique/],
  ["- a", /^plugin\.yaml:1: must be a map/],
];

for (const [yaml, wanted] of WRONG)
  test(`a wrong manifest is named with its line: ${JSON.stringify(yaml)}`, async () => {
    const read = await parseManifest("plugin.yaml", yaml);
    assert.ok(!read.ok);
    assert.match(read.why, wanted);
  });

test("plugins are found one or two levels down, in packages, and not behind links that leave the directory", async (t) => {
  const world = pluginWorld(t);
  world.plugin("one", "");
  world.plugin("memory/two", "");
  world.plugin("a/b/three", "");
  world.plugin("hidden", "", { below: "elsewhere" });
  world.put("home/plugins/yml/plugin.yml", "name: yml\n");
  symlinkSync(join(world.root, "elsewhere/hidden"), join(world.home.dir, "plugins/hidden"));
  symlinkSync(join(world.home.dir, "plugins/one"), join(world.home.dir, "plugins/alias"));
  world.put("home/node_modules/plain/package.json", "{}");
  world.put("home/node_modules/broken/package.json", "{");
  world.put("home/node_modules/wrong/package.json", JSON.stringify({ agentPlugin: { policy: 3 } }));
  world.put(
    "home/node_modules/@me/pack/package.json",
    JSON.stringify({ version: "2.1.0", main: "./lib/main.cjs", agentPlugin: { provides_tools: ["t"] } }),
  );
  const rows = (await world.api.list()).map(({ key, source, error }) => [key, source, error === null]);
  assert.deepEqual(rows, [
    ["@me/pack", "package", true],
    ["alias", "user", true],
    ["memory/two", "user", true],
    ["one", "user", true],
    ["wrong", "package", false],
    ["yml", "user", true],
  ]);
});

test("a CommonJS package with a synchronous register loads by its name", async (t) => {
  const world = pluginWorld(t, { enabled: ["@me/pack"] });
  world.put("home/node_modules/@me/pack/package.json", JSON.stringify({ main: "main.cjs", agentPlugin: {} }));
  world.put(
    "home/node_modules/@me/pack/main.cjs",
    `exports.register = (ctx) => ctx.registerCommand({ name: "packed", description: "d", handler: () => "x" });`,
  );
  await world.loaded();
  assert.equal((await world.row("@me/pack"))?.error, null);
  assert.deepEqual(
    world.host.commands.commands().map(({ name }) => name),
    ["packed"],
  );
});

test("a plugin replaces one of the same key of an earlier source only when it may run itself", async (t) => {
  const world = pluginWorld(t, { enabled: ["same"] });
  const says = (word: string) => `ctx.registerCommand({ name: "${word}", description: "", handler: () => "" });`;
  world.plugin("same", says("bundled"), { below: "bundled" });
  world.plugin("same", says("home"));
  world.plugin("same", says("project"), { below: "work/.agent/plugins" });
  await world.loaded();
  const commands = () => world.host.commands.commands().map(({ name }) => name);
  assert.deepEqual(commands(), ["home"]);
  await world.api.enable("same", async () => true);
  assert.deepEqual(commands(), ["project"]);
  assert.equal((await world.row("same"))?.source, "project");
});

test("bundled backends load without being listed, others do not, and an exclusive one is chosen by its setting", async (t) => {
  const world = pluginWorld(t, { enabled: ["first", "second"] });
  world.plugin("free", "", { below: "bundled", yaml: "kind: backend\n" });
  world.plugin("tool", "", { below: "bundled" });
  for (const key of ["first", "second"])
    world.plugin(key, "", { yaml: "kind: exclusive\nchosen_by: memory.provider\n" });
  world.values["memory.provider"] = "second";
  await world.loaded();
  const states = (await world.api.list()).map(({ key, state }) => [key, state]);
  assert.deepEqual(states, [
    ["first", "enabled"],
    ["free", "loaded"],
    ["second", "loaded"],
    ["tool", "not enabled"],
  ]);
});

test("a project's plugin with a link in it cannot be allowed", async (t) => {
  const world = pluginWorld(t, { enabled: ["here"] });
  const dir = world.plugin("here", "", { below: "work/.agent/plugins" });
  mkdirSync(join(dir, "inner"));
  symlinkSync("/etc", join(dir, "inner/etc"));
  await assert.rejects(
    world.api.enable("here", async () => true),
    /inner\/etc is not a regular file/,
  );
});
