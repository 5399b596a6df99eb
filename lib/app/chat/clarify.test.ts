import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { DONE, questionWorld } from "../../../fixtures/sim/question-world.js";
import type { NewSession } from "../../contracts/chat/chat.js";

test("clarify asks the user, and the model reads the answer", async (t) => {
  const ask: Reply = { tool_calls: [{ name: "clarify", arguments: { question: "Which?", choices: ["a", "b"] } }] };
  const { chat, say, front, results } = await questionWorld(t, { replies: [ask, DONE] });
  const turn = say();
  const { data } = await front.next("clarify.requested");
  assert.deepEqual([data["question"], data["choices"]], ["Which?", ["a", "b"]]);
  await chat.answerClarify(String(data["request"]), "b", "test");
  const [result] = await results(await turn);
  assert.deepEqual(JSON.parse(result?.content ?? "{}"), {
    question: "Which?",
    choices_offered: ["a", "b"],
    user_response: "b",
  });
});

const SILENT: readonly (readonly [string, Partial<NewSession>, RegExp])[] = [
  ["a one-shot is told to choose by itself", { source: "cli" }, /Choose the best option and say which one you took/],
  [
    "a scheduled conversation has no such tool",
    { source: "cron" },
    /Clarify tool is not available in this execution context/,
  ],
];
for (const [name, open, told] of SILENT) {
  test(name, async (t) => {
    const ask: Reply = { tool_calls: [{ name: "clarify", arguments: { question: "Which?" } }] };
    const { say, results } = await questionWorld(t, { replies: [ask, DONE], open });
    const [result] = await results(await say());
    assert.match(result?.content ?? "", told);
  });
}

test("a cancelled clarification tells the model to judge by itself", async (t) => {
  const ask: Reply = { tool_calls: [{ name: "clarify", arguments: { question: "Which?" } }] };
  const { chat, say, front, results } = await questionWorld(t, { replies: [ask, DONE] });
  const turn = say();
  await chat.answerClarify(String((await front.next("clarify.requested")).data["request"]), undefined, "test");
  const [result] = await results(await turn);
  assert.match(result?.content ?? "", /The user cancelled\. Use your best judgement to proceed\./);
});
