import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { askedOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);
/** The first turn waits for `go`; every other says what it was asked. */
const first: ScriptProgram = (request, turn) =>
  turn === 0 ? { text: "FIRST", hold: "go" } : { text: `said ${askedOf(request)}` };
const NO_GRACE = { AGENT_MSGT_FOLLOWUP_GRACE_SECONDS: "0" };

test("GW-16: a text while a turn runs ends the turn, and is answered next", async (t) => {
  const world = await chatGateway(t, { script: first, env: NO_GRACE });
  await world.say("1", "one");
  await world.owner.model.arrived(1);
  await world.say("2", "two");
  const seen = texts(await world.shown(2));
  assert.match(seen[0] ?? "", /^⚡ Interrupting/);
  assert.match(seen[1] ?? "", /two$/);
  assert.equal(await world.state("1"), "answered");
});

test("the first acknowledgement ever says how the modes are chosen, and no chat gets a second one within half a minute", async (t) => {
  const clock = manualClock();
  const world = await chatGateway(t, {
    script: (_, turn) => ({ text: `T${turn}`, hold: "go" }),
    clock,
    config: "display:\n  busy_input_mode: queue\n",
    env: NO_GRACE,
  });
  await world.say("1", "one");
  await world.owner.model.arrived(1);
  await world.say("2", "two");
  assert.match(texts(await world.shown(1))[0] ?? "", /^⏳ Queued[\s\S]*busy_input_mode/);
  await world.say("3", "three");
  clock.advance(30_000);
  await world.say("4", "four");
  assert.match(texts(await world.shown(2))[1] ?? "", /^⏳ Queued[^\n]*$/);
  assert.equal(world.platform.ledger.length, 2);
});

test("several texts that interrupt are one next message, and pictures do not interrupt", async (t) => {
  proves(t, "config.display.busy-ack");
  const world = await chatGateway(t, { script: first, env: NO_GRACE, config: "display:\n  busy_ack_enabled: false\n" });
  await world.say("1", "one");
  await world.owner.model.arrived(1);
  const photo = { ...simMessage("msgt", "2", "a picture"), type: "photo" as const };
  await world.deliver(photo);
  await world.say("3", "and this");
  assert.match(texts(await world.shown(1))[0] ?? "", /one\s+a picture\nand this$/);
});

test("a text right after the beginning of a turn waits silently, and what comes then is joined to it", async (t) => {
  const clock = manualClock();
  const world = await chatGateway(t, { script: first, clock });
  await world.say("1", "one");
  await world.owner.model.arrived(1);
  clock.advance(2_900);
  await world.say("2", "two");
  await world.say("3", "three");
  while ((await world.state("3")) !== "waiting") await new Promise(setImmediate);
  assert.equal(world.platform.ledger.length, 0);
  world.owner.model.release("go");
  assert.deepEqual(texts(await world.shown(2)), ["FIRST", "said two\nthree"]);
});

test("GW-19: a command that needs rest is refused while a turn runs, with what to do", async (t) => {
  const world = await chatGateway(t, { script: first });
  await world.say("1", "one");
  await world.owner.model.arrived(1);
  await world.say("2", "/model x");
  assert.match(texts(await world.shown(1))[0] ?? "", /wait, or run \/stop/);
  world.owner.model.release("go");
  assert.equal(texts(await world.shown(2))[1], "FIRST");
});

test("/queue waits for its turn without ending the one that runs, and says how many wait", async (t) => {
  const world = await chatGateway(t, { script: first });
  await world.say("1", "one");
  await world.owner.model.arrived(1);
  await world.say("2", "/queue later this");
  await world.say("3", "/q and that");
  const [one, two] = texts(await world.shown(2));
  assert.equal(one, "⏳ Queued.");
  assert.equal(two, "⏳ Queued: 2 wait.");
  world.owner.model.release("go");
  assert.deepEqual(texts(await world.shown(5)).slice(2), ["FIRST", "said later this", "said and that"]);
});

test("/queue and /steer are ordinary messages while nothing runs", async (t) => {
  const world = await chatGateway(t, { script: (request) => ({ text: `said ${askedOf(request)}` }) });
  await world.say("1", "/queue one");
  await world.say("2", "/steer two");
  assert.deepEqual(texts(await world.shown(2)).toSorted(), ["said one", "said two"]);
});

test("/steer goes into the run with its next tool result, and is reported with a preview", async (t) => {
  const world = await chatGateway(t, {
    script: (request, turn) => {
      if (turn === 0) return { tool_calls: [{ name: "todo", arguments: {} }], hold: "go" };
      return { text: JSON.stringify(request.messages).includes("use the blue one") ? "STEERED" : "LOST" };
    },
  });
  await world.say("1", "one");
  await world.owner.model.arrived(1);
  await world.say("2", "/steer use the blue one");
  assert.equal(texts(await world.shown(1))[0], "⏩ Steered: use the blue one");
  world.owner.model.release("go");
  assert.equal(texts(await world.shown(2))[1], "STEERED");
});
