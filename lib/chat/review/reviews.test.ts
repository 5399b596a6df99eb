import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { type Reply, roundOf, type ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { type ChatOwner, chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { call } from "../../../fixtures/worlds/run-code.js";
import type { SessionId } from "../../base/units.js";
import { entryOf, jsonTool } from "../../tools/core/json-tool.js";
import type { ToolSource } from "../../tools/core/tool-source.js";

/** A memory that notes what it was called with. */
function memoryOf(saved: unknown[]): ToolSource {
  const tool = jsonTool({
    name: "memory",
    toolset: "memory",
    description: "Save something.",
    schema: { type: "object", properties: { action: { type: "string" }, content: { type: "string" } } },
    risk: "write",
    effects: () => ({ reads: [], writes: ["memory"] }),
    limits: { ms: 5_000, chars: 1_000 },
    preview: () => "",
    run: async (args, ctx) => {
      saved.push(args);
      ctx.readUntrusted?.();
      return { text: "{}" };
    },
  });
  return { entries: () => [entryOf(tool, { kind: "plugin", name: "test" }, { overrides: true })] };
}

const isReview = (request: ScriptRequest): boolean =>
  request.messages.some(({ role, content }) => role === "user" && String(content).startsWith("[REVIEW]"));

/** What the conversation was told of its reviews. */
async function told({ chat }: ChatOwner, session: SessionId): Promise<readonly unknown[]> {
  const texts: unknown[] = [];
  for await (const { data } of chat.storedEvents(session, 0)) if (data["code"] === "review") texts.push(data["text"]);
  return texts;
}

interface Place {
  readonly owner: ChatOwner;
  readonly saved: unknown[];
  /** Requests of reviews so far. */
  reviews(): readonly ScriptRequest[];
}

async function place(
  t: TestContext,
  config = "",
  reply?: (request: ScriptRequest) => ReturnType<typeof call>,
  answer: Reply = { text: "Fine." },
): Promise<Place> {
  const saved: unknown[] = [];
  const steps = [call("memory", { action: "add", content: "likes tea" }), { text: "Saved." }];
  const owner = await chatOwner(t, {
    script: (request) => {
      if (!isReview(request)) return answer;
      return reply?.(request) ?? steps[roundOf(request)] ?? { text: "?" };
    },
    config: `toolsets: [memory, file]\nmemory: {nudge_interval: 2}\n${config}`,
    toolSources: [memoryOf(saved)],
  });
  const reviews = () => owner.model.chats().flatMap(({ body }) => (body !== undefined && isReview(body) ? [body] : []));
  return { owner, saved, reviews };
}

test("every second message the conversation is looked over in the background, behind the same bytes, and nothing of it is stored", async (t) => {
  const { owner, saved, reviews } = await place(t);
  const { id } = await owner.open({ source: "workspace" });
  await owner.chat.submit({ session: id, text: "I like tea" });
  assert.equal(reviews().length, 0);
  await owner.chat.submit({ session: id, text: "thanks" });
  await eventually(async () => (await told(owner, id)).length > 0);
  assert.deepEqual(saved, [{ action: "add", content: "likes tea" }]);
  const [first] = reviews();
  const before = owner.model
    .chats()
    .filter(({ body }) => body !== undefined && !isReview(body) && body.tools)
    .at(-1)?.body;
  assert.equal(JSON.stringify(first?.tools), JSON.stringify(before?.tools));
  const sent = before?.messages ?? [];
  assert.equal(JSON.stringify(first?.messages.slice(0, sent.length)), JSON.stringify(sent));
  assert.deepEqual(
    (await owner.messages(id)).map(({ content }) => content),
    ["I like tea", "Fine.", "thanks", "Fine."],
  );
  assert.deepEqual(await told(owner, id), ["💾 Self-improvement review: memory updated"]);
});

test("a review runs no other tool, and says which ones work", async (t) => {
  const { owner, reviews } = await place(
    t,
    "",
    (request) =>
      [call("write_file", { path: "x.txt", content: "x" }), { text: "no" }][roundOf(request)] ?? { text: "no" },
  );
  writeFileSync(join(owner.work, "x.txt"), "old");
  const { id } = await owner.open({ source: "workspace", yolo: true });
  for (const text of ["a", "b"]) await owner.chat.submit({ session: id, text });
  await eventually(() => reviews().length === 2, 5000);
  assert.match(String(reviews()[1]?.messages.at(-1)?.content), /not available in a review/);
  assert.deepEqual(await told(owner, id), []);
});

test("a message that comes during a review ends it and does not wait for it", async (t) => {
  const { owner, saved, reviews } = await place(t, "", () => ({ text: "late", hold: "never" }));
  const { id } = await owner.open({ source: "workspace" });
  for (const text of ["a", "b"]) await owner.chat.submit({ session: id, text });
  await eventually(() => reviews().length === 1);
  const { final_response } = await owner.chat.submit({ session: id, text: "c" });
  assert.equal(final_response, "Fine.");
  assert.deepEqual(saved, []);
  owner.model.release("never");
});

test("a session that has spent what it may cost is not reviewed for more", async (t) => {
  const dear = { text: "Fine.", usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, cost: 1 } };
  const { owner, reviews } = await place(t, "", () => ({ text: "Nothing to save." }), dear);
  for (const more of [{ maxCostUsd: 1.5 }, {}]) {
    const { id } = await owner.open({ source: "workspace", ...more });
    for (const text of [`limit ${more.maxCostUsd}`, "b"]) await owner.chat.submit({ session: id, text });
  }
  await eventually(() => reviews().length > 0); // that of the second one, which began after the first one's would have
  assert.deepEqual(
    reviews().map(({ messages }) => messages.find(({ role }) => role === "user")?.content),
    ["limit undefined"],
  );
});

test("one-shots, ephemeral conversations and those with the interval 0 are not reviewed", async (t) => {
  const { owner, reviews } = await place(t);
  for (const more of [{}, { source: "workspace", ephemeral: true }] as const) {
    const { id } = await owner.open(more);
    for (const text of ["a", "b", "c", "d"]) await owner.chat.submit({ session: id, text });
  }
  await owner.stop();
  assert.equal(reviews().length, 0);
});
