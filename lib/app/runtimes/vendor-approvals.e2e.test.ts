import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withoutPrograms } from "../../../fixtures/agents/agents.js";
import { type Conversation, vendorWorld } from "../../../fixtures/agents/vendor-world.js";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import type { WireEvent } from "../../contracts/wire/wire.js";

const skip = withoutPrograms();

const exec = (cmd: string, more: object = {}): Reply => ({
  tool_calls: [{ name: "exec_command", arguments: { cmd, ...more } }],
});
const escalated = { sandbox_permissions: "require_escalated", justification: "must" };
const patch = (name: string, line: string): Reply =>
  exec(`apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${name}\n+${line}\n*** End Patch\nEOF`);

/** Answer the question with this place among all approvals of the conversation. */
async function answer({ client, nth }: Conversation, count: number, given: string): Promise<WireEvent> {
  const asked = await nth("approval.requested", count);
  await client.call("approval.respond", { request: asked.data["request"], answer: given }, { key: `answer ${count}` });
  return asked;
}

test("commands of the app-server are approved once, for the session, or denied by the owner's questions; a file change too", {
  skip,
}, async (t) => {
  const made = await vendorWorld(t, {
    replies: [
      exec("echo one >> log.txt", escalated),
      exec("echo one >> log.txt", escalated),
      exec("echo one >> log.txt", escalated),
      exec("echo no >> denied.txt", escalated),
      patch("new.txt", "hello"),
      { text: "done" },
    ],
    root: 'approval_policy = "on-request"\nsandbox_mode = "read-only"',
  });
  const talk = await made.conversation();
  await talk.say("work");
  const first = await answer(talk, 1, "once");
  assert.match(JSON.stringify(first.data), /echo one >> log.txt/);
  await answer(talk, 2, "session");
  const third = await answer(talk, 3, "deny");
  assert.match(JSON.stringify(third.data), /denied.txt/, "the same command was not asked about again");
  const change = await answer(talk, 4, "once");
  assert.match(JSON.stringify(change.data), /1 add: .*new.txt/);
  const ending = await talk.ended(1);
  assert.equal(ending["final_response"], "done");
  const work = (name: string) => join(made.codex.cwd, name);
  assert.equal(readFileSync(work("log.txt"), "utf8"), "one\none\none\n");
  assert.equal(existsSync(work("denied.txt")), false);
  assert.equal(readFileSync(work("new.txt"), "utf8"), "hello\n");
  const statuses = (await talk.messages()).filter(({ role }) => role === "tool").map(({ status }) => status);
  assert.deepEqual(statuses, ["ok", "ok", "ok", "denied", "ok"]);
});

test("what a live client saw of a turn of the app-server is what the store replays", { skip }, async (t) => {
  const made = await vendorWorld(t, {
    replies: [{ text: "I look.", ...exec("echo hi; exit 3") }, patch("new.txt", "hello"), { text: "done" }],
    root: 'sandbox_mode = "workspace-write"\napproval_policy = "never"',
  });
  const talk = await made.conversation();
  const live: WireEvent[] = [];
  const stop = new AbortController();
  const following = (async () => {
    for await (const item of talk.client.subscribe("sessions", { after: 0, signal: stop.signal }))
      if (item.kind === "events") live.push(...item.events.filter(({ session_id: of }) => of === talk.id));
  })().catch(() => undefined); // ended below
  await talk.say("work");
  await talk.ended(1);
  await eventually(() => live.some(({ event }) => event === "turn.ended"));
  stop.abort();
  await following;
  const seen = live.filter(({ event }) => event === "message.added");
  const stored = await talk.messages();
  assert.deepEqual(
    seen.map(({ data }) => [data["role"], data["content"]]),
    stored.map(({ role, content }) => [role, content]),
  );
  await talk.owner.end();
  const again = await made.attach(talk.id, await made.owner(), 1);
  assert.deepEqual(await again.messages(), stored);
  const replayed: WireEvent[] = [];
  const enough = new AbortController();
  for await (const item of again.client.subscribe("sessions", { after: 0, signal: enough.signal })) {
    if (item.kind === "events") replayed.push(...item.events.filter(({ session_id: of }) => of === talk.id));
    if (replayed.some(({ event }) => event === "turn.ended")) break;
  }
  const upToEnd = (events: readonly WireEvent[]) =>
    events.slice(0, events.findIndex(({ event }) => event === "turn.ended") + 1);
  assert.deepEqual(upToEnd(replayed), upToEnd(live));
});

test("what the app-server changed without asking is taken back with the turn", { skip }, async (t) => {
  const made = await vendorWorld(t, {
    replies: [exec("echo changed > old.txt; echo new > made.txt"), { text: "done" }],
    root: 'sandbox_mode = "workspace-write"\napproval_policy = "never"',
    config: "checkpoints: {enabled: true}",
  });
  const file = (name: string) => join(made.codex.cwd, name);
  writeFileSync(file("package.json"), "{}"); // the directory of a project is what a checkpoint holds
  writeFileSync(file("old.txt"), "before\n");
  const talk = await made.conversation();
  await talk.say("work");
  await talk.ended(1);
  assert.equal(readFileSync(file("old.txt"), "utf8"), "changed\n");
  const undone = await talk.client.call("session.undo", { session_id: talk.id, what: "both" }, { key: "undo" });
  assert.equal(readFileSync(file("old.txt"), "utf8"), "before\n", JSON.stringify(undone));
  assert.equal(existsSync(file("made.txt")), false);
});
