import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { CONFIRM_RESET } from "../../commands/command-keys.js";

type World = Awaited<ReturnType<typeof chatGateway>>;

/** The chat is asked whether a running turn is to be left. @returns data of the buttons */
async function asked(world: World): Promise<readonly string[]> {
  await world.say("1", "work");
  await world.owner.model.arrived(1);
  await world.say("2", "/new plan");
  await world.shown(1);
  const store = await world.owner.app.stores.state();
  const rows = await store.read((q) => q.all<{ payload: string }>("SELECT payload FROM outbox"));
  const { extra } = JSON.parse(rows[0]?.payload ?? "{}") as { extra?: { buttons?: { data: string }[][] } }; // the row that was just stored
  return (extra?.buttons ?? []).flat().map(({ data }) => data);
}

function press(world: World, eventId: string, data: string, user = "u-c1") {
  const one = simMessage("msgt", eventId, data);
  const replyGrant = { token: `grant-${eventId}`, expiresAt: null };
  return world.deliver({
    ...one,
    kind: "button",
    replyGrant,
    source: { ...one.source, userId: user, userName: "Ann", messageId: "7" },
  });
}

const LATE = [{ text: "LATE", hold: "model" }, { text: "FRESH" }];

test("/new in a running turn asks with buttons; cancelled, the turn goes on", async (t) => {
  const world = await chatGateway(t, { script: LATE });
  const [once, always, cancel = ""] = await asked(world);
  assert.match([once, always, cancel].join(" "), /^sc:once:[0-9a-f]+ sc:always:[0-9a-f]+ sc:cancel:[0-9a-f]+$/);
  await press(world, "3", cancel);
  assert.deepEqual(
    (await world.shown(4)).slice(1).map(({ text }) => text),
    ["", world.platform.ledger[2]?.text, "Nothing was changed."],
  );
  assert.match(world.platform.ledger[2]?.text ?? "", /cancelled, by Ann$/);
  world.owner.model.release("model");
  assert.equal((await world.shown(5))[4]?.text, "LATE");
  assert.equal((await world.owner.chat.list({})).length, 1);
});

test("confirmed once, a new conversation begins; a second press and that of someone else change nothing", async (t) => {
  const world = await chatGateway(t, { script: LATE });
  const [once = ""] = await asked(world);
  await press(world, "3", once, "u-c2");
  assert.match((await world.shown(2))[1]?.text ?? "", /^⛔/);
  await press(world, "4", once);
  assert.match((await world.shown(5))[4]?.text ?? "", /^New conversation .* "plan"/);
  await press(world, "5", once);
  assert.match((await world.shown(6))[5]?.text ?? "", /already resolved/);
  await world.say("6", "hello");
  assert.equal((await world.shown(7))[6]?.text, "FRESH");
  assert.equal(world.owner.app.options.config.get(CONFIRM_RESET), true);
});

test("where there are no buttons /approve and /deny answer, and always asks never again", async (t) => {
  const world = await chatGateway(t, { script: LATE, tag: "msgx" });
  assert.deepEqual(await asked(world), []);
  assert.match(
    world.platform.ledger[0]?.text ?? "",
    /\/approve confirms, \/approve always does not ask again, \/deny cancels/,
  );
  await world.say("3", "/approve always");
  assert.match((await world.shown(2))[1]?.text ?? "", /^New conversation/);
  await world.owner.app.options.config.reload();
  assert.equal(world.owner.app.options.config.get(CONFIRM_RESET), false);
});

test("what is for another bot, a greeting and a stranger's command lead to nothing; words for commands are commands", async (t) => {
  const world = await chatGateway(t, { script: [], config: "reset_triggers: [again from the start]\n" });
  await world.say("1", "/status@other_bot");
  await world.say("2", "/start");
  await world.say("3", "/status", "c9");
  await world.say("4", "Again from the start plan b");
  assert.match((await world.shown(1))[0]?.text ?? "", /^New conversation .* "plan b"/);
  assert.deepEqual(
    [await world.state("1"), await world.state("2"), await world.state("3")],
    ["ignored", "ignored", "refused"],
  );
  assert.equal(world.platform.calls.length, 1);
});

test("GW-13: a stranger in a group gets nothing, whatever is sent, and the model is not called", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }], env: { MSGT_ALLOWED_USERS: "" } });
  for (const [eventId, text, kind] of [
    ["1", "hi", "message"],
    ["2", "/status", "command"],
    ["3", "👍", "reaction"],
  ] as const) {
    const one = simMessage("msgt", eventId, text, "-5");
    await world.deliver({ ...one, kind, source: { ...one.source, chatType: "group" } });
  }
  await world.say("4", "hello");
  assert.match((await world.shown(1))[0]?.text ?? "", /pairing approve/);
  assert.deepEqual([world.platform.calls.length, world.owner.model.requests.length], [1, 0]);
});
