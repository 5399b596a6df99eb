import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { refused } from "../../../fixtures/servers/msgt/server.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { type MsgtWorldOptions, msgtWorld } from "../../../fixtures/worlds/msgt-world.js";
import type { TurnPhase } from "../../../lib/contracts/gateway/platform.js";

const { signal } = new AbortController();

async function connected(t: TestContext, options: MsgtWorldOptions = {}) {
  const world = await msgtWorld(t, options);
  await world.reaches("connected");
  return world;
}

const plain = simMessage("msgt", "1", "hi");
const EVENT = { ...plain, source: { ...plain.source, chatId: "42", messageId: "5" } };
const PHASES: readonly (readonly [phase: TurnPhase, shown: string])[] = [
  ["begun", "👀"],
  ["answered", "👍"],
  ["failed", "👎"],
  ["stopped", ""],
];

for (const [phase, shown] of PHASES) {
  test(`a message whose turn is ${phase} shows "${shown}" where reactions are on`, async (t) => {
    const { platform, server } = await connected(t, { env: { MSGT_REACTIONS: "true" } });
    await platform.onTurn?.(EVENT, phase, signal);
    assert.deepEqual([...server.state.reactions], [["42/5", shown]]);
  });
}

test("without the setting nothing is shown, and a reaction that fails is no error", async (t) => {
  const { platform, server } = await connected(t);
  await platform.onTurn?.(EVENT, "begun", signal);
  assert.equal(server.of("setMessageReaction").length, 0);
  server.next("setMessageReaction", refused(400, "Bad Request: REACTION_INVALID"));
  assert.equal((await platform.react?.("42", "5", { emoji: "x", on: true }, signal))?.result, "refused");
  assert.equal((await platform.react?.("42", "5", { emoji: "👍", on: false }, signal))?.result, "sent");
});

test("a draft is a preview in its topic and no message", async (t) => {
  const { platform, server } = await connected(t);
  assert.equal((await platform.draft?.({ chatId: "42", threadId: "7" }, 3, "so far", signal))?.result, "sent");
  assert.deepEqual(
    server.of("sendMessageDraft").map(({ params }) => params),
    [{ chat_id: "42", message_thread_id: 7, draft_id: 3, text: "so far" }],
  );
  assert.equal(server.shown.length, 0);
});
