import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withoutPrograms } from "../../../fixtures/agents/agents.js";
import { vendorWorld } from "../../../fixtures/agents/vendor-world.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";

const skip = withoutPrograms();

const exec = (cmd: string, more: object = {}): Reply => ({
  tool_calls: [{ name: "exec_command", arguments: { cmd, ...more } }],
});
const held = (name: string): Reply => ({ text: "late", hold: name });

test("an interrupted turn of the app-server ends, and the next one works on its thread", { skip }, async (t) => {
  const { codex, conversation } = await vendorWorld(t, {
    replies: [exec("echo one"), held("never"), { text: "next" }],
  });
  const talk = await conversation();
  await talk.say("first");
  await talk.asked(2);
  assert.deepEqual(await talk.client.call("turn.interrupt", { session_id: talk.id }), { interrupted: true });
  const first = await talk.ended(1);
  assert.equal(first["interrupted"], true, JSON.stringify(first));
  await talk.say("second");
  const second = await talk.ended(2);
  assert.deepEqual([second["final_response"], second["thread_id"]], ["next", first["thread_id"]]);
  assert.match(codex.server.chats().at(-1)?.raw ?? "", /"first"[\s\S]*"second"/);
});

test("words for the running turn of the app-server reach its model, and stand in the transcript once", {
  skip,
}, async (t) => {
  const { codex, conversation } = await vendorWorld(t, {
    replies: [exec("true", { sandbox_permissions: "require_escalated", justification: "must" }), { text: "done" }],
    root: 'approval_policy = "on-request"\nsandbox_mode = "read-only"',
  });
  const talk = await conversation();
  await talk.say("work");
  const asked = await talk.nth("approval.requested", 1);
  // The program gets both on one pipe, in this order: it has the words before the command runs.
  assert.deepEqual(await talk.client.call("turn.steer", { session_id: talk.id, text: "also this" }), { steered: true });
  await talk.client.call("approval.respond", { request: asked.data["request"], answer: "once" }, { key: "answer" });
  const ending = await talk.ended(1);
  assert.equal(ending["final_response"], "done");
  assert.match(codex.server.chats().at(-1)?.raw ?? "", /also this/);
  const said = (await talk.messages()).filter(({ role }) => role === "user");
  assert.deepEqual(
    said.map(({ content }) => content),
    ["work", "also this"],
  );
});

test("an undone turn of the app-server is gone from its thread", {
  skip,
}, async (t) => {
  const { codex, conversation } = await vendorWorld(t, {
    replies: [{ text: "a" }, { text: "b" }, { text: "c" }],
  });
  const talk = await conversation();
  for (const [at, words] of ["first words", "second words"].entries()) {
    await talk.say(words);
    await talk.ended(at + 1);
  }
  await talk.client.call("session.undo", { session_id: talk.id }, { key: "undo" });
  await talk.say("third words");
  const third = await talk.ended(3);
  assert.equal(third["final_response"], "c");
  const raw = codex.server.chats().at(-1)?.raw ?? "";
  assert.match(raw, /first words/);
  assert.doesNotMatch(raw, /second words/);
  assert.equal(third["thread_id"], (await talk.nth("turn.ended", 1)).data["thread_id"], "the thread was taken back");
});

test("a turn of the app-server that takes longer than it may ends with the time and the way back", {
  skip,
}, async (t) => {
  const made = await vendorWorld(t, {
    replies: [held("never")],
    appServer: { turn_timeout_seconds: 3 },
  });
  const talk = await made.conversation();
  await talk.say("first");
  const first = await talk.ended(1);
  assert.match(String(first["final_response"]), /did not finish the turn within 3 s[\s\S]*vendor-runtime auto/);
});

test("a picture of a message and another model reach the app-server", { skip }, async (t) => {
  const made = await vendorWorld(t, { replies: [{ text: "seen" }], models: ["fake-1", "fake-2"] });
  const talk = await made.conversation();
  const png = join(made.codex.cwd, "one.png");
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  writeFileSync(png, Buffer.from(pixel, "base64"));
  await talk.say("look", { attachments: [png] });
  assert.equal((await talk.ended(1))["final_response"], "seen");
  assert.match(made.codex.server.chats().at(-1)?.raw ?? "", /input_image/);
  await talk.client.call("command.run", { session_id: talk.id, text: "/model fake-2" }, { key: "model" });
  await talk.say("and now");
  const second = await talk.ended(2);
  assert.deepEqual([second["final_response"], second["model"]], ["seen", "fake-2"]);
  assert.equal(JSON.parse(made.codex.server.chats().at(-1)?.raw ?? "")["model"], "fake-2");
});
