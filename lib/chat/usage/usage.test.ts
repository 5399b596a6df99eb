import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { type Answer, growingChat, grown, said } from "../../../fixtures/sim/growing-chat.js";
import { contextText, costText, insightsText, priceText } from "../../commands/render/usage.js";

const cached = (text: string): Reply => ({
  text,
  usage: { prompt_tokens: 9_000, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 6_000 } },
});
const read: Reply = {
  tool_calls: [{ name: "todo", arguments: {} }],
  usage: { prompt_tokens: 5_000, completion_tokens: 10 },
};

/** A tool call and an answer, then only answers. */
const answers: Answer = (_request, turn) => (turn === 0 ? read : cached(`answer ${turn}`));

test("C63: the parts of the context sum to its total, the prompt's are named, and the last request is as it was counted", async (t) => {
  const { world, session } = await growingChat(t, { answer: answers });
  await world.say(session, "question");
  const report = await world.chat.context(session.id);
  assert.equal(
    report.parts.reduce((sum, { tokens }) => sum + tokens, 0),
    report.total,
  );
  assert.equal(report.exact, true);
  assert.ok(report.total >= 9_000 && report.total < 9_100);
  assert.equal(report.total + report.free, report.window);
  const system = report.parts.filter(({ group }) => group === "system").map(({ name }) => name);
  for (const name of ["identity", "environment", "ending"])
    assert.ok(system.includes(name), `${name} in ${system.join(", ")}`);
  const tools = report.parts.filter(({ group }) => group === "tools").map(({ name }) => name);
  assert.ok(tools.includes("file") && tools.includes("terminal"));
  const messages = report.parts.filter(({ group }) => group === "messages").map(({ name }) => name);
  assert.ok(messages.includes("results of todo"));
  assert.deepEqual(report.last_request, {
    fresh: 3_000,
    cached_read: 6_000,
    cached_write: 0,
    reasoning: 0,
    output: 40,
    cache_share: 2 / 3,
  });
  assert.match(
    contextText(report),
    /Last request: 3000 fresh, 6000 cached, 40 answered; 67 % of the prompt came from the cache/,
  );
});

test("before the first answer the context is an estimate, and says so", async (t) => {
  const { world, session } = await growingChat(t, { answer: answers });
  const report = await world.chat.context(session.id);
  assert.deepEqual([report.exact, report.last_request], [false, null]);
  assert.match(contextText(report), /: ~[\d.]+k? of 128k tokens/);
  assert.equal((await world.chat.get(session.id))?.system_prompt, null); // looking stores nothing
});

test("after a compaction the summary and the notes are parts of their own", async (t) => {
  const { world, session } = await grown(t);
  const report = await world.chat.context(session.id);
  assert.equal(report.compactions, 1);
  assert.ok(report.parts.some(({ name }) => name === "summary of earlier messages"));
  assert.ok(report.parts.some(({ name }) => name === "compaction"));
});

test("the cost of a conversation is kept over its segments, with its side work by itself", async (t) => {
  const { world, session } = await grown(t);
  const report = await world.chat.cost("session", session.id);
  assert.equal(report.total.requests, 9);
  assert.deepEqual(
    report.by_slot.map(({ slot, requests }) => [slot, requests]),
    [["compression", 1]],
  );
  assert.equal(report.turns.length, 7);
  assert.equal(report.turns.at(-1)?.requests, 3); // the tool round, the summary and the answer
  assert.deepEqual([report.total.cost_usd, report.total.cost_status], [null, "unknown"]);
  assert.equal(report.by_tool_result[0]?.tool, "todo");
  assert.match(costText(report), /unknown {2}in total/);
  const all = await world.chat.cost("today");
  assert.deepEqual(all.total, report.total);
});

test("what a provider says that a request cost is added up; the rest stays unknown", async (t) => {
  const priced: Reply = { text: "paid", usage: { prompt_tokens: 100, completion_tokens: 10, cost: 0.25 } };
  const { world, session } = await growingChat(t, { answer: (_request, turn) => (turn < 2 ? priced : said("free")) });
  for (const text of ["a", "b"]) await world.say(session, text);
  const two = await world.chat.cost("session", session.id);
  assert.deepEqual([two.total.cost_usd, two.total.cost_status, priceText(two.total)], [0.5, "exact", "$0.5000"]);
  await world.say(session, "c");
  const three = await world.chat.cost("session", session.id);
  assert.deepEqual(
    [three.total.cost_usd, three.total.cost_status, priceText(three.total)],
    [0.5, "partial", "at least $0.5000"],
  );
});

test("insights tell use by day, model and tool", async (t) => {
  const { world, session } = await growingChat(t, { answer: answers });
  mkdirSync(`${world.work}/x`);
  await world.say(session, "question");
  const report = await world.chat.insights(30);
  assert.deepEqual([report.sessions, report.total.requests, report.by_day.length], [1, 2, 1]);
  assert.deepEqual(
    report.by_model.map(({ model, provider }) => [model, provider]),
    [["m1", "p1"]],
  );
  assert.deepEqual(
    report.by_tool.map(({ tool, calls }) => [tool, calls]),
    [["todo", 1]],
  );
  assert.match(insightsText(report), /The last 30 days: 1 conversation\n/);
  await assert.rejects(world.chat.insights(0), /0/);
});
