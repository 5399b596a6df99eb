import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import type { Said } from "../../../fixtures/sim/chat-world.js";
import {
  type Answer,
  called,
  growingChat,
  grown,
  mainRequests,
  said,
  seen,
  summaries,
  textOf,
} from "../../../fixtures/sim/growing-chat.js";
import { randomIds } from "../../base/ids.js";
import { systemClock } from "../../base/time/clock.js";
import { compactionLines } from "../../contracts/chat/compaction-lines.js";
import { createSessions } from "../sessions/sessions.js";

test("an overflow compacts and asks again, without using up the rounds of the turn", async (t) => {
  const overflow: Reply = {
    status: 400,
    body: { error: { message: "This model's maximum context length is 128000 tokens, your prompt is too long" } },
  };
  const answer: Answer = (_request, turn) => (turn === 6 ? overflow : said(`answer ${turn}`));
  const { server, last } = await grown(t, { answer });
  assert.equal(last.result.final_response, "answer 7");
  assert.deepEqual(
    seen(last, "compaction.started").map((data) => data["reason"]),
    ["overflow"],
  );
  assert.match(textOf(mainRequests(server).at(-1)), /CONTEXT COMPACTION[\s\S]*user: question 6/);
});

test("an overflow that compaction cannot help ends the turn with its reason", async (t) => {
  const overflow: Reply = { status: 413, body: { error: { message: "too large" } } };
  const answer: Answer = (_request, turn) => (turn >= 6 ? overflow : said(`answer ${turn}`));
  const { last } = await grown(t, { answer });
  assert.equal(last.result.failed, true);
  assert.equal(last.result.error?.class, "payload_too_large");
  assert.equal(last.result.compaction_exhausted, true);
  assert.match(last.result.error?.hint ?? "", /\/compress|\/new/);
  assert.ok(seen(last, "compaction.ended").length <= 3);
});

test("an overflow by the results of one batch of calls is met by shortening the results", async (t) => {
  const overflow: Reply = { status: 413, body: { error: { message: "too large" } } };
  const calls = Array.from({ length: 12 }, (_, n) => ({ name: "read_file", arguments: { path: `big${n}.txt` } }));
  const answer: Answer = ({ messages }) => {
    if (messages.at(-1)?.role !== "tool" && !JSON.stringify(messages.at(-1)).includes("STATE AFTER"))
      return { tool_calls: calls };
    return JSON.stringify(messages).length > 100_000 ? overflow : said("read");
  };
  const { world, session } = await growingChat(t, { answer });
  for (const n of calls.keys()) writeFileSync(`${world.work}/big${n}.txt`, `line of file ${n}\n`.repeat(1_000));
  const { result, events } = await world.say(session, "read them");
  assert.equal(result.final_response, "read");
  const [ended] = events.filter(({ event }) => event === "compaction.ended").map(({ data }) => data);
  assert.deepEqual([ended?.["ok"], ended?.["method"]], [true, "local"]);
});

test("switched off, nothing is compacted by itself, and an overflow names the ways out", async (t) => {
  const overflow: Reply = { status: 400, body: { error: { message: "maximum context length exceeded" } } };
  const answer: Answer = (_request, turn) =>
    turn === 6 ? called(90_000) : turn === 7 ? overflow : said(`answer ${turn}`);
  const { server, last } = await grown(t, { answer, config: "compression: { enabled: false }" });
  assert.equal(summaries(server).length, 0);
  assert.equal(last.result.failed, true);
  assert.match(last.result.error?.hint ?? "", /\/compress, \/new/);
});

test("without a model for the summary the program writes one, and asks none again for a while", async (t) => {
  const answer: Answer = (_request, turn) => (turn === 6 || turn === 14 ? called(70_000) : said(`answer ${turn}`));
  const { server, world, session, last } = await grown(t, { answer, side: [{ status: 500, body: "down" }] });
  const [ended] = seen(last, "compaction.ended");
  assert.deepEqual([ended?.["ok"], ended?.["method"]], [true, "local"]);
  assert.match(textOf(mainRequests(server).at(-1)), /Requests of the user[\s\S]*question 3/);
  const asked = summaries(server).length;
  for (let n = 7; n < 16; n++) await world.say(session, `question ${n}`);
  assert.equal(summaries(server).length, asked);
});

test("with abort_on_summary_failure a failed summary changes nothing", async (t) => {
  const config = "compression: { abort_on_summary_failure: true }";
  const { world, session, last } = await grown(t, { config, side: [{ status: 500, body: "down" }] });
  const [ended] = seen(last, "compaction.ended");
  assert.deepEqual([ended?.["ok"], ended?.["new_session_id"]], [false, null]);
  assert.equal(last.result.session_id, session.id);
  assert.equal((await world.chat.get(session.id))?.end_reason, null);
});

test("two compactions in a row that save little are the last ones", async (t) => {
  const answer: Answer = (request) =>
    request.messages.at(-1)?.role === "tool" ? said("done", 69_000) : called(69_900);
  const { server, world, session } = await growingChat(t, { answer, side: [{ text: "x".repeat(400_000) }] });
  const all: Said[] = [];
  for (let n = 0; n < 16; n++) all.push(await world.say(session, `question ${n}`));
  const poor = all.flatMap((one) => seen(one, "compaction.ended")).filter((data) => data["ok"]);
  assert.equal(poor.length, 2);
  assert.equal(summaries(server).length, 2);
  const notices = all.flatMap((one) => seen(one, "notice")).map((data) => data["code"]);
  assert.equal(notices.filter((code) => code === "compaction_stopped").length, 1);
  assert.match(compactionLines("compaction.ended", poor[0] ?? {}).join(" "), /fewer messages but more tokens/);
});

test("a conversation that is compacted can be interrupted, and stays as it was", async (t) => {
  const { server, world, session } = await grown(t, {
    answer: (_request, turn) => said(`answer ${turn}`),
    side: [{ hold: "never" }],
  });
  const compacting = world.chat.compact(session.id);
  await server.arrived(8);
  await world.chat.interrupt(session.id);
  const ended = await compacting;
  assert.deepEqual([ended.ok, ended.error], [false, "interrupted"]);
  const next = await world.say(session, "on");
  assert.equal(next.result.session_id, session.id);
});

test("a summary as long as what it stands for changes nothing, says so, and is not asked for without end", async (t) => {
  const answer: Answer = (request, turn) =>
    turn >= 6 && request.messages.at(-1)?.role !== "tool" ? called(70_000) : said(`answer ${turn}`, 70_000);
  const config = "compression: { protect_first_n: 0 }";
  const { server, world, session, last } = await grown(t, { answer, config, side: [{ text: "y".repeat(40_000) }] });
  const all = [last];
  for (let n = 0; n < 4; n++) all.push(await world.say(session, `more ${n}`));
  const ended = all.flatMap((one) => seen(one, "compaction.ended"));
  assert.ok(ended.length <= 2);
  assert.equal(summaries(server).length, ended.length);
});

test("what compaction cannot free is said before the request, with what to do about it", async (t) => {
  const { world, session } = await growingChat(t, {
    answer: (_request, turn) => said(turn === 5 ? "y".repeat(600_000) : `answer ${turn}`),
  });
  for (let n = 0; n < 5; n++) await world.say(session, `question ${n}`);
  const before = seen(await world.say(session, "a long answer"), "notice");
  assert.deepEqual(before, []);
  const codes = seen(await world.say(session, "next"), "notice").filter(({ code }) => code === "context_full");
  assert.equal(codes.length, 1);
  assert.match(String(codes[0]?.["text"]), /compaction cannot free enough\. Start a new session with \/new/);
});

test("a conversation on a messaging platform is compacted before its turn when it has too many messages", async (t) => {
  proves(t, "config.compression.hard-limit");
  const config = "compression: { hygiene_hard_message_limit: 12 }";
  const { world } = await growingChat(t, { answer: (_request, turn) => said(`answer ${turn}`), config });
  const { id } = await createSessions({ store: world.store, clock: systemClock, ids: randomIds }).create({
    source: "msgt",
    cwd: world.work,
    profile: "default",
    model: "",
    provider: "",
  });
  const session = await world.reopen(id);
  const reasons: unknown[] = [];
  for (let n = 0; n < 7; n++)
    reasons.push(
      ...seen(await world.say(session, `question ${n}`), "compaction.started").map((data) => data["reason"]),
    );
  assert.deepEqual(reasons, ["hygiene"]);
});

test("a conversation that is kept in memory alone is compacted there", async (t) => {
  const { world } = await growingChat(t, { answer: (_request, turn) => said(`answer ${turn}`) });
  const session = await world.chat.create({ source: "cli", cwd: world.work, env: {}, ephemeral: true });
  for (let n = 0; n < 6; n++) await world.say(session, `question ${n}`);
  const ended = await world.chat.compact(session.id);
  const next = await world.say(session, "next");
  assert.equal(next.result.session_id, ended.new_session_id);
});
