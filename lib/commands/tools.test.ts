import assert from "node:assert/strict";
import { test } from "node:test";
import { slashWorld } from "../../fixtures/sim/slash-world.js";

const names = (request: { readonly tools: readonly { readonly name: string }[] } | undefined) =>
  (request?.tools ?? []).map((tool) => tool.name);

test("/tools disable takes a set away from this conversation alone, and says so in the list", async (t) => {
  const { create, say, slash, requests } = slashWorld(t);
  const one = await create();
  const other = await create();
  const told = await slash("/tools disable terminal todo", one.id);
  assert.deepEqual(
    [told.exit, told.text],
    [0, "Disabled terminal, todo from the next turn, in this conversation. The prompt cache is lost."],
  );
  await say(one.id, "hello");
  assert.equal(
    names(requests.at(-1)).some((name) => ["terminal", "process", "todo"].includes(name)),
    false,
  );
  await say(other.id, "hello");
  assert.equal(names(requests.at(-1)).includes("terminal"), true);
  assert.match(
    (await slash("/tools", one.id)).text,
    /off terminal +not offered: terminal is disabled in this conversation/,
  );
  await slash("/tools enable terminal", one.id);
  await say(one.id, "again");
  assert.equal(names(requests.at(-1)).includes("terminal"), true);
  assert.equal(names(requests.at(-1)).includes("todo"), false);
});

test("/tools refuses what is no set and tells which set a tool is in; /toolsets lists them", async (t) => {
  const { create, slash } = slashWorld(t);
  const { id } = await create();
  const refused = await slash("/tools disable patch", id);
  assert.deepEqual([refused.exit, /unknown toolset patch/.test(refused.text)], [2, true]);
  const sets = await slash("/toolsets", id);
  assert.match(sets.text, /on +file +set +patch read_file search_files write_file\n/);
  assert.match(sets.text, /on +agent-cli +preset +every tool\n/);
});

test("tools list --json names every tool with the reason when it is not offered", async (t) => {
  const { run } = slashWorld(t, { settings: { "agent.disabled_toolsets": ["terminal"] } });
  const { tools, toolsets } = JSON.parse((await run("tools", "list", "--json")).out);
  const why = new Map(tools.map((tool: { name: string; why: string | null }) => [tool.name, tool.why]));
  assert.equal(why.get("terminal"), "agent.disabled_toolsets names terminal");
  assert.equal(why.get("read_file"), null);
  assert.match(String(why.get("kanban_create")), /kanban/);
  assert.equal(toolsets.find((set: { name: string }) => set.name === "terminal").on, false);
  const cron = JSON.parse((await run("tools", "list", "--platform", "cron", "--json")).out);
  assert.equal(cron.tools.find((tool: { name: string }) => tool.name === "clarify").why, "not in agent-cron");
  assert.equal((await run("tools", "list", "--platform", "nothing")).code, 2);
});
