import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";

/** The quiet times of the platform itself. */
const OWN_TIMES = { MSGX_BATCH_DELAY_MS: "", AGENT_GATEWAY_BUSY_ACK_ENABLED: "false" };

test("GW-121: the same word twice, half a minute apart, is two turns; in quick succession it is one", async (t) => {
  const clock = manualClock();
  const world = await chatGateway(t, {
    script: (_, turn) => ({ text: `T${turn}` }),
    tag: "msgx",
    clock,
    env: OWN_TIMES,
  });
  /** Time goes on until the message has its turn, and stands still while that is worked. */
  const answered = async (event: string, count: number) => {
    while (["received", "waiting"].includes((await world.state(event)) ?? "")) clock.advance(100);
    const seen = (await world.shown(count)).map(({ text }) => text);
    while ((await world.owner.app.gateway.outbox({})).length > 0) await new Promise(setImmediate); // what the platform took is known
    return seen;
  };
  await world.say("1", "ok");
  assert.deepEqual(await answered("1", 1), ["T0"]);
  clock.advance(30_000);
  await world.say("2", "ok");
  assert.deepEqual(await answered("2", 2), ["T0", "T1"]);
  clock.advance(30_000);
  await world.say("3", "ok");
  await world.say("4", "ok");
  assert.deepEqual(await answered("4", 3), ["T0", "T1", "T2"]);
  while ((await world.state("4")) !== "answered") await new Promise(setImmediate);
  const [session] = await world.owner.chat.list({ source: "msgx" });
  assert.ok(session);
  const said = (await world.owner.messages(session.id))
    .filter(({ role }) => role === "user")
    .map(({ content }) => content);
  assert.deepEqual(said, ["ok", "ok", "ok\nok"]);
});
