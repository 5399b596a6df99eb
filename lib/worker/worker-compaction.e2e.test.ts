import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { workerHome } from "../../fixtures/worlds/worker-home.js";

const step = (prompt_tokens: number): Reply => ({
  tool_calls: [{ name: "terminal", arguments: { command: "true" } }],
  usage: { prompt_tokens, completion_tokens: 5 },
});

const REPLIES: readonly Reply[] = [
  { tool_calls: [{ name: "kanban_show", arguments: {} }], usage: { prompt_tokens: 3_000, completion_tokens: 5 } },
  ...[4_000, 5_000, 6_000, 70_000].map(step),
  { tool_calls: [{ name: "kanban_complete", arguments: { summary: "all of it" } }] },
  { text: "The task is complete." },
];

test("the conversation of a board worker is compacted through its owner, and the task is finished in the new segment", async (t) => {
  const server = await startModelServer({ script: { replies: REPLIES, auxiliary: [{ text: "## Goal\nA task." }] } });
  t.after(() => server.close());
  const home = workerHome(
    t,
    `model: { provider: p1, default: m1 }\nproviders:\n  p1: { base_url: "${server.url}", api_key: k, context_length: 128000 }\n`,
  );
  await home.owner();
  const id = await home.create("long work", "all of it");
  const { task, runs } = await home.task(id, ({ task: { status } }) => status === "done" || status === "blocked");
  assert.deepEqual([task.status, runs.length, runs[0]?.summary], ["done", 1, "all of it"]);
  const last =
    server
      .chats()
      .at(-1)
      ?.body?.messages.map(({ content }) => String(content)) ?? [];
  assert.ok(last.some((text) => text.startsWith("[CONTEXT COMPACTION - BACKGROUND ONLY]")));
  const exported = await home.cli("sessions", "export", runs[0]?.session_id ?? "", "--format", "json");
  const { segments } = JSON.parse(exported) as { segments: readonly string[] }; // the export of this version
  assert.equal(segments.length, 2);
});
