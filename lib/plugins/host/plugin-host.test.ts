import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { type PluginWorld, pluginWorld } from "../../../fixtures/sim/plugin-world.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { CommandContext } from "../../commands/define.js";
import { createToolRegistry } from "../../tools/registry/tool-registry.js";
import { pluginSkills } from "./providers.js";

const TOOL = (name: string, handler: string, more = "") =>
  `ctx.registerTool({ name: "${name}", description: "a tool", schema: { type: "object", properties: { x: { type: "number" } } }, risk: "read", handler: ${handler}, ${more} });`;
const CALL = {
  tool_name: "t",
  args: {},
  task_id: null,
  session_id: "s",
  tool_call_id: "c",
  turn_id: "s:1",
  api_request_id: "r",
  cwd: "/",
  middleware_trace: [],
} as const;

const namesOf = ({ host }: PluginWorld) => host.toolSource.entries({}).map(({ name }) => name);

async function runTool(t: TestContext, { host }: PluginWorld, name: string, args: Record<string, unknown>) {
  const entry = host.toolSource.entries({}).find((one) => one.name === name);
  assert.ok(entry, name);
  return await bench(t).run(await entry.load(), args);
}

async function runCommand({ host }: PluginWorld, name: string, args: string) {
  const command = host.commands.commands().find((one) => one.name === name);
  assert.ok(command, name);
  const context = { cwd: "/", signal: new AbortController().signal } as CommandContext; // all that commands of plugins are given
  return await command.run(args, context);
}

test("a plugin registers tools, hooks, commands and providers, and its row names them", async (t) => {
  proves(t, "plugin.registers", "keep.plugins");
  const world = pluginWorld(t, { enabled: ["demo"] });
  world.values["plugins.config"] = { demo: { unit: "km" } };
  world.env["DEMO_KEY"] = "k1";
  world.plugin(
    "demo",
    `${TOOL("demo_add", "({ x }) => ({ sum: x + 1, unit: ctx.config.unit, key: ctx.secret('DEMO_KEY') })")}
     ctx.registerHook("pre_tool_call", ({ tool_name }) => tool_name === "t" ? { action: "block", message: "not this one" } : undefined);
     ctx.registerMiddleware("tool_request", (call, next) => next(call));
     ctx.registerCommand({ name: "demo", description: "Says it.", argsHint: "<text>", handler: (args) => "said " + args });
     ctx.registerCliCommand({ name: "demo-cli", description: "Counts.", options: [{ name: "by", type: "number", default: 1 }], handler: ({ _, by }) => ({ text: _.join("+") + by, data: { by } }) });
     ctx.registerTranscriptionProvider({ name: "ears", transcribe: async () => "heard" });
     ctx.log.info("ready " + (await ctx.llm([{ role: "user", content: "hi" }])));`,
    { yaml: "requires_env: [DEMO_KEY]\nprovides_cli: [demo-cli]\nprovides_tools: [demo_add]\n" },
  );
  await world.loaded();
  const row = await world.row("demo");
  assert.deepEqual([row?.state, row?.error], ["loaded", null]);
  assert.deepEqual(row?.registered, {
    tools: ["demo_add"],
    hooks: ["pre_tool_call"],
    middleware: ["tool_request"],
    commands: ["demo"],
    cli: ["demo-cli"],
    transcription: ["ears"],
  });
  assert.equal((await runTool(t, world, "demo_add", { x: 2 })).text, '{"sum":3,"unit":"km","key":"k1"}');
  assert.deepEqual(await world.hooks.preToolCall(CALL), { block: "not this one" });
  assert.equal((await runCommand(world, "demo", "hello")).text, "said hello");
  const cli = world.host.cliCommand("demo-cli");
  const ran = await cli?.run(["a", "--by", "4"], { sessionId: null, cwd: "/", signal: new AbortController().signal });
  assert.deepEqual([ran?.text, ran?.data], ["a4", { by: 4 }]);
  assert.equal(world.providers.find("transcription", "ears")?.plugin, "demo");
  assert.ok(world.lines.some((line) => line.includes("plugin:demo ready asked: hi")));
});

test("no file of a plugin is imported before it is enabled, and a disabled one never is", async (t) => {
  const world = pluginWorld(t, { enabled: ["off"], disabled: ["off"] });
  const mark = join(world.root, "mark");
  const touch = `(await import("node:fs")).writeFileSync(${JSON.stringify(mark)}, "ran");`;
  for (const key of ["off", "other"]) world.plugin(key, touch);
  await world.loaded();
  assert.equal(existsSync(mark), false);
  assert.deepEqual([(await world.row("off"))?.state, (await world.row("other"))?.state], ["disabled", "not enabled"]);
  await world.api.enable("other", async () => true);
  assert.equal(existsSync(mark), true);
  assert.equal((await world.row("other"))?.state, "loaded");
});

test("a plugin that throws, hangs in a loop, never settles or is no module is named, and the others go on", async (t) => {
  const clock = manualClock();
  const world = pluginWorld(t, { enabled: ["throws", "loops", "waits", "empty", "works"], clock, registerMs: 300 });
  world.plugin("throws", `${TOOL("of_throws", "() => 1")} throw new Error("no such luck");`);
  world.plugin("loops", `${TOOL("of_loops", "() => 1")} for (;;) {}`);
  world.plugin("waits", `${TOOL("of_waits", "() => 1")} globalThis.agentTestWaits(); await new Promise(() => {});`);
  world.plugin("empty", "");
  world.put("home/plugins/empty/index.mjs", "export const nothing = 1;");
  world.plugin("works", TOOL("of_works", "() => 1"));
  const begun = new Promise((go) => Reflect.set(globalThis, "agentTestWaits", go));
  const loading = world.loaded();
  await begun;
  clock.advance(300);
  await loading;
  assert.deepEqual(namesOf(world), ["of_works"]);
  const errors = (await world.api.list()).map(({ key, state, error }) => [key, state, error]);
  assert.deepEqual(errors, [
    ["empty", "error", "index.mjs does not export register(ctx)"],
    ["loops", "error", "it did not return within 0.3 s"],
    ["throws", "error", "no such luck"],
    ["waits", "error", "register did not finish within 0.3 s"],
    ["works", "loaded", null],
  ]);
});

test("a register that comes back after it was given up registers nothing", async (t) => {
  const clock = manualClock();
  const world = pluginWorld(t, { enabled: ["late"], clock, registerMs: 300 });
  world.plugin(
    "late",
    `await new Promise((go) => { globalThis.agentTestGo = go; globalThis.agentTestWaits(); }); ${TOOL("of_late", "() => 1")}`,
  );
  const begun = new Promise((go) => Reflect.set(globalThis, "agentTestWaits", go));
  const loading = world.loaded();
  await begun;
  clock.advance(300);
  await loading;
  Reflect.get(globalThis, "agentTestGo")();
  await new Promise((go) => setImmediate(go));
  assert.deepEqual(namesOf(world), []);
});

test("a tool gets copies of its arguments, its errors are bounded, and only an override replaces a built-in", async (t) => {
  const world = pluginWorld(t, { enabled: ["tools"] });
  world.plugin(
    "tools",
    `${TOOL("mutates", "(args) => { args.x = 99; return String(args.x); }")}
     ${TOOL("explodes", '() => { throw new Error("x".repeat(100000)); }')}
     ${TOOL("circles", "() => { const a = {}; a.a = a; return a; }")}
     ${TOOL("read_file", "() => 'mine'")}
     ${TOOL("terminal", "() => 'mine too'", "override: true")}`,
  );
  await world.loaded();
  const args = { x: 1 };
  assert.equal((await runTool(t, world, "mutates", args)).text, "99");
  assert.deepEqual(args, { x: 1 });
  const failed = await runTool(t, world, "explodes", {});
  assert.ok(failed.status === "error" && failed.text.length < 2_200, String(failed.text.length));
  assert.match((await runTool(t, world, "circles", {})).text, /returned what is not JSON/);
  const builtIn = (name: string) =>
    ({
      name,
      toolset: "x",
      description: "",
      risk: "read",
      schema: {},
      load: () => Promise.reject(new Error("built in")),
    }) as const;
  const registry = createToolRegistry([builtIn("read_file"), builtIn("terminal")], [world.host.toolSource]);
  assert.equal(registry.find("read_file")?.origin, undefined);
  assert.deepEqual(registry.find("terminal")?.origin, { kind: "plugin", name: "tools" });
});

test("built-in names of commands are refused, and what a plugin registered before is withdrawn", async (t) => {
  const world = pluginWorld(t, { enabled: ["bad", "bad2"] });
  world.plugin(
    "bad",
    `${TOOL("of_bad", "() => 1")} ctx.registerCommand({ name: "status", description: "", handler: () => "" });`,
  );
  world.plugin("bad2", `ctx.registerCliCommand({ name: "unlisted", description: "", handler: () => "" });`);
  await world.loaded();
  assert.deepEqual(namesOf(world), []);
  assert.match((await world.row("bad"))?.error ?? "", /registerCommand status: a built-in command has this name/);
  assert.match((await world.row("bad2"))?.error ?? "", /list it in provides_cli/);
});

test("a command of a plugin that does not answer is given up after 30 seconds", async (t) => {
  const clock = manualClock();
  const world = pluginWorld(t, { enabled: ["slow"], clock });
  world.plugin("slow", `ctx.registerCommand({ name: "slow", description: "", handler: () => new Promise(() => {}) });`);
  await world.loaded();
  const answer = runCommand(world, "slow", "");
  await clock.waitsFor(30_000);
  clock.advance(30_000);
  await assert.rejects(answer, /\/slow did not finish within 30 s/);
});

test("a plugin that floods the log is cut, with one notice", async (t) => {
  const world = pluginWorld(t, { enabled: ["loud"] });
  world.plugin("loud", `for (let n = 0; n < 5000; n++) ctx.log.info("line " + n); ctx.log.info("y".repeat(100000));`);
  await world.loaded();
  const own = world.lines.filter((line) => line.includes("plugin:loud"));
  assert.equal(own.length, 201);
  assert.equal(own.filter((line) => line.includes("more than 200 lines a minute")).length, 1);
});

test("a policy plugin that cannot load blocks every tool call with its error until it is repaired or disabled", async (t) => {
  const world = pluginWorld(t, { enabled: ["guard", "broken"] });
  world.plugin("guard", `throw new Error("no rules");`, { yaml: "policy: true\n" });
  await world.loaded();
  const blocked = await world.hooks.preToolCall(CALL);
  assert.match(blocked?.block ?? "", /plugin guard guards tool calls and cannot be loaded: no rules/);
  world.plugin("guard", `ctx.registerHook("pre_tool_call", () => undefined);`, { yaml: "policy: true\n" });
  await world.api.reload();
  assert.equal(await world.hooks.preToolCall(CALL), undefined);
  world.put("home/plugins/guard/plugin.yaml", "name: guard\npolicy: true\nmain: 7\n");
  await world.api.reload();
  assert.match((await world.hooks.preToolCall(CALL))?.block ?? "", /plugin\.yaml:3: main:/);
  await world.api.disable("guard");
  assert.equal(await world.hooks.preToolCall(CALL), undefined);
});

test("enabling, disabling and changed files take effect without a restart, also files that the entry imports", async (t) => {
  const world = pluginWorld(t, { enabled: ["live"] });
  const dir = world.plugin("live", TOOL("of_live", "() => word"));
  const entry = readFileSync(join(dir, "index.mjs"), "utf8");
  writeFileSync(join(dir, "index.mjs"), `import { word } from "./word.mjs";\n${entry}`);
  writeFileSync(join(dir, "word.mjs"), `export const word = "one";`);
  await world.loaded();
  assert.equal((await runTool(t, world, "of_live", {})).text, "one");
  writeFileSync(join(dir, "word.mjs"), `export const word = "second";`);
  await world.api.reload();
  assert.equal((await runTool(t, world, "of_live", {})).text, "second");
  await world.api.disable("live");
  assert.deepEqual(namesOf(world), []);
  await world.api.enable("live", async () => true);
  assert.equal((await runTool(t, world, "of_live", {})).text, "second");
});

test("a project's plugin runs when someone has allowed its exact bytes; changed bytes ask again", async (t) => {
  const world = pluginWorld(t, { enabled: ["here"] });
  const dir = world.plugin("here", TOOL("of_here", "() => 'first'"), { below: "work/.agent/plugins" });
  await world.loaded();
  assert.deepEqual([namesOf(world), (await world.row("here"))?.state], [[], "needs consent"]);
  await assert.rejects(
    world.api.enable("here", async () => false),
    /were not allowed/,
  );
  let files: readonly string[] = [];
  await world.api.enable("here", async (wanted) => {
    files = wanted.files;
    return !wanted.changed;
  });
  assert.deepEqual(files, ["index.mjs", "plugin.yaml"]);
  assert.equal((await runTool(t, world, "of_here", {})).text, "first");
  writeFileSync(join(dir, "extra.mjs"), "export const more = 1;");
  await world.api.reload();
  assert.deepEqual(namesOf(world), []);
  assert.match((await world.row("here"))?.error ?? "", /its files have changed since they were allowed/);
  const none = pluginWorld(t, { enabled: ["here"], project: undefined });
  assert.equal(await none.row("here"), undefined);
});

test("safe mode loads nothing", async (t) => {
  const world = pluginWorld(t, { enabled: ["any"], safe: true });
  world.plugin("any", `throw new Error("ran");`, { yaml: "policy: true\n" });
  await world.loaded();
  assert.equal((await world.row("any"))?.error, "safe mode: no plugin is loaded");
  assert.equal(await world.hooks.preToolCall(CALL), undefined);
});

test("an entry file that is a link out of the plugin is refused", async (t) => {
  const world = pluginWorld(t, { enabled: ["linked"] });
  const dir = world.plugin("linked", "");
  const outside = world.put("outside.mjs", "export const register = () => undefined;");
  symlinkSync(outside, join(dir, "out.mjs"));
  world.put("home/plugins/linked/plugin.yaml", "name: linked\nmain: out.mjs\n");
  await world.loaded();
  assert.match((await world.row("linked"))?.error ?? "", /a link that leaves the plugin's directory/);
});

test("after two ends of the program while a plugin was loading it stays off until it is enabled again", async (t) => {
  const world = pluginWorld(t, { enabled: ["hangs"], lives: () => false });
  world.plugin("hangs", TOOL("of_hangs", "() => 1"));
  world.put("home/plugins/.state/loading/hangs.json", JSON.stringify({ pid: 1, times: 2 }));
  await world.loaded();
  assert.match((await world.row("hangs"))?.error ?? "", /the program ended while it loaded hangs/);
  await world.api.enable("hangs", async () => true);
  assert.deepEqual(namesOf(world), ["of_hangs"]);
});

test("AGENT_PLUGINS_DEBUG shows directories, skips, registrations and stack traces on standard error; unset nothing", async (t) => {
  proves(t, "plugin.debug");
  const quiet = pluginWorld(t, { enabled: ["throws"] });
  quiet.plugin("throws", `throw new Error("seen");`);
  await quiet.loaded();
  assert.deepEqual(quiet.written, []);
  const world = pluginWorld(t, { enabled: ["throws", "good", "needs"], env: () => ({ AGENT_PLUGINS_DEBUG: "yes" }) });
  world.plugin("throws", `throw new Error("seen");`);
  world.plugin("good", TOOL("of_good", "() => 1"));
  world.plugin("needs", "", { yaml: "requires_env: [NEVER_SET]\nkind: odd\n" });
  world.plugin("off", "");
  world.put("home/plugins/bare/readme.txt", "nothing");
  await world.loaded();
  const text = world.written.join("");
  for (const part of [
    /^\[plugins\] INFO scanning .*home\/plugins \(user\)$/m,
    /^\[plugins\] INFO parsed the manifest of good 1\.0\.0$/m,
    /^\[plugins\] INFO skipped off: not enabled$/m,
    /^\[plugins\] INFO skipped bare: no manifest$/m,
    /^\[plugins\] INFO skipped needs: missing env NEVER_SET$/m,
    /^\[plugins\] WARNING needs: unknown kind 'odd' counts as standalone$/m,
    /^\[plugins\] INFO good registered tools of_good$/m,
    /^\[plugins\] ERROR throws: Error: seen\n +at .*index\.mjs/m,
  ])
    assert.match(text, part);
});

test("a plugin registers a directory as a skill, and what is no directory is refused", async (t) => {
  const world = pluginWorld(t, { enabled: ["good", "bad"] });
  world.plugin("good", `ctx.registerSkill({ name: "notes", dir: "/opt/notes" });`);
  world.plugin("bad", `ctx.registerSkill({ name: "notes2", dir: "notes" });`);
  await world.loaded();
  assert.deepEqual(pluginSkills(world.providers), [{ plugin: "good", name: "notes", dir: "/opt/notes" }]);
  assert.match((await world.row("bad"))?.error ?? "", /skill notes2: dir must be the absolute path/);
});

test("a plugin whose changed files cannot be copied is in error, and those after it load", async (t) => {
  const world = pluginWorld(t, { enabled: ["one"] });
  const dir = world.plugin("one", TOOL("of_one", "() => 'first'"));
  await world.loaded();
  world.plugin("two", TOOL("of_two", "() => 'two'"));
  world.values["plugins.enabled"] = ["one", "two"];
  writeFileSync(join(dir, "extra.mjs"), "export const more = 1;");
  world.put("home/plugins/.state/snapshots", "a file where the copies go");
  await world.host.load();
  assert.deepEqual(namesOf(world), ["of_two"]);
  assert.equal((await world.row("one"))?.state, "error");
});
