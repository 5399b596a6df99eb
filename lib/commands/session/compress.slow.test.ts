import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { holding, slashWorld } from "../../../fixtures/sim/slash-world.js";
import type { SessionId } from "../../base/units.js";

/** A conversation of `count` exchanges, and what was asked when a summary was wanted. */
async function long(t: TestContext, count = 10) {
  const world = slashWorld(t);
  const { id } = await world.create({ title: "Work" });
  for (let n = 0; n < count; n++) await world.say(id, `question ${n}`);
  const summaries = () =>
    world.requests.filter(({ tools }) => tools.length === 0).map(({ messages }) => messages.at(-1)?.content ?? "");
  return { ...world, id, summaries };
}

/** Messages that are still there as they were said. */
const kept = (sent: readonly string[]) =>
  sent.flatMap((text) => /question \d+$/.exec(text)?.[0].slice(9) ?? []).map(Number);

const WISHES: readonly { line: string; focus?: RegExp; oldest: number }[] = [
  { line: "/compress here", oldest: 8 },
  { line: "/compress here 3", oldest: 7 },
  { line: "/compress --keep 4", oldest: 6 },
  { line: "/compress here 3 the login bug", focus: /FOCUS[^\n]*\nthe login bug\n/, oldest: 7 },
  { line: '/compact "what we said about C"', focus: /FOCUS[^\n]*\nwhat we said about C\n/, oldest: 5 },
  { line: "/comp here 1", oldest: 9 },
];

for (const { line, focus, oldest } of WISHES) {
  test(`${line} keeps what it says`, async (t) => {
    const { id, slash, say, sent, summaries } = await long(t);
    const answer = await slash(line, id);
    assert.equal(answer.exit, 0, answer.text);
    assert.match(answer.text, /^Compacted 20 messages to \d+ \(.*\)\. Undo: \/compress undo/);
    assert.equal(summaries().length, 1);
    if (focus) assert.match(summaries()[0] ?? "", focus);
    await say(id, "next");
    assert.equal(Math.min(...kept(sent()).filter((n) => n > 1)), oldest);
  });
}

const REFUSED: readonly { line: string; says: RegExp }[] = [
  { line: "/compress here 0", says: /0 exchanges/ },
  { line: "/compress --keep 101", says: /--keep/ },
  { line: "/compress here --keep 3", says: /here and --keep exclude each other/ },
  { line: "/compress undo", says: /no compaction to undo/ },
  { line: "/compress undo --keep 2", says: /cannot be used with undo/ },
  { line: "/compress here 50", says: /No changes/ },
];

for (const { line, says } of REFUSED) {
  test(`${line} is refused in words`, async (t) => {
    const { id, slash, summaries } = await long(t);
    const answer = await slash(line, id);
    assert.notEqual(answer.exit, 0);
    assert.match(answer.text, says);
    assert.equal(summaries().length, 0);
  });
}

test("a compaction waits for the end of a turn, and says so", async (t) => {
  const { reply, asked, answer } = holding();
  const world = slashWorld(t, { reply });
  const { id } = await world.create();
  const turn = world.say(id, "go");
  await asked;
  assert.match((await world.slash("/compress", id)).text, /must wait until the turn has ended/);
  answer("done");
  await turn;
});

test("undo, redo, retry and branches work on a compacted conversation as on any other", async (t) => {
  const { id, slash, say, sent, chat } = await long(t);
  await slash("/compress here 3", id);
  await say(id, "after");
  assert.deepEqual((await slash("/undo", id)).next, { compose: "after" });
  assert.equal((await slash("/redo", id)).exit, 0);
  await slash("/undo 2", id);
  await say(id, "instead");
  assert.equal(sent().at(-1), "instead");
  assert.ok(!sent().includes("after") && !sent().includes("question 9"));
  const branch = await chat.fork(id, { title: "Aside" });
  await say(branch.id, "elsewhere");
  assert.ok(sent().some((text) => text.startsWith("[CONTEXT COMPACTION - BACKGROUND ONLY]")));
  assert.equal((await slash("/compress here 1", branch.id)).exit, 0);
  await say(id, "still here");
  assert.ok(!sent().includes("elsewhere"));
});

test("messages that were hidden stay hidden when the compaction is undone", async (t) => {
  const { id, slash, say, sent } = await long(t);
  await slash("/compress here 3", id);
  await slash("/undo", id);
  const answer = await slash("/compress undo", id);
  assert.match(answer.text, /^Compaction undone: /);
  await say(id, "next");
  assert.ok(sent().includes("question 8") && sent().includes("question 2"));
  assert.ok(!sent().includes("question 9"));
});

test("a compacted conversation is listed once, resumed by any of its names and found by its titles", async (t) => {
  const { id, slash, chat } = await long(t);
  const { new_session_id: next } = (await slash("/compress", id)).data as { new_session_id: SessionId }; // the answer of the command
  assert.deepEqual(
    (await chat.list({})).map((session) => [session.id, session.title]),
    [[next, "Work #2"]],
  );
  for (const name of [id, "Work", "Work #2", next]) {
    const found = await chat.find(name);
    assert.equal((await chat.resume(found.id, { source: "cli", cwd: "/", env: {} })).id, next, name);
  }
});

test("/context and /cost answer in the conversation, also as data", async (t) => {
  const { id, slash } = await long(t, 3);
  assert.match((await slash("/context", id)).text, /tool schemas[\s\S]*messages/);
  const { window } = (await slash("/context --json", id)).data as { window: number }; // the answer of the command
  assert.ok(window > 0);
  assert.equal((await slash("/cost", id)).exit, 0);
  assert.equal((await slash("/cost week", id)).exit, 0);
  assert.equal((await slash("/insights 7", id)).exit, 0);
  assert.match((await slash("/cost nothing", id)).text, /no such session: "nothing"/);
});
