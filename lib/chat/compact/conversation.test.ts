import assert from "node:assert/strict";
import { test } from "node:test";
import {
  called,
  growingChat,
  grown,
  MARK,
  mainRequests,
  said,
  seen,
  summaries,
  textOf,
} from "../../../fixtures/sim/growing-chat.js";

test("C50: a tool round that is counted as large is followed by a summary, a new segment and lines with numbers", async (t) => {
  const { server, world, session, last } = await grown(t);
  assert.equal(last.result.final_response, "answer 7");
  assert.equal(summaries(server).length, 1);
  assert.match(textOf(summaries(server)[0]), /\[USER\]: question 2\n/);
  assert.match(textOf(mainRequests(server).at(-1)), new RegExp(MARK.replace(/[[\]]/g, "\\$&")));
  const [started] = seen(last, "compaction.started");
  const [ended] = seen(last, "compaction.ended");
  assert.deepEqual([started?.["reason"], started?.["trigger"], started?.["window"]], ["round", 64_000, 128_000]);
  assert.ok(Number(started?.["tokens"]) >= 70_000);
  assert.deepEqual([ended?.["ok"], ended?.["method"], ended?.["messages_before"]], [true, "model", 15]);
  assert.equal(last.result.session_id, ended?.["new_session_id"]);
  const before = (await world.chat.messages(session.id)).length;
  assert.equal(before, 15); // the old segment stays whole
  const next = await world.chat.get(last.result.session_id);
  assert.deepEqual(
    [next?.parent_session_id, next?.relation, next?.lineage_root],
    [session.id, "compaction", session.id],
  );
  assert.equal((await world.chat.get(session.id))?.end_reason, "compaction");
});

test("C50: whoever runs the turn is told both lines", async (t) => {
  const { world, session } = await growingChat(t, {
    answer: (_request, turn) => (turn === 6 ? called(70_000) : said(`answer ${turn}`)),
  });
  for (let n = 0; n < 6; n++) await world.say(session, `question ${n}`);
  const lines: string[] = [];
  await world.chat.submit({ session: session.id, text: "question 6", onNotice: ({ text }) => lines.push(text) });
  assert.match(lines[0] ?? "", /^Compacting: 70(\.\d)?k of 128k tokens, 15 messages$/);
  assert.match(lines[1] ?? "", /^Compacted 15 messages to \d+ \(70(\.\d)?k → [\d.]+k tokens\)\. Undo: \/compress undo/);
});

test("C51: after an undo the next request holds the full earlier messages again", async (t) => {
  const { server, world, session, last } = await grown(t);
  const undone = await world.chat.compactUndo(session.id);
  assert.equal(undone.new_session_id, session.id);
  const next = await world.say(session, "question 7");
  assert.equal(next.result.session_id, session.id);
  const asked = textOf(mainRequests(server).at(-1));
  for (let n = 0; n <= 7; n++) assert.match(asked, new RegExp(`user: question ${n}`));
  assert.match(asked, /assistant: answer 7/);
  assert.doesNotMatch(asked, /CONTEXT COMPACTION/);
  assert.equal((await world.chat.get(last.result.session_id))?.end_reason, "compaction_undone");
  await assert.rejects(world.chat.compactUndo(session.id), /no compaction to undo/);
});

test("the conversation goes on after a compaction, also under its first id and after a restart", async (t) => {
  const { server, world, session } = await grown(t);
  const next = await world.say(session, "question 8");
  assert.match(textOf(mainRequests(server).at(-1)), /user: question 8/);
  const opened = await world.reopen(session.id);
  assert.equal(opened.id, next.result.session_id);
  const last = await world.say(opened, "question 9");
  assert.equal(last.result.session_id, opened.id);
  assert.match(textOf(mainRequests(server).at(-1)), /CONTEXT COMPACTION[\s\S]*question 8[\s\S]*question 9/);
});

test("requests grow only at their ends, except directly after a compaction", async (t) => {
  const { server, world, session } = await grown(t);
  for (const text of ["question 8", "question 9"]) await world.say(session, text);
  const raw = mainRequests(server).map(({ body }) => (body?.messages ?? []).map((message) => JSON.stringify(message)));
  const breaks = raw.slice(1).filter((messages, at) => {
    const before = raw[at] ?? [];
    return before.some((text, place) => messages[place] !== text);
  });
  assert.equal(breaks.length, 1);
});
