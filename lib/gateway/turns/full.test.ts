import assert from "node:assert/strict";
import { test } from "node:test";
import { askedOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);
/** The first turn waits for `go`; every other says what it was asked. */
const first: ScriptProgram = (request, turn) =>
  turn === 0 ? { text: "FIRST", hold: "go" } : { text: `said ${askedOf(request)}` };

test("GW-32: of 33 messages that wait in mode queue the last is refused visibly, and 32 are answered in order", async (t) => {
  const world = await chatGateway(t, {
    script: first,
    env: { AGENT_GATEWAY_BUSY_INPUT_MODE: "queue", AGENT_GATEWAY_BUSY_ACK_ENABLED: "false" },
  });
  await world.say("0", "zero");
  await world.owner.model.arrived(1);
  for (let at = 1; at <= 33; at++) await world.say(String(at), `m${at}`);
  assert.match(texts(await world.shown(1))[0] ?? "", /Too many messages are waiting/);
  assert.equal(await world.state("33"), "refused");
  world.owner.model.release("go");
  const seen = texts(await world.shown(34)).slice(1);
  assert.deepEqual(seen, ["FIRST", ...Array.from({ length: 32 }, (_, at) => `said m${at + 1}`)]);
});
