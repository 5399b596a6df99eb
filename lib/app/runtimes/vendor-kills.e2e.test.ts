import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutPrograms } from "../../../fixtures/agents/agents.js";
import { type StoredMessage, vendorWorld } from "../../../fixtures/agents/vendor-world.js";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";

const skip = withoutPrograms();

const exec = (cmd: string, more: object = {}): Reply => ({
  tool_calls: [{ name: "exec_command", arguments: { cmd, ...more } }],
});
const held = (name: string): Reply => ({ text: "late", hold: name });

const shown = (messages: readonly StoredMessage[]) =>
  messages.map(({ role, content, status }) => `${role}${status == null ? "" : ` ${status}`}: ${content}`);

test("an owner that is killed in mid-turn of the app-server leaves one question and no item twice; its successor resumes the thread", {
  skip,
}, async (t) => {
  const made = await vendorWorld(t, { replies: [exec("echo kept"), held("never"), { text: "after" }] });
  const { codex, conversation, attach } = made;
  const talk = await conversation();
  await talk.say("first words");
  await talk.asked(2);
  await talk.nth("tool.ended", 1);
  await talk.owner.end("SIGKILL");
  await eventually(() => made.programs().length === 0);
  const again = await attach(talk.id, await made.owner(), 1);
  await again.say("second words");
  const second = await again.ended(2);
  assert.equal(second["final_response"], "after", JSON.stringify(second));
  const messages = await again.messages();
  const lines = shown(messages);
  assert.deepEqual(
    lines.filter((line) => line.startsWith("user")),
    ["user: first words", "user: second words"],
  );
  assert.equal(lines.filter((line) => /^tool ok: kept/.test(line)).length, 1, lines.join("\n"));
  const raw = codex.server.chats().at(-1)?.raw ?? "";
  assert.equal(raw.match(/first words/g)?.length, 1, "the thread was resumed");
  assert.match(raw, /kept/);
});

test("the app-server that is killed in mid-turn fails the turn with the way back; the next turn goes on with its thread", {
  skip,
}, async (t) => {
  const made = await vendorWorld(t, { replies: [exec("echo kept"), held("never"), { text: "after" }] });
  const talk = await made.conversation();
  await talk.say("first words");
  await talk.asked(2);
  for (const pid of made.programs()) process.kill(pid, "SIGKILL");
  const first = await talk.ended(1);
  assert.match(
    String(first["final_response"]),
    /the app-server (was ended by SIGKILL|ended with)[\s\S]*vendor-runtime auto/,
  );
  assert.equal(first["partial"], true);
  await talk.say("second words");
  const second = await talk.ended(2);
  assert.deepEqual([second["final_response"], second["thread_id"]], ["after", first["thread_id"]]);
  assert.match(made.codex.server.chats().at(-1)?.raw ?? "", /first words[\s\S]*kept[\s\S]*second words/);
});
