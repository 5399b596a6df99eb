import assert from "node:assert/strict";
import { test } from "node:test";
import { holding, slashWorld } from "../../../fixtures/sim/slash-world.js";
import type { SessionId } from "../../base/units.js";
import { openTranscript } from "../../chat/transcript/transcript.js";
import type { RestoredFiles, TurnFiles } from "../../contracts/chat/turn-files.js";

test("C55: an undone exchange leaves the next request, its text goes into the composer, and redo brings it back", async (t) => {
  const { create, say, slash, sent, store } = slashWorld(t);
  const { id } = await create();
  await say(id, "one");
  await say(id, "two");
  const undone = await slash("/undo", id);
  assert.deepEqual([undone.exit, undone.next], [0, { compose: "two" }]);
  await slash("/redo", id);
  await say(id, "three");
  assert.deepEqual(sent(), ["one", "heard: one", "two", "heard: two", "three"]);
  await slash("/undo 2", id);
  await say(id, "four");
  assert.deepEqual(sent(), ["one", "heard: one", "four"]);
  const rows = await store.read((q) => q.get("SELECT count(*) AS n, sum(active) AS shown FROM messages"));
  assert.deepEqual(rows, { n: 8, shown: 4 }); // nothing is deleted
});

test("undo is the same for a session that no one has open", async (t) => {
  const world = slashWorld(t);
  const { id } = await world.create();
  await world.say(id, "one");
  await world.say(id, "two");
  const shown = await world.run("--resume", id, "-z", "/undo");
  assert.deepEqual([shown.code, shown.out], [0, "Undone: 1 exchange, 2 messages removed. /redo restores them.\n"]);
  assert.equal((await world.run("--resume", id, "-z", "three")).out, "heard: three\n");
  assert.deepEqual(world.sent(), ["one", "heard: one", "three"]);
});

test("what was undone is not found any more, and is found again after redo", async (t) => {
  const { create, say, slash, chat } = slashWorld(t);
  const { id } = await create();
  await say(id, "the zebra speaks");
  await slash("/undo", id);
  assert.deepEqual(await chat.search("zebra", 5), []);
  assert.equal((await chat.get(id))?.message_count, 0);
  await slash("/redo", id);
  assert.equal((await chat.search("zebra", 5)).length, 1);
});

test("undos are taken back one after the other, the newest first", async (t) => {
  const { create, say, slash, chat } = slashWorld(t);
  const { id } = await create();
  for (const text of ["one", "two", "three"]) await say(id, text);
  await slash("/undo", id);
  await slash("/undo", id);
  const texts = async () =>
    (await chat.messages(id)).filter(({ role }) => role === "user").map(({ content }) => content);
  assert.deepEqual(await texts(), ["one"]);
  await slash("/redo", id);
  assert.deepEqual(await texts(), ["one", "two"]);
  await slash("/redo", id);
  assert.deepEqual(await texts(), ["one", "two", "three"]);
  assert.match((await slash("/redo", id)).text, /nothing to redo/);
});

const REFUSED: readonly (readonly [what: string, lines: readonly string[], says: RegExp])[] = [
  ["undo without a message", ["/undo"], /nothing to undo/],
  ["undo of more than there is", ["one", "/undo 2"], /only 1 exchange can be undone here, not 2/],
  ["redo without undo", ["one", "/redo"], /nothing to redo/],
  ["redo after a new message", ["one", "/undo", "two", "/redo"], /a message was sent since/],
  ["a beginning of its name", ["/und"], /Type \/undo in full/],
  ["two things to undo", ["one", "/undo --chat --files"], /--chat and --files exclude each other/],
  ["files without checkpoints", ["one", "/undo --files"], /checkpoints are off/],
];

for (const [what, lines, says] of REFUSED) {
  test(`refused, and nothing changes: ${what}`, async (t) => {
    const { create, say, slash, chat } = slashWorld(t);
    const { id } = await create();
    for (const line of lines.slice(0, -1)) await (line.startsWith("/") ? slash(line, id) : say(id, line));
    const before = await chat.messages(id);
    const answer = await slash(lines.at(-1) ?? "", id);
    assert.match(answer.text, says);
    assert.notEqual(answer.exit, 0);
    assert.deepEqual(await chat.messages(id), before);
  });
}

test("while a turn runs undo is refused and tells what to do", async (t) => {
  const held = holding();
  const { create, chat, say, slash } = slashWorld(t, { reply: held.reply });
  const { id } = await create();
  const turn = say(id, "one");
  await held.asked;
  const { text, exit } = await slash("/undo", id);
  assert.match(text, /must wait until the turn has ended[\s\S]*wait, or run \/stop/);
  assert.equal(exit, 1);
  held.answer("done");
  await turn;
  await chat.idle(id);
  assert.equal((await slash("/undo", id)).exit, 0);
});

/** Checkpoints that note what they were asked. */
function noted(changed: readonly string[]): { files: TurnFiles; asked: string[] } {
  const asked: string[] = [];
  const done = (what: string, turns: readonly string[]): RestoredFiles => {
    asked.push(`${what} ${turns.map((turn) => turn.split(":")[1]).join(",")}`);
    const skipped = [{ path: "/x", reason: "changed outside" }];
    return { restored: changed, removed: [], skipped, partial: ["/work"], token: "cp1" };
  };
  const files: TurnFiles = {
    changed: async () => ({ files: changed, partial: ["/work"] }),
    restore: async (_lineage: SessionId, turns) => done("restore", turns),
    again: async (_lineage: SessionId, token) => done(`again ${token}`, []),
  };
  return { files, asked };
}

test("when files were changed undo asks what is meant, and does exactly that", async (t) => {
  const { files, asked } = noted(["/work/a.txt"]);
  const { create, say, slash, chat } = slashWorld(t, { deps: { turnFiles: files } });
  const { id } = await create();
  await say(id, "one");
  await say(id, "two");
  const question = await slash("/undo", id);
  const asks = /\/work\/a\.txt\n +\/work: .*changes made by programs remain\nChoose what to undo: \/undo 1 --chat/;
  assert.match(question.text, asks);
  assert.equal((await chat.messages(id)).length, 4);
  const both = await slash("/undo 2 --both", id);
  assert.match(
    both.text,
    /2 exchanges, 4 messages removed.*\nFiles: 1 restored, 0 removed, 1 unchanged\.\n.*\/x \(changed outside\)\n +\/work: .*changes made by programs remain$/,
  );
  await slash("/redo", id);
  assert.equal((await chat.messages(id)).length, 4);
  await slash("/undo --files", id);
  assert.equal((await chat.messages(id)).length, 4);
  assert.deepEqual(asked, ["restore 1,2", "again cp1 ", "restore 2"]);
});

test("an undo of messages alone says where programs may have changed files that no checkpoint holds", async (t) => {
  const { create, say, slash } = slashWorld(t, { deps: { turnFiles: noted([]).files } });
  const { id } = await create();
  await say(id, "one");
  const { text } = await slash("/undo", id);
  assert.match(text, /1 exchange, 2 messages removed.*\n +\/work: .*changes made by programs remain$/);
});

test("retry hides the last exchange and sends its message again", async (t) => {
  let n = 0;
  const { create, say, run, sent, chat } = slashWorld(t, { reply: async () => `answer ${++n}` });
  const { id } = await create();
  await say(id, "one");
  const { out, code } = await run("--resume", id, "-z", "/retry");
  assert.deepEqual([out, code], ["answer 2\n", 0]);
  assert.deepEqual(sent(), ["one"]);
  assert.deepEqual(
    (await chat.messages(id)).map(({ content }) => content),
    ["one", "answer 2"],
  );
});

/** A conversation that goes on in a second segment, with a summary between its first and its last exchange. */
async function compacted(world: ReturnType<typeof slashWorld>) {
  const { create, say, chat, store, clock } = world;
  const { id } = await create();
  for (const text of ["one", "two", "three zebra"]) await say(id, text);
  const stored = await chat.messages(id);
  const transcript = openTranscript({ store, clock }, (await chat.get(id)) ?? assert.fail());
  const next = "20260302_000000_abcdef" as SessionId; // an id of this test
  const kept = [0, 1, 4, 5].map((at) => ({ id: stored[at]?.id ?? 0 }));
  const summary = { role: "assistant", content: "two was said", kind: "summary" } as const;
  const event = { ok: true, reason: "manual", method: "local", count: 1, duration_ms: 1 } as const;
  const numbers = { tokens_before: 1, tokens_after: 1, messages_before: 6, messages_after: 5 };
  await transcript.nextSegment({
    id: next,
    items: [...kept.slice(0, 2), summary, ...kept.slice(2)],
    records: {},
    event: { ...event, ...numbers },
  });
  return { id, next };
}

test("after a compaction undo takes back what is before the model, in every segment, and not what is in the summary", async (t) => {
  const world = slashWorld(t);
  const { id, next } = await compacted(world);
  const { chat, slash } = world;
  const beyond = await slash("/undo 2", next);
  assert.match(beyond.text, /only 1 exchange can be undone here, not 2[\s\S]*\/compress undo/);
  assert.equal((await slash("/undo", id)).exit, 0); // any name of the conversation will do
  const texts = async (of: SessionId) => (await chat.messages(of)).map(({ content }) => content);
  assert.deepEqual(await texts(next), ["one", "heard: one", "two was said"]);
  assert.deepEqual(await texts(id), ["one", "heard: one", "two", "heard: two"]);
  assert.deepEqual(await chat.search("zebra", 5), []);
  assert.equal((await slash("/redo", next)).exit, 0);
  assert.equal((await texts(id)).length, 6);
  assert.equal((await chat.search("zebra", 5)).length, 1);
  assert.deepEqual(await chat.check(), []);
});

test("a branch of a compacted conversation has what the model sees, exports it once, and survives its parent", async (t) => {
  const world = slashWorld(t);
  const { next } = await compacted(world);
  const { chat, slash, say } = world;
  const branch = (await slash("/branch b", next)).next?.open ?? assert.fail();
  await say(branch, "later");
  const exported = async () => {
    let text = "";
    for await (const chunk of chat.export(branch, "jsonl")) text += chunk;
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; content?: string }) // written by the export
      .flatMap(({ type, content }) => (type === "message" ? [content] : []));
  };
  const whole = ["one", "heard: one", "two was said", "three zebra", "heard: three zebra", "later", "heard: later"];
  assert.deepEqual(await exported(), whole);
  await chat.delete(next);
  assert.deepEqual(await exported(), whole);
  assert.equal((await chat.search("zebra", 5))[0]?.session_id, branch);
  assert.deepEqual(await chat.check(), []);
});
