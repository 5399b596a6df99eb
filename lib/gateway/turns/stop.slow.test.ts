import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { aborted } from "../../base/async/aborted.js";
import type { InboundMedia } from "../../contracts/board/platform-tag.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);

test("GW-18: /stop ends a turn whose model never answers, waits for no timer, and the next message is answered", async (t) => {
  const clock = manualClock(); // it stands still: whatever waited for it would never come
  const world = await chatGateway(t, { script: [{ text: "NEVER", hold: "never" }, { text: "PONG" }], clock });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  await world.say("2", "/stop");
  assert.match((await world.shown(1))[0]?.text ?? "", /^⚡/);
  await world.say("3", "hi");
  assert.deepEqual(texts((await world.shown(2)).slice(1)), ["PONG"]);
  assert.equal(await world.state("1"), "answered");
  world.owner.model.release("never");
  await world.say("4", "/title after");
  assert.deepEqual(
    texts(await world.shown(3)).filter((text) => text.includes("NEVER")),
    [],
    "nothing of a stopped turn is sent, also when its model answers after all",
  );
});

test("after /stop of a turn without output the model is told that it was stopped, and does not get both messages as one wish", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "NEVER", hold: "never" }, { text: "PONG" }] });
  await world.say("1", "delete the old logs");
  await world.owner.model.arrived(1);
  await world.say("2", "/stop");
  await world.shown(1);
  await world.say("3", "hi");
  await world.shown(2);
  const asked = JSON.stringify(world.owner.model.chats().at(-1)?.body);
  assert.match(asked, /delete the old logs[^{}]*was stopped before there was any output[^{}]*hi/);
});

test("/stop is answered while the store of conversations is kept busy by others", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "NEVER", hold: "never" }] });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  const sessions = await world.owner.app.stores.sessions();
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let began: () => void = () => undefined;
  const kept = new Promise<void>((resolve) => {
    began = resolve;
  });
  const busy = sessions.write("kept busy", () => {
    began();
    return held;
  });
  await kept;
  await world.say("2", "/stop");
  assert.match((await world.shown(1))[0]?.text ?? "", /^⚡/);
  release();
  await busy;
});

/** A promise that the test resolves. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const picture: InboundMedia = { kind: "image", mime: "image/png", name: "cat.png", size: null, ref: "png" };

/** A chat on a platform whose first picture never comes; `fetching` resolves when it is asked for, `gone` when no one waits for it any more. */
async function withoutPicture(t: TestContext) {
  const fetching = gate();
  const gone = gate();
  const fetchMedia = async (_media: InboundMedia, signal: AbortSignal) => {
    fetching.open();
    await aborted(signal);
    gone.open();
    throw signal.reason;
  };
  const world = await chatGateway(t, { script: [{ text: "PONG" }], platform: { fetchMedia } });
  await world.deliver({ ...simMessage("msgt", "1", "what is it?"), media: [picture] });
  await fetching.opened;
  return { world, gone: gone.opened };
}

for (const [command, answer] of [
  ["/stop", /^⚡ Stopped\.$/],
  ["/new", /^New conversation /],
  ["/clear", /^New conversation /],
] as const) {
  test(`${command} ends a turn whose picture is still being fetched: it asks no model, and the next message is answered`, async (t) => {
    const { world, gone } = await withoutPicture(t);
    await world.say("2", command);
    assert.match((await world.shown(1))[0]?.text ?? "", answer);
    await gone;
    await world.say("3", "hi");
    assert.deepEqual(texts((await world.shown(2)).slice(1)), ["PONG"]);
    assert.deepEqual([await world.state("1"), world.owner.model.chats().length], ["answered", 1]);
    const sessions = await world.owner.chat.list({ source: "msgt" });
    const said = await Promise.all(sessions.map(({ id }) => world.owner.messages(id)));
    assert.deepEqual(
      said.flat().map(({ content }) => content),
      ["hi", "PONG"],
    );
  });
}

for (const command of ["/stop", "/new --yes"]) {
  test(`${command} ends a turn whose conversation is still being made smaller, and what makes it smaller`, async (t) => {
    const config = "compression:\n  hygiene_hard_message_limit: 10\n";
    const auxiliary = [{ text: "A title" }, { text: "SUMMARY", hold: "never" }, { text: "SUMMARY" }];
    const world = await chatGateway(t, { script: { replies: [{ text: "PONG" }], auxiliary }, config });
    for (let n = 1; n <= 5; n++) {
      await world.say(`${n}`, `message ${n}`);
      await world.shown(n);
      await world.owner.model.asked(1); // its title
    }
    await world.say("6", "one too many");
    await world.owner.model.asked(2);
    await world.say("7", command);
    await world.shown(6);
    await world.say("8", "hi");
    assert.equal(texts(await world.shown(7))[6], "PONG");
    assert.equal(await world.state("6"), "answered");
    assert.equal(world.owner.model.chats().length, 6);
  });
}

test("/stop ends a turn of which not even the first sign is shown yet, and that sign says so when it is", async (t) => {
  const showing = gate();
  const held = gate();
  const placeholder = async () => {
    showing.open();
    await held.opened;
    return { result: "sent", messageId: "m1" } as const;
  };
  const world = await chatGateway(t, { script: [{ text: "PONG" }], platform: { placeholder } });
  await world.say("1", "ping");
  await showing.opened;
  await world.say("2", "/stop");
  assert.deepEqual(texts(await world.shown(1)), ["⚡ Stopped."]);
  held.open();
  assert.equal((await world.shown(2))[1]?.text, "(interrupted)");
  assert.equal(world.owner.model.chats().length, 0);
});

test("GW-18: nothing that waits of a turn is sent after /stop", async (t) => {
  const said = { text: "Let me look.", tool_calls: [{ name: "todo", arguments: {} }] };
  const world = await chatGateway(t, { script: [said, { text: "NEVER", hold: "never" }, { text: "PONG" }] });
  world.platform.fate = ({ payload }) => (payload.text.startsWith("Let me") ? "unsent" : "taken");
  await world.say("1", "ping");
  await world.owner.model.arrived(2);
  await world.say("2", "/stop");
  await world.shown(1);
  world.platform.fate = () => "taken";
  await world.say("3", "hi");
  assert.deepEqual(texts((await world.shown(2)).slice(1)), ["PONG"]);
  assert.equal(
    world.platform.ledger.some(({ text }) => text.startsWith("Let me")),
    false,
  );
});

test("messages that wait in the session stay when the turn is stopped, and run next", async (t) => {
  const config = "display:\n  busy_input_mode: queue\n  busy_ack_enabled: false\n";
  const world = await chatGateway(t, { script: [{ text: "NEVER", hold: "never" }, { text: "TWO" }], config });
  await world.say("1", "one");
  await world.owner.model.arrived(1);
  await world.say("2", "two");
  await world.say("3", "/stop");
  assert.deepEqual(
    texts(await world.shown(2))
      .toSorted()
      .slice(0, 1),
    ["TWO"],
  );
});

test("/stop without a turn says that nothing runs", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }] });
  await world.say("1", "/stop");
  assert.match(texts(await world.shown(1))[0] ?? "", /^⚡ Nothing was running/);
});

test("GW-20: a model that does not answer in time is told once with the limit, and the next message is answered", async (t) => {
  const clock = manualClock();
  const script = [{ text: "NEVER", hold: "never" }, { text: "PONG" }];
  const world = await chatGateway(t, { script, clock, config: "gateway:\n  request_deadline_seconds: 10\n" });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  while (world.platform.ledger.length === 0) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  assert.match(texts(await world.shown(1))[0] ?? "", /^⚠️ The model did not respond within 10 s/);
  await world.say("2", "again");
  assert.deepEqual(texts(await world.shown(2)).slice(1), ["PONG"]);
  assert.equal(await world.state("1"), "failed");
});

test("GW-20: a model server that fails and is asked again and again ends at the limit as well", async (t) => {
  const clock = manualClock();
  const failing = { status: 503, body: { error: { message: "overloaded" } }, headers: { "retry-after": "1" } };
  let fails = true;
  const world = await chatGateway(t, {
    script: () => (fails ? failing : { text: "PONG" }),
    clock,
    config: "gateway:\n  request_deadline_seconds: 10\nagent:\n  api_max_retries: 20\n",
  });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  const begun = clock.mono();
  while (world.platform.ledger.length === 0) {
    clock.advance(1_000);
    await new Promise(setImmediate);
  }
  assert.match(texts(await world.shown(1))[0] ?? "", /^⚠️ The model did not respond within 10 s/);
  assert.ok(clock.mono() - begun >= 10_000);
  fails = false;
  await world.say("2", "again");
  assert.deepEqual(texts(await world.shown(2)).slice(1), ["PONG"]);
  assert.equal(world.platform.ledger.length, 2);
});

test("a turn that takes too long is stopped, and the chat is told the limit and what ran", async (t) => {
  const clock = manualClock();
  const world = await chatGateway(t, {
    script: [{ text: "NEVER", hold: "never" }],
    clock,
    config: "gateway:\n  turn_deadline_seconds: 60\n",
  });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  while (world.platform.ledger.length === 0) {
    clock.advance(10_000);
    await new Promise(setImmediate);
  }
  assert.match(
    texts(await world.shown(1))[0] ?? "",
    /^⚠️ The turn was stopped after 60 s \(running: waiting for the model\)/,
  );
});
