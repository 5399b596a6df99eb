import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { slashWorld } from "../../fixtures/sim/slash-world.js";
import { defineTool } from "../tools/core/define.js";
import type { ToolEntry } from "../tools/core/entry.js";
import { TOOLS } from "../tools/index.gen.js";

const tracker = defineTool({
  name: "tracker_list_issues",
  toolset: "tracker",
  description: "Lists open issues of a project.",
  risk: "read",
  core: false,
  params: z.object({ project: z.string().describe("Name of the project.") }),
  effects: () => ({ reads: ["net"], writes: [] }),
  limits: { ms: 1_000, chars: 10_000 },
  preview: ({ project }) => project,
  run: async ({ project }) => ({ text: `${project}: none` }),
});

const entry: ToolEntry = {
  name: tracker.name,
  toolset: tracker.toolset,
  description: tracker.description,
  risk: tracker.risk,
  core: false,
  schema: { type: "object", properties: { project: { type: "string" } }, required: ["project"] },
  load: async () => tracker,
};

const ROUNDS = [
  { name: "tool_search", arguments: '{"query":"open issues"}' },
  { name: "tool_describe", arguments: '{"name":"tracker_list_issues"}' },
  { name: "tool_call", arguments: '{"name":"tracker_list_issues","arguments":{"project":"one"}}' },
];

test("a conversation finds, reads and calls a tool that stands behind tool_search, and shows it under its own name", async (t) => {
  const world = slashWorld(t, {
    tools: [...TOOLS, entry],
    settings: { "tools.tool_search.enabled": "true" },
    reply: async ({ messages }) => {
      const done = messages.filter(({ role }) => role === "assistant").length;
      const next = ROUNDS[done];
      return next === undefined ? "there are none" : { finish: "tool_calls", toolCalls: [{ id: `c${done}`, ...next }] };
    },
  });
  const session = await world.create();
  const turn = await world.say(session.id, "which issues are open?");
  assert.equal(turn.final_response, "there are none");
  const sent = (world.requests[0]?.tools ?? []).map((tool) => tool.name);
  assert.deepEqual(
    [sent.includes("tracker_list_issues"), sent.includes("tool_search"), sent.includes("read_file")],
    [false, true, true],
  );
  const results = (await world.chat.messages(session.id)).filter(({ role }) => role === "tool");
  assert.match(results[0]?.content ?? "", /"name":"tracker_list_issues"/);
  assert.match(results[1]?.content ?? "", /"parameters":/);
  assert.deepEqual([results[2]?.content, results[2]?.toolName], ["one: none", "tracker_list_issues"]);
});

test("the same tool is sent directly while its schema is small", async (t) => {
  const world = slashWorld(t, { tools: [...TOOLS.filter(({ toolset }) => toolset === "file"), entry] });
  const session = await world.create();
  await world.say(session.id, "hello");
  const sent = (world.requests[0]?.tools ?? []).map((tool) => tool.name);
  assert.deepEqual([sent.includes("tracker_list_issues"), sent.includes("tool_search")], [true, false]);
});
