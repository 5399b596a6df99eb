import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import { having } from "../../../storage/tables/sessions/lineage.js";
import type { TurnId } from "../../base/units.js";
import type { TurnResult } from "../../contracts/chat/chat.js";
import { GOAL_TURNS } from "../config/keys.js";
import { openTranscript } from "../transcript/transcript.js";
import { sessionEvents } from "../transcript/transcript-events.js";
import { createGoals } from "./goal-engine.js";
import type { JudgeAnswer, JudgeRequest } from "./goal-judge.js";

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const said = (done: boolean, reason: string): JudgeAnswer => ({
  ok: true,
  text: JSON.stringify({ done, reason }),
  usage: NONE,
});
const ended = (turn: TurnId): TurnResult =>
  ({
    turn_id: turn,
    final_response: "I wrote it",
    files_changed: ["/w/a.txt"],
    files_not_changed: [],
  }) as unknown as TurnResult; // nothing else of it is looked at

/** Conversations with goals over a real session store; the judge says what `answers` has next. */
async function setup(t: TestContext, answers: JudgeAnswer[]) {
  const { clock, store, sessions } = sessionStore(t);
  const asked: JudgeRequest[] = [];
  const open = async () => {
    const session = await sessions.create({ source: "cli", cwd: "/", profile: "default", model: "m", provider: "p" });
    const transcript = openTranscript({ store, clock }, session);
    const ask = async (request: JudgeRequest) => {
      asked.push(request);
      return answers.shift() ?? said(false, "more is needed");
    };
    return {
      session,
      transcript,
      goals: createGoals({ transcript, clock, ask, diffStat: async () => " a.txt | 1 +" }),
    };
  };
  return { store, open, asked };
}

const never = new AbortController().signal;

test("a goal belongs to its conversation: another one has none, and the same one opened again has it still", async (t) => {
  proves(t, "goal.stored-per-session");
  const { store, open } = await setup(t, []);
  const one = await open();
  const other = await open();
  await one.goals.set("all tests pass", 3);
  assert.equal((await other.goals.get())?.goal, undefined);
  const again = createGoals({
    ...one,
    clock: manualClock(),
    ask: async () => said(true, "x"),
    diffStat: async () => "",
  });
  assert.deepEqual([(await again.get())?.goal, (await again.get())?.status], ["all tests pass", "active"]);
  const kept = await store.read((q) => having(q, "goal"));
  assert.deepEqual(
    kept.map(({ root }) => root),
    [one.session.lineage_root],
  );
  await assert.rejects(one.goals.set("  ", 3), { code: "E_INVALID" });
});

test("a goal takes as many continuations as its budget has, 20 unless told otherwise, then it rests", async (t) => {
  proves(t, "limit.goal-turns");
  const { store, open } = await setup(t, []);
  const { session, transcript, goals } = await open();
  const { turn } = await transcript.beginTurn({ role: "user", content: "go" });
  await goals.set("all tests pass", GOAL_TURNS.default);
  let continued = 0;
  for (;;) {
    const step = await goals.afterTurn(ended(turn), never);
    if (step?.next !== "continue") break;
    continued += 1;
  }
  assert.equal(continued, 20);
  assert.equal((await goals.get())?.paused_reason, "budget");
  assert.equal(await goals.afterTurn(ended(turn), never), undefined, "a goal that rests is not judged");
  const kinds = (await sessionEvents(store, session.id, 0)).map(({ event }) => event);
  assert.equal(kinds.filter((kind) => kind === "goal.changed").length, 21);
});

test("the judge gets the answer, what the calls came to, the changed files and the todo list", async (t) => {
  const { open, asked } = await setup(t, [said(true, "it is there")]);
  const { transcript, goals } = await open();
  const { turn } = await transcript.beginTurn({ role: "user", content: "go" });
  const call = { id: "c1", name: "terminal", arguments: '{"command":"make test"}' };
  await transcript.append(turn, [{ role: "assistant", content: "", toolCalls: [call] }]);
  const output = '{"output":"2 failed","exit_code":2}';
  await transcript.append(turn, [
    { role: "tool", content: output, toolCallId: "c1", toolName: "terminal", status: "error" },
  ]);
  await transcript.setRecord("todo", '[{"id":"1","content":"fix"}]');
  await goals.set("all tests pass", 3);
  const step = await goals.afterTurn(ended(turn), never);
  assert.deepEqual([step?.next, step?.goal.status], ["achieved", "done"]);
  const user = asked[0]?.user ?? "";
  for (const part of [
    "I wrote it",
    'terminal {"command":"make test"} [error, exit code 2]',
    "/w/a.txt",
    "a.txt | 1 +",
    '"content":"fix"',
  ])
    assert.ok(user.includes(part), `${part}\n${user}`);
});
