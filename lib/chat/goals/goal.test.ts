import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { continuation, cutText, type GoalRecord, judged, newGoal } from "./goal.js";
import { type Evidence, judgeRequest, verdictOf } from "./goal-judge.js";

const goal = (more: Partial<GoalRecord> = {}): GoalRecord => ({ ...newGoal("all tests pass", 2, 0), ...more });
const no = { done: false, reason: "two fail", failed: false };

test("a goal that is met is done; one that is not goes on until its turns are used up, then it pauses", (t) => {
  proves(t, "goal.fields", "goal.achieved", "goal.budget");
  const first = judged(goal(), no, 5);
  assert.deepEqual(
    [first.next, first.goal.turns_used, first.line],
    ["continue", 1, "↻ Continuing toward goal (1/2): two fail"],
  );
  const second = judged(first.goal, no, 6);
  assert.deepEqual([second.next, second.goal.turns_used], ["continue", 2]);
  const spent = judged(second.goal, no, 7);
  assert.deepEqual(
    [spent.next, spent.goal.status, spent.goal.paused_reason, spent.goal.last_reason],
    ["spent", "paused", "budget", "two fail"],
  );
  assert.equal(spent.line, "⏸ Goal paused - 2/2 turns used. /goal resume continues.");
  const met = judged(second.goal, { done: true, reason: "all green", failed: false }, 7);
  assert.deepEqual(
    [met.next, met.goal.status, met.goal.last_verdict, met.line],
    ["achieved", "done", "done", "✓ Goal achieved: all green"],
  );
});

test("a judge that fails counts as not done, and from the third time in a row on the cause is reported", (t) => {
  proves(t, "goal.judge-failure", "goal.shape-decided");
  const failing = { done: false, reason: "timeout: no answer", failed: true };
  let now = goal({ max_turns: 9 });
  const warnings: (string | undefined)[] = [];
  for (let n = 0; n < 4; n++) {
    const step = judged(now, failing, n);
    assert.equal(step.next, "continue");
    warnings.push(step.warning);
    now = step.goal;
  }
  assert.deepEqual(
    warnings.map((text) => text !== undefined && /timeout/.test(text)),
    [false, false, true, true],
  );
  assert.equal(judged(now, no, 9).goal.judge_failures, 0, "a judgement that could be made ends the row");
});

test("a continuation names the goal, its criteria and what is missing", () => {
  const text = continuation(goal({ subgoals: ["unit", "e2e"], last_reason: "e2e fails" }));
  assert.match(text, /^\[Continuing toward your standing goal\]\n\nall tests pass\n/);
  assert.match(text, /1\. unit\n2\. e2e/);
  assert.match(text, /e2e fails/);
});

const answers: [title: string, text: string, done: boolean, failed: boolean][] = [
  ["one line", '{"done": true, "reason": "ok"}', true, false],
  ["a fence around it", '```json\n{"done": false, "reason": "no"}\n```', false, false],
  ["prose around it", 'I think: {"done": true, "reason": "ok"} as far as I see', true, false],
  ["prose with braces around its block", 'Not {} yet:\n```json\n{"done": true}\n```\nSee {a}.', true, false],
  ['"yes"', '{"done": "Yes"}', true, false],
  ["1", '{"done": 1}', true, false],
  ['"done"', '{"done": "done"}', true, false],
  ["0", '{"done": 0, "reason": "x"}', false, false],
  ['"no"', '{"done": "no"}', false, false],
  ["nothing", "", false, true],
  ["prose alone", "It is done.", false, true],
  ["broken JSON", '{"done": tru', false, true],
  ["a list", "[true]", false, true],
  ["no verdict in it", '{"reason": "done"}', false, true],
];

for (const [title, text, done, failed] of answers) {
  test(`the judge answers ${title}: ${done ? "met" : "not met"}${failed ? ", as a failure" : ""}`, () => {
    const verdict = verdictOf({
      ok: true,
      text,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    });
    assert.deepEqual([verdict.done, verdict.failed], [done, failed]);
  });
}

test("a judge that cannot be asked is a failure with its cause", () => {
  assert.deepEqual(verdictOf({ ok: false, why: "no model" }), { done: false, reason: "no model", failed: true });
});

const evidence: Evidence = { answer: "", outcomes: [], changed: [], notChanged: [], diffStat: "", todo: "", at: 0 };

test("the judge sees both ends of a long answer, the last ten results and at most 2,000 characters of the goal", () => {
  const answer = `BEGIN${"a".repeat(6_000)}END`;
  const outcomes = Array.from({ length: 12 }, (_, n) => {
    return {
      name: "terminal",
      preview: `{"command":"c${n}"}`,
      status: "ok",
      exitCode: n,
      text: `line\n${"o".repeat(500)}`,
    };
  });
  const { user, temperature, maxTokens } = judgeRequest(goal({ goal: "g".repeat(3_000) }), {
    ...evidence,
    answer,
    outcomes,
  });
  assert.deepEqual([temperature, maxTokens], [0, 4_096]);
  assert.equal(/g{2001}/.test(user), false);
  assert.ok(user.includes("BEGIN") && user.includes("END") && user.includes("characters left out"));
  assert.equal(user.includes('"c1"'), false);
  assert.match(user, /terminal \{"command":"c11"\} \[ok, exit code 11\]: line o{195}\n/);
});

test("a text is cut between characters, never inside one", () => {
  assert.equal(cutText("😀😀😀", 2), "😀😀");
  assert.equal(cutText("abc", 3), "abc");
});
