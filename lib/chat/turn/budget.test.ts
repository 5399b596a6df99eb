import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { actorOwner } from "../../../fixtures/worlds/actor-owner.js";
import { budgetsOf, renderBudgetWarning, spentOf } from "./budget.js";
import type { TurnState } from "./turn-state.js";

const echo = (n: number, usage?: Reply["usage"]): Reply => ({
  tool_calls: [{ name: "terminal", arguments: { command: `echo ${n}` } }],
  ...(usage === undefined ? {} : { usage }),
});
const rounds = (count: number): Reply[] => Array.from({ length: count }, (_, n) => echo(n));
const lastOf = (request: { readonly messages: readonly { readonly content?: unknown }[] } | undefined): string =>
  String(request?.messages.at(-1)?.content);

test("C11: a spent budget of rounds asks for a summary without tools, and the notice names it and its setting", async (t) => {
  const owner = await actorOwner(t, { model: { script: { replies: [...rounds(2), { text: "The summary." }] } } });
  const { id } = await owner.session();
  const notices: string[] = [];
  const result = await owner.chat.submit({
    session: id,
    text: "go",
    maxTurns: 2,
    onNotice: ({ text }) => notices.push(text),
  });
  assert.deepEqual(
    [result.final_response, result.completed, result.exit_reason],
    ["The summary.", false, "max_iterations_reached"],
  );
  assert.deepEqual(result.budget, { used: 2, max: 2 });
  assert.deepEqual(notices, ["The limit is reached: (2/2) agent.max_turns."]);
  const third = owner.model.chats()[2]?.body;
  assert.deepEqual(third?.tools ?? [], []);
  assert.match(lastOf(third), /Sum up what was done/);
});

test("a limit that a conversation is opened with holds for each of its turns, and a turn's own one before it", async (t) => {
  const owner = await actorOwner(t, {
    model: { script: { replies: [...rounds(1), { text: "one" }, ...rounds(2), { text: "two" }] } },
  });
  const { id } = await owner.session({ maxTurns: 1 });
  assert.deepEqual((await owner.chat.submit({ session: id, text: "go" })).budget, { used: 1, max: 1 });
  assert.deepEqual((await owner.chat.submit({ session: id, text: "go", maxTurns: 2 })).budget, { used: 2, max: 2 });
});

test("at 80 % of its rounds the model is told once, behind a history whose bytes stay", async (t) => {
  const owner = await actorOwner(t, { model: { script: { replies: [...rounds(5), { text: "done" }] } } });
  const { id } = await owner.session();
  await owner.chat.submit({ session: id, text: "go", maxTurns: 6 });
  const requests = owner.model.chats().map(({ body }) => body?.messages ?? []);
  const told = requests.map((messages) =>
    /^\[Budget: \(5\/6\) agent\.max_turns used\./.test(String(messages.at(-1)?.content)),
  );
  assert.deepEqual(told, [false, false, false, false, false, true]);
  for (const [at, messages] of requests.slice(0, -1).entries())
    assert.deepEqual(requests[at + 1]?.slice(0, messages.length - 1), messages.slice(0, -1));
  assert.doesNotMatch(JSON.stringify(await owner.chat.messages(id)), /\[Budget/);
});

test("an empty summary is asked for once more, then the user is told that there is none", async (t) => {
  const owner = await actorOwner(t, { model: { script: { replies: [...rounds(1), {}, {}] } } });
  const { id } = await owner.session();
  const result = await owner.chat.submit({ session: id, text: "go", maxTurns: 1 });
  assert.equal(result.final_response, "The limit was reached and no summary could be written.");
  assert.equal(owner.model.chats().length, 3);
});

test("money ends a turn as rounds do, and the next turn of the session asks no model", async (t) => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.3 };
  const replies = [echo(1, usage), echo(2, usage), { text: "The summary.", usage }];
  const owner = await actorOwner(t, { model: { script: { replies } }, config: "agent:\n  max_cost_usd: 0.5\n" });
  const { id } = await owner.session();
  const first = await owner.chat.submit({ session: id, text: "go" });
  assert.deepEqual(
    [first.exit_reason, first.final_response, first.budget?.max],
    ["cost_limit_reached", "The summary.", 0.5],
  );
  const asked = owner.model.chats().length;
  const notices: string[] = [];
  const second = await owner.chat.submit({ session: id, text: "more", onNotice: ({ text }) => notices.push(text) });
  assert.deepEqual([second.exit_reason, owner.model.chats().length], ["cost_limit_reached", asked]);
  assert.match(notices[0] ?? "", /\(0\.90\/0\.50 USD\) agent\.max_cost_usd/);
  assert.equal((await owner.chat.submit({ session: id, text: "go on", maxCostUsd: 9 })).exit_reason, "text_response");
});

test("a compaction does not give a session new money", async () => {
  const segment = { ...turn(1, 0), deps: { ...turn(1, 0).deps, maxMs: 0, maxCostUsd: 0.5, spentUsd: async () => 0.6 } };
  assert.equal(spentOf(await budgetsOf(segment))?.shown, "(0.60/0.50 USD) agent.max_cost_usd");
});

test("answers that are asked for again use no round", async (t) => {
  const cut: Reply = { text: "Part one,", finish: "length" };
  const owner = await actorOwner(t, { model: { script: { replies: [...rounds(1), cut, { text: "part two." }] } } });
  const { id } = await owner.session();
  const result = await owner.chat.submit({ session: id, text: "go", maxTurns: 2 });
  assert.deepEqual([result.final_response, result.completed], ["Part one,part two.", true]);
});

/** A turn as far as its budgets look at it. */
const turn = (seconds: number, waited: number): TurnState =>
  ({
    rounds: 1,
    started: 0,
    deps: {
      maxRounds: 90,
      maxMs: 100_000,
      transcript: { session: {} },
      waited: () => waited * 1000,
      clock: { mono: () => seconds * 1000 },
    },
  }) as unknown as TurnState; // nothing else of it is looked at

test("time that the user took to answer does not count", async () => {
  assert.equal(spentOf(await budgetsOf(turn(130, 60))), undefined);
  assert.equal(spentOf(await budgetsOf(turn(130, 10)))?.shown, "(120/100 s) agent.max_turn_seconds");
  const told = new Set<string>();
  assert.match(renderBudgetWarning(await budgetsOf(turn(90, 0)), told) ?? "", /\(90\/100 s\) agent\.max_turn_seconds/);
  assert.equal(renderBudgetWarning(await budgetsOf(turn(95, 0)), told), undefined, "once");
});
