import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { DONE, questionWorld, T, W } from "../../../fixtures/sim/question-world.js";

const SMART = "approvals:\n  mode: smart\n";
const VERDICTS: readonly (readonly [string, string, boolean])[] = [
  ["APPROVE", "APPROVE", false],
  ["APPROVE among other words", "I would say APPROVE or DENY", true],
  ["ESCALATE", "ESCALATE\nunsure", true],
  ["nonsense", "fine by me", true],
];
for (const [name, text, asks] of VERDICTS) {
  test(`a model that says ${name} ${asks ? "leaves it to the user" : "lets it run unasked"}`, async (t) => {
    const { chat, say, asked, q } = await questionWorld(t, {
      replies: [T("rm -rf q"), DONE],
      auxiliary: [{ text }],
      config: SMART,
    });
    const turn = say();
    if (asks) await chat.answerApproval((await asked()).request, { answer: "deny" }, "test");
    await turn;
    assert.equal(existsSync(q), asks);
  });
}

test("a model that says DENY denies, with its reason", async (t) => {
  const { say, results } = await questionWorld(t, {
    replies: [T("rm -rf q"), DONE],
    auxiliary: [{ text: "DENY\nit loses work" }],
    config: SMART,
  });
  const [result] = await results(await say());
  assert.match(result?.content ?? "", /Denied by the approval model: it loses work/);
});

test("a model is not asked about classes that only people decide", async (t) => {
  const { chat, say, asked, model } = await questionWorld(t, {
    replies: [T("sudo -n true"), DONE],
    auxiliary: [{ text: "APPROVE" }],
    config: SMART,
  });
  const turn = say();
  await chat.answerApproval((await asked()).request, { answer: "deny" }, "test");
  await turn;
  assert.ok(!model.requests.some((one) => one.raw.includes("ESCALATE")));
});

test("a program that this turn wrote and made executable is asked about before it runs", async (t) => {
  const { chat, say, asked } = await questionWorld(t, {
    replies: [W("x.sh", "#!/bin/sh\n"), T("chmod +x x.sh"), T("./x.sh"), DONE],
  });
  const turn = say();
  const question = await asked();
  assert.deepEqual([question.command, question.reasons.map((reason) => reason.class)], ["./x.sh", ["new-program"]]);
  await chat.answerApproval(question.request, { answer: "deny" }, "test");
  await turn;
});

test("what a scanner finds is asked about, and can only be allowed once", async (t) => {
  const config = `security:\n  scanner_command: "grep -q hello && { echo says hello; exit 1; } || exit 0"\n`;
  const { chat, say, asked } = await questionWorld(t, { replies: [T("true"), T("echo hello"), DONE], config });
  const turn = say();
  const question = await asked();
  assert.deepEqual([question.command, question.options], ["echo hello", ["once", "deny"]]);
  await chat.answerApproval(question.request, { answer: "once" }, "test");
  await turn;
});

test("a hidden line of a command is shown as what it is", async (t) => {
  const { chat, say, asked } = await questionWorld(t, { replies: [T("ls \u001b[2K\u202e"), DONE] });
  const turn = say();
  const question = await asked();
  assert.equal(question.command, "ls ⟪U+001B⟫[2K⟪U+202E⟫");
  await chat.answerApproval(question.request, { answer: "deny" }, "test");
  await turn;
});
