import assert from "node:assert/strict";
import { test } from "node:test";
import { slashWorld } from "../../fixtures/sim/slash-world.js";
import type { ToolEntry } from "../tools/core/entry.js";
import { entryOf, jsonTool } from "../tools/core/json-tool.js";
import type { ToolSource } from "../tools/core/tool-source.js";

function tracker(name: string, run: () => void = () => undefined, server = "tracker"): ToolEntry {
  const tool = jsonTool({
    name: `mcp_${server}_${name}`,
    toolset: `mcp-${server}`,
    description: `Does ${name}. ${"It says a good deal about what it does. ".repeat(5)}`,
    schema: { type: "object", properties: { project: { type: "string" } }, required: ["project"] },
    risk: "external",
    effects: () => ({ reads: ["net"], writes: [] }),
    limits: { ms: 1_000, chars: 10_000 },
    preview: ({ project }) => String(project),
    run: async ({ project }) => {
      run();
      return { text: `${name} of ${project}` };
    },
  });
  return entryOf(tool, { kind: "mcp", name: server });
}

const CALL = { id: "c0", name: "mcp_tracker_list", arguments: '{"project":"one"}' };

test("a turn keeps the tools that it began with; the next one has those that came meanwhile", async (t) => {
  let now: readonly ToolEntry[] = [];
  const arrives = () => {
    now = [tracker("list", arrives), tracker("add")];
  };
  now = [tracker("list", arrives)];
  const world = slashWorld(t, {
    sources: [{ entries: () => now }],
    reply: async ({ messages }) =>
      messages.at(-1)?.role === "user" ? { finish: "tool_calls", toolCalls: [CALL] } : "done",
  });
  const session = await world.create();
  await world.say(session.id, "list them");
  await world.say(session.id, "and again");
  const offered = world.requests.map(({ tools }) => tools.filter(({ name }) => name.startsWith("mcp_")).length);
  assert.deepEqual(offered, [1, 1, 2, 2]);
  const results = (await world.chat.messages(session.id)).filter(({ role }) => role === "tool");
  assert.match(results[0]?.content ?? "", /list of one/);
});

test("a name that is only near to a tool of a server runs none of its tools", async (t) => {
  let ran = 0;
  const world = slashWorld(t, {
    sources: [{ entries: () => [tracker("delete_item", () => (ran += 1))] }],
    reply: async ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { finish: "tool_calls", toolCalls: [{ ...CALL, name: "mcp_tracker_get_item" }] }
        : "done",
  });
  const session = await world.create();
  await world.say(session.id, "look at it");
  const results = (await world.chat.messages(session.id)).filter(({ role }) => role === "tool");
  assert.match(results[0]?.content ?? "", /'mcp_tracker_get_item' does not exist/);
  assert.equal(ran, 0);
});

test("a new session waits for its tools once, and an unknown set that a source announces is no error", async (t) => {
  let waits = 0;
  let now: readonly ToolEntry[] = [];
  const source: ToolSource = {
    entries: () => now,
    toolsets: () => ["mcp-tracker"],
    ready: async () => {
      waits += 1;
      now = [tracker("list")];
    },
  };
  const world = slashWorld(t, { sources: [source] });
  const session = await world.create({ toolsets: ["mcp-tracker"] });
  await world.say(session.id, "one");
  await world.say(session.id, "two");
  assert.equal(waits, 1);
  assert.deepEqual(
    world.requests.map(({ tools }) => tools.map(({ name }) => name)),
    [["mcp_tracker_list"], ["mcp_tracker_list"]],
  );
  await assert.rejects(world.create({ toolsets: ["mcp-other"] }), /unknown toolset: mcp-other/);
});

test("twenty servers cost less than 1,500 tokens of a request, and the model is told which there are", async (t) => {
  const none = slashWorld(t);
  const servers = Array.from({ length: 20 }, (_, n) => `server${n}`);
  const names = ["list", "add", "remove", "find", "change"];
  const all = servers.flatMap((server) => names.map((name) => tracker(name, undefined, server)));
  const many = slashWorld(t, { sources: [{ entries: () => all }] });
  for (const world of [none, many]) await world.say((await world.create()).id, "hello");
  const size = ({ requests }: typeof none) => JSON.stringify(requests[0]?.tools).length / 4;
  assert.ok(size(many) - size(none) < 1_500, `${size(many) - size(none)} tokens`);
  const search = many.requests[0]?.tools.find(({ name }) => name === "tool_search");
  assert.match(search?.description ?? "", /Toolsets: mcp-server0, mcp-server1, /);
});

test("tools of servers are listed with their server, can be named and switched off like any other set", async (t) => {
  const world = slashWorld(t, { sources: [{ entries: () => [tracker("list")] }] });
  const options = { source: "cli", cwd: "/", env: {} } as const;
  const listing = await world.chat.toolList(options);
  const row = listing.tools.find(({ name }) => name === "mcp_tracker_list");
  assert.deepEqual([row?.offered, row?.origin], [true, { kind: "mcp", name: "tracker" }]);
  assert.equal(listing.tools.find(({ name }) => name === "todo")?.origin, null);
  assert.deepEqual(listing.toolsets.find(({ name }) => name === "mcp-tracker")?.tools, ["mcp_tracker_list"]);
  const off = await world.chat.toolList(options, { enabled: [], disabled: ["mcp-tracker"] });
  assert.equal(
    off.tools.find(({ name }) => name === "mcp_tracker_list")?.why,
    "mcp-tracker is disabled in this conversation",
  );
  const size = await world.chat.promptSize(options);
  assert.equal(
    size.tools.some(({ name }) => name === "mcp_tracker_list"),
    true,
  );
});
