import assert from "node:assert/strict";
import { test } from "node:test";
import { pluginWorld } from "../../fixtures/sim/plugin-world.js";
import { bench } from "../../fixtures/worlds/tool-context.js";
import type { CommandContext } from "../commands/define.js";

test("the bundled timer stays off until it is enabled; then its tools, commands, hook and data work together", async (t) => {
  const world = pluginWorld(t, { bundled: "adapters/plugins" });
  assert.deepEqual([(await world.row("timer"))?.state, (await world.row("timer"))?.source], ["not enabled", "bundled"]);
  world.values["plugins.config"] = { timer: { default_minutes: 5 } };
  await world.loaded();
  await world.api.enable("timer", async () => true);
  const row = await world.row("timer");
  assert.deepEqual([row?.state, row?.error], ["loaded", null]);
  assert.deepEqual(row?.registered, {
    tools: ["timer_set", "timer_list", "timer_cancel"],
    commands: ["timer"],
    cli: ["timer"],
    hooks: ["on_session_finalize"],
  });
  const at = bench(t);
  const tool = async (name: string, args: Record<string, unknown>) => {
    const entry = world.host.toolSource.entries({}).find((one) => one.name === name);
    assert.ok(entry, name);
    return JSON.parse((await at.run(await entry.load(), args)).text);
  };
  const made = await tool("timer_set", { minutes: 60, note: "tea" });
  assert.deepEqual([made.id, made.note], [1, "tea"]);
  assert.equal((await tool("timer_list", {})).timers.length, 1);
  assert.match((await tool("timer_set", { minutes: -1 })).error, /minutes must be above 0/);
  const [command] = world.host.commands.commands();
  const typed = {
    cwd: "/",
    signal: new AbortController().signal,
    session: at.context.session,
  } as unknown as CommandContext; // all that it looks at
  assert.match((await command?.run("list", typed))?.text ?? "", /^1 {2}over at .* {2}tea$/);
  const call = { sessionId: null, cwd: "/", signal: new AbortController().signal };
  assert.equal((await world.api.run("timer", ["cancel", "1"], call)).text, "Cancelled timer 1.");
  assert.equal((await world.api.run("timer", [], call)).text, "No timers.");
  await tool("timer_set", { minutes: 60 });
  world.hooks.tell("on_session_finalize", { session_id: at.context.session, platform: "cli" });
  await world.hooks.close(1_000);
  assert.deepEqual((await tool("timer_list", {})).timers, []);
});
