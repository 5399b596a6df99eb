import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../fixtures/e2e/world.js";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { workerHome } from "../../fixtures/worlds/worker-home.js";
import { AppError } from "../base/errors.js";
import type { MessageRecord, SessionRecord } from "../contracts/chat/chat.js";

const USAGE = { prompt_tokens: 100, completion_tokens: 20 };
const create: Reply = {
  tool_calls: [{ name: "kanban_create", arguments: { title: "more", assignee: "nobody" } }],
  usage: USAGE,
};
const run: Reply = { tool_calls: [{ name: "terminal", arguments: { command: "echo one" } }], usage: USAGE };
const complete: Reply = { tool_calls: [{ name: "kanban_complete", arguments: { summary: "done" } }], usage: USAGE };
const block: Reply = { tool_calls: [{ name: "kanban_block", arguments: { reason: "wait" } }], usage: USAGE };

/** Where the owner of a worker is killed: before or after the effect of the worker's n-th call of a method, always before the answer. */
const say: Reply = { tool_calls: [{ name: "kanban_comment", arguments: { text: "half way" } }], usage: USAGE };

const kills: { point: string; replies: readonly Reply[]; status?: string }[] = [
  ...[
    "worker.context:1",
    "transcript.begin:1",
    "worker.spend:1",
    "transcript.append:1",
    "transcript.append:2",
    "transcript.event:1",
  ].map((of) => ({ point: `request.done/${of}`, replies: [run, complete] })),
  { point: "request.noted/worker.tool:1", replies: [run, complete] },
  { point: "request.done/worker.tool:1", replies: [create, complete] },
  { point: "request.done/worker.tool:1", replies: [say, complete] },
  { point: "request.done/worker.tool:1", replies: [run, complete] },
  { point: "request.done/worker.tool:1", replies: [run, block], status: "blocked" },
];

for (const { point, replies, status = "done" } of kills) {
  const last = replies.at(-1) === block ? "block" : "complete";
  const first = replies[0] === create ? "creates" : replies[0] === say ? "comments" : "runs";
  test(`an owner killed at ${point} of a worker that ${first} and ${last}s: nothing is done twice`, {
    timeout: 300_000,
  }, async (t) => {
    const server = await startModelServer({ script: { pick: "history", replies } });
    t.after(() => server.close());
    const model = `model:\n  default: scripted\n  base_url: ${server.url}\n  api_key: sk-test\nsecurity:\n  allow_private_urls: true\n`;
    const home = workerHome(t, `${model}kanban:\n  worker_can_create: "true"\n`);
    const id = await home.create("one", "do it");
    const killed = await home.owner(point);
    assert.equal((await killed.exited).signal, "SIGKILL");
    await home.owner();
    const { task, runs } = await home.task(id, (facts) => facts.runs[0]?.outcome != null);
    assert.deepEqual([task.status, runs.length], [status, 1], JSON.stringify(runs));
    const all = JSON.parse(await home.cli("kanban", "list", "--json"));
    assert.equal(all.filter((one: { title: string }) => one.title === "more").length, replies.includes(create) ? 1 : 0);
    const { comments } = JSON.parse(await home.cli("kanban", "show", id, "--json"));
    assert.equal(comments.length, replies.includes(say) ? 1 : 0);
    // No one knows whether a comment was stored: the model is told so, and decides.
    const results = JSON.stringify(
      server
        .chats()
        .at(-1)
        ?.body?.messages.filter((message) => message.role === "tool"),
    );
    assert.equal(results.includes("E_OUTCOME_UNKNOWN"), replies.includes(say));
    assert.equal(runs[0]?.usage?.input_tokens, 100 * replies.length, "each request is counted once");
    assert.equal(server.chats().length, replies.length, "no request is made again");
  });
}

/** A client that has the answer of `turn.submit` taken away by the death of its owner. */
async function submitted(t: Parameters<typeof world>[0], point: string) {
  const home = await world(t, { model: {}, faults: true });
  const dying = await home.owner({ AGENT_FAULT: point });
  const client = home.client();
  const session = await client.call<SessionRecord>("session.create", { source: "cli", cwd: home.work });
  const sent = client
    .call("turn.submit", { session_id: session.id, text: "hello" }, { key: "mine" })
    .catch((error: unknown) => error);
  await dying.ended;
  await home.owner();
  const answer = await sent;
  const messages = () => client.call<readonly MessageRecord[]>("session.messages", { session_id: session.id });
  return { client, session, answer, messages };
}

for (const point of ["request.noted/turn.submit:1", "request.done/turn.submit:1"]) {
  test(`a message whose owner was killed at ${point} is in the conversation once, and whoever asks again gets its turn`, async (t) => {
    const { client, session, answer, messages } = await submitted(t, point);
    const turn = `${session.id}:1`;
    assert.deepEqual(answer, { turn_id: turn });
    assert.deepEqual(await client.call("turn.submit", { session_id: session.id, text: "hello" }, { key: "mine" }), {
      turn_id: turn,
    });
    const other = client.call("turn.submit", { session_id: session.id, text: "bye" }, { key: "mine" });
    await assert.rejects(other, { code: "E_CONFLICT" });
    const users = (await messages()).filter((message) => message.role === "user");
    assert.deepEqual(
      users.map(({ content }) => content),
      ["hello"],
    );
  });
}

test("a session whose owner was killed while it was made is not made a second time: no one knows, and that is said", async (t) => {
  const home = await world(t, { model: {}, faults: true });
  const dying = await home.owner({ AGENT_FAULT: "request.done/session.create:1" });
  const client = home.client();
  const sent = client
    .call("session.create", { source: "cli", cwd: home.work }, { key: "mine" })
    .catch((error: unknown) => error);
  await dying.ended;
  await home.owner();
  const answer = await sent;
  assert.ok(answer instanceof AppError);
  assert.deepEqual([answer.code, /session\.create/.test(answer.message)], ["E_OUTCOME_UNKNOWN", true]);
  assert.equal((await client.call<readonly unknown[]>("session.list", {})).length, 1);
});

test("a request that failed may be sent again with its key, and an answered one gets its answer from the next owner too", async (t) => {
  const home = await world(t, { model: {} });
  const first = await home.owner();
  const client = home.client();
  await assert.rejects(client.call("kanban.create", { title: "" }, { key: "k1" }), { code: "E_INVALID" });
  const made = await client.call<{ id: string }>("kanban.create", { title: "one", assignee: "nobody" }, { key: "k2" });
  process.kill(first.pid, "SIGKILL");
  await first.ended;
  await home.owner();
  await assert.rejects(client.call("kanban.create", { title: "" }, { key: "k1" }), { code: "E_INVALID" });
  const again = await client.call<{ id: string }>("kanban.create", { title: "one", assignee: "nobody" }, { key: "k2" });
  assert.equal(again.id, made.id);
  assert.equal((await client.call<readonly unknown[]>("kanban.list", {})).length, 1);
});
