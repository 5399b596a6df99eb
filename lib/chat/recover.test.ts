import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { chatWorld } from "../../fixtures/sim/chat-world.js";
import { type Clock, systemClock } from "../base/time/clock.js";

type Json = Readonly<Record<string, unknown>>;
const refusal = (message: string, status = 400): Reply => ({ status, body: { error: { message } } });

async function setup(t: TestContext, replies: readonly Reply[], more = "") {
  const server = await startModelServer({ script: { replies }, models: ["m"], auxiliary: false });
  t.after(() => server.close());
  const clock: Clock = { ...systemClock, sleep: async () => undefined };
  const world = await chatWorld(t, {
    clock,
    config: `model: { provider: custom, base_url: "${server.url}", default: m }\nagent: { api_max_retries: 2 }\n${more}`,
  });
  const bodies = () => server.chats().map(({ raw }) => JSON.parse(raw) as Json);
  return { server, world, bodies, session: await world.open() };
}

test("a window that an overflow tells is believed from then on", async (t) => {
  const { world, session } = await setup(t, [refusal("maximum context length is 20000 tokens"), { text: "ok" }]);
  assert.equal((await world.models.choose()).window, 32_768);
  await world.say(session, "hi");
  const { result } = await world.say(session, "again");
  assert.equal(result.context_window, 20_000);
});

test("an overflow that nothing helps against says what to do", async (t) => {
  const { world, session } = await setup(t, [refusal("prompt is too long")], "compression: { enabled: false }\n");
  const { result } = await world.say(session, "hi");
  assert.deepEqual([result.failed, result.error?.class], [true, "context_overflow"]);
  assert.match(result.error?.hint ?? "", /\/compress.*\/new.*larger window/);
  assert.equal((await world.chat.messages(session.id)).at(-1)?.content, "hi"); // /retry finds the question
});

test("a room that the server names lowers the output cap, nothing else", async (t) => {
  const { world, bodies, session } = await setup(t, [
    refusal("max_tokens is too large, available_tokens: 3000"),
    { text: "ok" },
  ]);
  const { result } = await world.say(session, "hi");
  assert.deepEqual([result.final_response, result.context_window], ["ok", 32_768]);
  const [{ messages: first } = {}, { messages: second, max_tokens } = {}] = bodies();
  assert.deepEqual(second, first);
  assert.equal(max_tokens, 3000 - 64);
});

test("the last words name class, status and what was tried", async (t) => {
  const { world, session } = await setup(t, [refusal("<html><head><title>Bad Gateway</title></head></html>", 502)]);
  const { result } = await world.say(session, "hi");
  assert.match(result.error?.message ?? "", /^Request failed after 1 retry: HTTP 502: /);
  assert.match(result.error?.hint ?? "", /\/model.*agent fallback add/);
});

test("each wait is one event with attempt, cause, class and length, and none is reported as a message", async (t) => {
  const { world, session } = await setup(t, [refusal("boom", 500), { text: "ok" }]);
  const { events, result } = await world.say(session, "hi");
  const [retry, ...more] = events.filter(({ event }) => event === "retry");
  const { wait_ms, ...data } = retry?.data ?? {};
  assert.deepEqual(data, { attempt: 2, of: 2, cause: "HTTP 500: boom", class: "server_error" });
  assert.ok(Number(wait_ms) >= 2_000 && Number(wait_ms) <= 3_000 && retry?.seq === undefined && more.length === 0);
  assert.equal(result.final_response, "ok");
});
