import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { QueueItem, QueueState } from "../../contracts/chat/queue.js";

test("what waited and what was said to the turn is there after its owner was killed, and nothing is there twice", async (t) => {
  const script = (_request: unknown, turn: number) => (turn === 0 ? { hold: "never" } : { text: "heard" });
  const made = await world(t, { model: { script }, name: "any" });
  const first = await made.owner();
  const client = made.client();
  t.after(() => client.close());
  const { id } = await client.call<{ id: string }>("session.create", { cwd: made.work, source: "workspace" });
  await client.call("turn.submit", { session_id: id, text: "go" }, { key: "go" });
  await made.model.arrived(1);
  const submit = (text: string) =>
    client.call<{ queued: QueueItem }>("turn.submit", { session_id: id, text }, { key: text });
  const one = await submit("one");
  const two = await submit("two");
  await client.call("queue.move", { session_id: id, item: two.queued.id, before: one.queued.id });
  await client.call("turn.steer", { session_id: id, text: "said to the turn" }, { key: "steer" });
  await first.end("SIGKILL");
  await made.owner();
  const { items, paused } = await client.call<QueueState>("queue.list", { session_id: id });
  assert.deepEqual([items.map(({ text }) => text), paused], [["said to the turn", "two", "one"], false]);
  const again = await submit("one");
  assert.deepEqual(again.queued.id, one.queued.id, "asked for again it is the same message");
  assert.equal(made.model.chats().length, 1, "nothing begins before somebody looks");
  await client.call("session.resume", { session_id: id, cwd: made.work, source: "workspace" });
  await made.model.arrived(4);
  const said = made.model.chats().map(({ body }) => String(body?.messages.at(-1)?.content).split("\n\n").at(-1));
  assert.deepEqual(said, ["go", "said to the turn", "two", "one"]);
});
