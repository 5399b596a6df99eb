import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { silentLog } from "../base/log/log.js";
import { systemClock } from "../base/time/clock.js";
import { createNet } from "../safety/net/net.js";
import type { AuxChoice } from "./auxiliary.js";
import { createAuxiliary } from "./auxiliary-ask.js";
import { chatProvider } from "./wire/chat.js";

const REQUEST = { system: "judge", user: "is it done?", temperature: 0, maxTokens: 400 };

async function setup(t: TestContext, replies: readonly Reply[], timeoutMs = 30_000) {
  const server = await startModelServer({ script: { replies, auxiliary: replies } });
  const limits = manualClock(); // no limit of a request passes, however busy the machine is
  const net = createNet({ clock: limits, allowPrivate: () => true });
  t.after(async () => {
    await server.close();
    await net.close();
  });
  const timeouts = { connectMs: 5_000, totalMs: 30_000, readMs: 5_000 };
  const provider = chatProvider({ net, clock: limits, log: silentLog }, { id: "fake", baseUrl: server.url, timeouts });
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
  const { server, ask } = await setup(t, [
    { text: '{"done": true}', usage: { prompt_tokens: 12, completion_tokens: 3 } },
  ]);
  const answer = await ask("goal_judge", REQUEST, never);
  assert.ok(answer.ok);
  assert.deepEqual(
    [answer.text, answer.usage.input, answer.usage.output, answer.provider],
    ['{"done": true}', 12, 3, "fake"],
  );
  const [sent] = server.requests;
  const body = JSON.parse(sent?.raw ?? "{}");
  assert.deepEqual(
    [body.model, body.temperature, body.max_tokens ?? body.max_completion_tokens, body.tools],
    ["side", 0, 400, undefined],
  );
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

test("without a model there is no client, and whatever breaks on the way is reported, not thrown", async () => {
  const deps = { clock: systemClock, ids: countingIds(), random: () => 0 };
  assert.deepEqual(
    await createAuxiliary({ ...deps, models: { aux: async () => undefined } })("goal_judge", REQUEST, never),
    {
      ok: false,
      why: "no client",
    },
  );
  const broken = createAuxiliary({ ...deps, models: { aux: () => Promise.reject(new Error("no settings")) } });
  const answer = await broken("goal_judge", REQUEST, never);
  assert.deepEqual(answer, { ok: false, why: "failed", class: "unknown", message: "no settings" });
});

test("an answer without end is cut off and said to be one", async (t) => {
  const { server, ask } = await setup(t, [{ endless: true, text: "on and on ".repeat(4_000) }]);
  const answer = await ask("kanban_decomposer", REQUEST, never);
  assert.ok(!answer.ok && answer.why === "failed");
  assert.equal(answer.class, "endless_answer");
  await server.dropped();
});

test("half an answer is no answer: it is asked for again, and given up after the third break", async (t) => {
  const half = { text: "half of it ".repeat(200), reset_after: 1_500 };
  const { ask } = await setup(t, [half, { text: "whole" }]);
  const answer = await ask("triage_specifier", REQUEST, never);
  assert.ok(answer.ok);
  assert.equal(answer.text, "whole");
  const broken = await setup(t, [half]);
  const none = await broken.ask("triage_specifier", REQUEST, never);
  assert.ok(!none.ok && none.why === "failed");
  assert.deepEqual([none.class, broken.server.requests.length], ["timeout", 3]);
});

test("an answer that the provider withheld is a failure, not an empty text", async (t) => {
  const { ask } = await setup(t, [{ text: "", finish: "content_filter" }]);
  const answer = await ask("triage_specifier", REQUEST, never);
  assert.ok(!answer.ok && answer.why === "failed");
  assert.equal(answer.class, "content_policy_blocked");
});

test("someone who stops the question gets no answer and no other reason", async (t) => {
  const { server, ask } = await setup(t, [{ hold: "for ever" }]);
  const stop = new AbortController();
  const asked = ask("triage_specifier", REQUEST, stop.signal);
  await server.asked(1);
  stop.abort();
  const answer = await asked;
  assert.ok(!answer.ok && answer.why === "failed");
  assert.equal(answer.class, "aborted");
});
