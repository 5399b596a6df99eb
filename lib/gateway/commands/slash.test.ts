import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { noteTurn } from "../../../storage/tables/gateway/sessions.js";
import type { SessionId } from "../../base/units.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);

test("GW-14: an unknown command is answered with its name and where the commands are, without the model", async (t) => {
  const world = await chatGateway(t, { script: [] });
  await world.say("1", "/nosuchthing");
  const [answer] = texts(await world.shown(1));
  assert.match(answer ?? "", /\/nosuchthing/);
  assert.match(answer ?? "", /\/commands/);
  assert.equal(world.owner.model.requests.length, 0);
});

test("what is unknown is answered with the slash command that lists it, not with a command line", async (t) => {
  const world = await chatGateway(t, { script: [] });
  await world.say("1", "/cron pause nosuchjob");
  await world.say("2", "/kanban show t_nosuch");
  const [job, task] = texts(await world.shown(2));
  assert.match(job ?? "", /nosuchjob[\s\S]*\/cron list --all/);
  assert.match(task ?? "", /t_nosuch[\s\S]*\/kanban list shows the tasks$/);
  assert.doesNotMatch(`${job}${task}`, /agent |sessions/);
});

test("GW-15: a path at the beginning of a message is text", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }] });
  await world.say("1", "/usr/bin/env is broken");
  assert.deepEqual(texts(await world.shown(1)), ["PONG"]);
});

test("GW-17: /status is answered while a turn runs, waits for no timer, and the turn goes on", async (t) => {
  const clock = manualClock(); // it stands still: whatever waited for it would never come
  const world = await chatGateway(t, { script: [{ text: "LATE", hold: "model" }], clock });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  await world.say("2", "/status");
  const status = (await world.shown(1))[0]?.text ?? "";
  assert.match(status, /^session: ping, \d{8}_\d{6}_[0-9a-f]{6}$/m);
  assert.match(status, /^turn: \d+ s, step 1\/\d+$/m);
  assert.match(status, /^waiting: 0 messages$/m);
  assert.match(status, /^msgt: /m);
  assert.doesNotMatch(status, /home|pid/);
  world.owner.model.release("model");
  assert.equal((await world.shown(2))[1]?.text, "LATE");
});

test("/new begins a new conversation, and the old one stays as it was", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "one" }, { text: "two" }] });
  await world.say("1", "first");
  await world.shown(1);
  await world.say("2", "/new");
  await world.shown(2);
  await world.say("3", "second");
  assert.equal((await world.shown(3))[2]?.text, "two");
  assert.equal((await world.owner.chat.list({})).length, 2);
});

test("a command that an earlier owner had begun is not run a second time, and its writer is told", async (t) => {
  const world = await chatGateway(t, { script: [] });
  await world.restart(async () => {
    const store = await world.owner.app.stores.state();
    await world.say("1", "/title changed");
    const begun = {
      turn: "command:1",
      root: "command:1",
      session_id: "" as SessionId,
      begun_at: world.owner.app.options.clock.now(),
    }; // as the router notes it
    await store.write("test", (tx) => noteTurn(tx, begun));
  });
  assert.match((await world.shown(1))[0]?.text ?? "", /may have been carried out/);
  assert.equal((await world.owner.chat.list({})).length, 0);
});

test("GW-28: /status names the messages to its chat of which no one knows whether they arrived", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "LOST" }] });
  world.platform.fate = () => "cut-before";
  await world.say("1", "ping");
  const { gateway } = world.owner.app;
  while ((await gateway.outbox({ state: "unknown" })).length === 0) await new Promise(setImmediate);
  world.platform.fate = () => "taken";
  const [unknown] = await gateway.outbox({ state: "unknown" });
  await world.say("2", "/status");
  assert.match((await world.shown(1))[0]?.text ?? "", new RegExp(`^delivery unknown: 1 \\(${unknown?.id}\\)$`, "m"));
  await world.say("3", "/status", "c2");
  assert.doesNotMatch((await world.shown(2))[1]?.text ?? "", /may not have arrived/);
  // GW-28: an operator sees it as well, and may have it sent again.
  assert.deepEqual(
    (await gateway.status()).unknown.map(({ id, state }) => [id, state]),
    [[unknown?.id, "unknown"]],
  );
  await world.built().gateway.outbox.retry(unknown?.id ?? "");
  assert.equal((await world.shown(3))[2]?.text, "LOST");
  while ((await gateway.status()).unknown.length > 0) await new Promise(setImmediate);
});

test("the answer of /background is posted in the chat, and the next message goes on in the conversation that was there", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "ASIDE" }, { text: "PONG" }] });
  await world.say("1", "/background look around");
  const seen = texts(await world.shown(2));
  assert.match(seen[0] ?? "", /^Asked in \d/);
  assert.match(seen[1] ?? "", /^🔎 Background .*\n\nASIDE$/);
  await world.say("2", "ping");
  assert.equal(texts(await world.shown(3))[2], "PONG");
});
