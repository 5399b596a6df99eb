import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { countingIds } from "../../fixtures/sim/ids.js";
import { systemClock } from "../base/clock.js";
import { silentLog } from "../base/log.js";
import { createNet } from "../safety/net.js";
import type { AuxChoice } from "./auxiliary.js";
import { createAuxiliary } from "./auxiliary-ask.js";
import { chatProvider } from "./wire/chat.js";

const REQUEST = { system: "judge", user: "is it done?", temperature: 0, maxTokens: 400 };

async function setup(t: TestContext, replies: readonly Reply[], timeoutMs = 30_000) {
  const server = await startModelServer({ script: { replies, auxiliary: replies } });
  const net = createNet({ clock: systemClock, allowPrivate: () => true });
  t.after(async () => {
    await server.close();
    await net.close();
  });
  const timeouts = { connectMs: 5_000, totalMs: 30_000, readMs: 5_000 };
  const provider = chatProvider({ net, clock: systemClock, log: silentLog }, { id: "fake", baseUrl: server.url, timeouts });
  const choice: AuxChoice = { provider, model: "side", window: 64_000, timeoutMs };
  const ask = createAuxiliary({
    models: { aux: async () => choice },
    clock: systemClock,
    ids: countingIds(),
    random: () => 0,
    attempts: 1,
  });
  return { server, ask };
}

const never = new AbortController().signal;

test("side work is one request without tools, with its own temperature and answer budget", async (t) => {
  const { server, ask } = await setup(t, [{ text: '{"done": true}', usage: { prompt_tokens: 12, completion_tokens: 3 } }]);
  const answer = await ask("goal_judge", REQUEST, never);
  assert.ok(answer.ok);
  assert.deepEqual([answer.text, answer.usage.input, answer.usage.output, answer.provider], ['{"done": true}', 12, 3, "fake"]);
  const [sent] = server.requests;
  const body = JSON.parse(sent?.raw ?? "{}");
  assert.deepEqual([body.model, body.temperature, body.max_tokens ?? body.max_completion_tokens, body.tools], ["side", 0, 400, undefined]);
  assert.deepEqual(
    body.messages.map((message: { role: string }) => message.role),
    ["system", "user"],
  );
});

test("a refusal of the endpoint is a value with its class", async (t) => {
  const { ask } = await setup(t, [{ status: 401, body: { error: { message: "bad key" } } }]);
  const answer = await ask("goal_judge", REQUEST, never);
  assert.ok(!answer.ok && answer.why === "failed");
  assert.deepEqual([answer.class, /bad key/.test(answer.message)], ["auth", true]);
});

test("an endpoint that does not answer within the slot's time is a timeout", async (t) => {
  const { ask } = await setup(t, [{ hold: "for ever" }], 50);
  const answer = await ask("goal_judge", REQUEST, never);
  assert.ok(!answer.ok && answer.why === "failed");
  assert.equal(answer.class, "timeout");
});

test("without a model there is no client, and whatever breaks on the way is told, not thrown", async () => {
  const deps = { clock: systemClock, ids: countingIds(), random: () => 0 };
  assert.deepEqual(await createAuxiliary({ ...deps, models: { aux: async () => undefined } })("goal_judge", REQUEST, never), {
    ok: false,
    why: "no client",
  });
  const broken = createAuxiliary({ ...deps, models: { aux: () => Promise.reject(new Error("no settings")) } });
  const answer = await broken("goal_judge", REQUEST, never);
  assert.deepEqual(answer, { ok: false, why: "failed", class: "unknown", message: "no settings" });
});
