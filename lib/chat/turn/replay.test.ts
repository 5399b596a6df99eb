import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld } from "../../../fixtures/sim/chat-world.js";

type Json = Readonly<Record<string, unknown>>;
const CALL = { name: "write_file", arguments: { path: "a.txt", content: "x" }, id: "call_a" };
const THINKS: Reply = { reasoning: "first I write", seal: "sealed-1", text: "I write it.", tool_calls: [CALL] };

async function setup(t: TestContext, mode: string, replies: readonly Reply[], more = "") {
  const server = await startModelServer({ script: { replies }, auxiliary: false });
  t.after(() => server.close());
  const world = await chatWorld(t, {
    config: `model: { provider: p, default: m }
agent: { api_max_retries: 1 }
providers:
  p: { base_url: "${server.url}", api_mode: ${mode}, context_length: 128000 }
${more}`,
  });
  const bodies = () => server.chats().map(({ raw }) => JSON.parse(raw) as Json);
  return { server, world, bodies, session: await world.open() };
}

/** Blocks of the assistant's side of a messages body, one list per message. */
const blocks = (body: Json = {}) =>
  (body["messages"] as { role: string; content: Json[] }[])
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => content);
const items = (body: Json = {}) => body["input"] as Json[];

test("signed thinking goes back before its call as it was, and not with the next question", async (t) => {
  const { world, bodies, session } = await setup(t, "anthropic_messages", [
    THINKS,
    { text: "Done." },
    { text: "Yes." },
  ]);
  await world.say(session, "write");
  await world.say(session, "and?");
  assert.deepEqual(blocks(bodies()[1]), [
    [
      { type: "thinking", thinking: "first I write", signature: "sealed-1" },
      { type: "text", text: "I write it." },
      { type: "tool_use", id: "call_a", name: "write_file", input: CALL.arguments },
    ],
  ]);
  assert.deepEqual(
    blocks(bodies()[2]).map((list) => list.map(({ type }) => type)),
    [["text", "tool_use"], ["text"]],
  );
});

test("encrypted reasoning goes back without its id, before the message and the call", async (t) => {
  const { world, bodies, session } = await setup(t, "responses", [THINKS, { text: "Done." }]);
  await world.say(session, "write");
  const [, reasoning, message, call] = items(bodies()[1]);
  assert.deepEqual(reasoning, {
    type: "reasoning",
    encrypted_content: "sealed-1",
    summary: [{ type: "summary_text", text: "first I write" }],
  });
  assert.deepEqual(
    [message?.["type"], message?.["id"], message?.["role"], call?.["type"]],
    ["message", "msg_1", "assistant", "function_call"],
  );
});

for (const [mode, sealed] of [
  ["anthropic_messages", (body: Json | undefined) => blocks(body)[0]?.[0]?.["signature"]],
  [
    "responses",
    (body: Json | undefined) => items(body).find(({ type }) => type === "reasoning")?.["encrypted_content"],
  ],
] as const) {
  test(`over ${mode} it is still there after a restart, in no event, page or export`, async (t) => {
    const { world, bodies, session } = await setup(t, mode, [THINKS, { status: 500 }, { text: "Done." }]);
    const failed = await world.say(session, "write");
    assert.equal(failed.result.failed, true);
    await world.reopen(session.id);
    const pages = await world.chat.messages(session.id);
    const exported: string[] = [];
    for (const format of ["md", "json", "jsonl"] as const)
      for await (const part of world.chat.export(session.id, format)) exported.push(part);
    assert.ok(!`${JSON.stringify([failed, pages])}${exported.join("")}`.includes("sealed-1"));
    if (mode === "anthropic_messages") {
      const stored = await world.store.read((q) =>
        q.all("SELECT anthropic_content_blocks AS text FROM messages WHERE role = 'assistant'"),
      );
      assert.match(String(stored[0]?.["text"]), /sealed-1/);
      return; // with the next question the thinking is over
    }
    await world.say(session, "go on");
    assert.equal(sealed(bodies().at(-1)), "sealed-1");
  });
}

const REFUSALS = [
  ["anthropic_messages", "messages.1.content.0: Invalid `signature` in `thinking` block"],
  ["responses", "The encrypted content could not be verified"],
] as const;

for (const [mode, message] of REFUSALS) {
  test(`over ${mode} a seal that is refused is left out once and for all`, async (t) => {
    const again: Reply = { ...THINKS, tool_calls: [{ ...CALL, id: "call_b" }], seal: null };
    const refusal: Reply = { status: 400, body: { error: { message } } };
    const { world, bodies, session } = await setup(t, mode, [THINKS, refusal, again, { text: "Done." }]);
    const { result } = await world.say(session, "write");
    assert.deepEqual([result.final_response, bodies().length], ["Done.", 4]);
    assert.match(JSON.stringify(bodies()[1]), /sealed-1/);
    for (const body of bodies().slice(2)) assert.ok(!JSON.stringify(body).includes("sealed-1"));
  });
}

test("a seal is never sent to another provider", async (t) => {
  const second = await startModelServer({ script: { replies: [{ text: "from the second" }] }, auxiliary: false });
  t.after(() => second.close());
  const chain = `  q: { base_url: "${second.url}", api_mode: anthropic_messages, context_length: 128000 }
fallback_providers: [{ provider: q, model: m2 }]
`;
  const { world, session } = await setup(t, "anthropic_messages", [THINKS, { status: 402 }], chain);
  const { result } = await world.say(session, "write");
  assert.equal(result.final_response, "from the second");
  assert.ok(!second.chats()[0]?.raw.includes("sealed-1"));
});

test("thinking that holds a secret is not kept", async (t) => {
  const secret = "sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1";
  const leaky: Reply = { ...THINKS, reasoning: `the key is ${secret}` };
  const { world, bodies, session } = await setup(t, "anthropic_messages", [leaky, { text: "Done." }]);
  await world.say(session, "write");
  assert.ok(!JSON.stringify(bodies()[1]).includes(secret));
  const rows = await world.store.read((q) => q.all("SELECT * FROM messages"));
  assert.ok(!JSON.stringify(rows).includes(secret));
});
