import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { type ModelServer, startModelServer } from "../../fixtures/servers/model/server.js";
import { chatWorld, type Said } from "../../fixtures/sim/chat-world.js";
import { type Clock, systemClock } from "../base/time/clock.js";

const M2: Reply = { text: "from the second" };

/** A primary on one server and a chain on another, each with its own script. */
async function setup(t: TestContext, first: readonly Reply[], second: readonly Reply[] = [M2], more = "") {
  const [one, two] = await Promise.all([served(t, first), served(t, second)]);
  const waits: number[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms) => void waits.push(ms),
  };
  const world = await chatWorld(t, {
    clock,
    config: `model: { provider: p1, default: m1 }
agent: { api_max_retries: 1 }
providers:
  p1: { base_url: "${one.url}", api_key: first-key-1234, context_length: 128000 }
  p2: { base_url: "${two.url}", api_key: second-key-5678, context_length: 64000, models: { m3: {} } }
fallback_providers:
  - { provider: p1, model: m1 }
  - { provider: p2, model: m2 }
${more}`,
  });
  return { one, two, waits, world, session: await world.open() };
}

async function served(t: TestContext, replies: readonly Reply[]): Promise<ModelServer> {
  const server = await startModelServer({ script: { replies }, auxiliary: false });
  t.after(() => server.close());
  return server;
}

const seen = ({ events }: Said, name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);

test("C08: a rate limit of the primary is answered by the fallback without any wait, and told", async (t) => {
  const { one, two, waits, world, session } = await setup(t, [{ status: 429, headers: { "retry-after": "30" } }]);
  const said = await world.say(session, "hi");
  assert.equal(said.result.final_response, "from the second");
  assert.deepEqual([said.result.model, said.result.provider, said.result.context_window], ["m2", "p2", 64_000]);
  assert.deepEqual(waits, []); // the 30 s that the primary asks for are waited by no one
  assert.deepEqual([one.chats().length, two.chats().length], [1, 1]);
  const change = { from: { provider: "p1", model: "m1" }, to: { provider: "p2", model: "m2" }, cause: "rate_limit" };
  assert.deepEqual(seen(said, "fallback"), [change]);
  const notices = seen(said, "notice").map(({ text }) => text);
  assert.deepEqual(notices, ["p1 failed (rate_limit), switching to m2 via p2"]);
});

test("a one-shot tells the change of provider on standard error, and only the answer on standard output", async (t) => {
  const { world } = await setup(t, [{ status: 429 }]);
  const { code, out, err } = await world.run("-z", "hi");
  assert.deepEqual([code, out], [0, "from the second\n"]);
  assert.match(err, /^agent: p1 failed \(rate_limit\), switching to m2 via p2$/m);
});

test("each provider gets its own key and model, and the same conversation", async (t) => {
  const { one, two, world, session } = await setup(t, [{ status: 402 }]);
  await world.say(session, "hi");
  const a = one.chats()[0];
  const b = two.chats()[0];
  assert.deepEqual(
    [a?.headers["authorization"], b?.headers["authorization"]],
    ["Bearer first-key-1234", "Bearer second-key-5678"],
  );
  assert.deepEqual([a?.body?.model, b?.body?.model], ["m1", "m2"]);
  assert.deepEqual(a?.body?.messages, b?.body?.messages);
});

const CAUSES: readonly (readonly [name: string, replies: readonly Reply[], cause: string, requests: number])[] = [
  ["a key that is refused", [{ status: 401 }], "auth", 1],
  ["an account without credit", [{ status: 402 }], "billing", 1],
  [
    "a model that is not there",
    [{ status: 404, body: { error: { message: "model not found" } } }],
    "model_not_found",
    1,
  ],
  [
    "a request that is rejected",
    [{ status: 400, body: { error: { message: "Unknown parameter: tools" } } }],
    "format_error",
    1,
  ],
  ["a server that fails", [{ status: 500 }], "server_error", 1],
  ["a stream with nothing in it", [{ body: "" }], "empty_stream", 1],
  ["a refusal", [{ text: "I cannot.", finish: "content_filter" }], "content_policy_blocked", 1],
  ["four empty answers", [{ text: "" }], "empty_response", 4],
];

for (const [name, replies, cause, requests] of CAUSES) {
  test(`the fallback answers after ${name}`, async (t) => {
    const { one, world, session } = await setup(t, replies);
    const said = await world.say(session, "hi");
    assert.equal(said.result.final_response, "from the second");
    assert.equal(said.result.failed, false);
    assert.equal(one.chats().length, requests);
    assert.deepEqual(
      seen(said, "fallback").map((data) => data["cause"]),
      [cause],
    );
  });
}

test("after a rate limit the next turn starts on the fallback, and a later one on the primary again", async (t) => {
  const { one, two, world, session } = await setup(t, [
    { status: 429, headers: { "retry-after": "1" } },
    { text: "first again" },
  ]);
  await world.say(session, "one");
  const held = await world.say(session, "two");
  assert.equal(held.result.final_response, "from the second");
  assert.deepEqual([one.chats().length, two.chats().length], [1, 2]);
  assert.equal(seen(held, "fallback").length, 1);
});

test("after any other failure the next turn starts on the primary", async (t) => {
  const { one, world, session } = await setup(t, [{ status: 500 }, { text: "first again" }]);
  await world.say(session, "one");
  const next = await world.say(session, "two");
  assert.equal(next.result.final_response, "first again");
  assert.deepEqual([one.chats().length, next.result.model], [2, "m1"]);
  assert.equal((await world.chat.get(session.id))?.model, "m1");
});

test("when everybody fails the error tells each of them with its class", async (t) => {
  const { world, session } = await setup(
    t,
    [{ status: 500 }],
    [{ status: 401 }],
    "  - { provider: nowhere, model: m9 }\n",
  );
  const { result } = await world.say(session, "hi");
  assert.deepEqual([result.failed, result.error?.class], [true, "auth"]);
  assert.match(
    result.error?.hint ?? "",
    /Tried: m1 via p1 \(server_error\), m2 via p2 \(auth\), m9 via nowhere \(unknown provider/,
  );
});

test("without a chain a failure says how to make one", async (t) => {
  const { url } = await served(t, [{ status: 402 }]);
  const world = await chatWorld(t, {
    config: `model: { provider: custom, base_url: "${url}", default: m, context_length: 64000 }\n`,
  });
  const { result } = await world.say(await world.open(), "hi");
  assert.match(result.error?.hint ?? "", /agent fallback add/);
});

test("in the middle of a turn the fallback goes on with what was done", async (t) => {
  const call = { name: "write_file", arguments: { path: "a.txt", content: "x" }, id: "call_a" };
  const { two, world, session } = await setup(t, [{ tool_calls: [call] }, { status: 402 }]);
  const { result } = await world.say(session, "write it");
  assert.equal(result.final_response, "from the second");
  assert.deepEqual(
    two.chats()[0]?.body?.messages.map(({ role }) => role),
    ["system", "user", "assistant", "tool"],
  );
});
