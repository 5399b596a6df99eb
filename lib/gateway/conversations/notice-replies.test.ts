import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { BoardSlug } from "../../base/units.js";

const DEFAULT = "default" as BoardSlug;
const USER = { kind: "human", name: "user" } as const;

test("an answer to the notice of a blocked task is its comment, and the task goes on; no turn is begun", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "A TURN" }] });
  const { app, model } = world.owner;
  const { deliverer } = await app.boards();
  await deliverer.start();
  t.after(() => deliverer.stop(0));
  const { task } = await app.board.create(DEFAULT, { title: "one" }, USER);
  await app.board.subscribe(DEFAULT, { platform: "msgt", chat_id: "c1", task: task.id }, USER);
  await app.board.block(DEFAULT, task.id, { reason: "which one?" }, USER);
  const [notice] = await world.shown(1);
  assert.match(notice?.text ?? "", /blocked: which one\?/);
  await world.deliver({ ...simMessage("msgt", "1", "the blue one"), replyToMessageId: `m-${notice?.row}` });
  const [, answer] = await world.shown(2);
  assert.equal(answer?.text, `✍ Added to ${task.id}, which continues now.`);
  const seen = await app.board.show(DEFAULT, task.id);
  assert.deepEqual(
    [seen.comments.at(-1)?.text, seen.comments.at(-1)?.author, seen.task.status],
    ["the blue one", "u-c1", "ready"],
  );
  assert.equal(model.requests.length, 0);
  await world.deliver({ ...simMessage("msgt", "2", "hello"), replyToMessageId: "m-other" });
  assert.equal((await world.shown(3))[2]?.text, "A TURN");
});
