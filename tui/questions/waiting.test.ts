import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, openQuestionScreen as setup } from "../../fixtures/tui/question-screen.js";
import type { Message } from "../model/messages.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const begins = (
  call_id: string,
  name: string,
  preview: string,
  more: Readonly<Record<string, unknown>> = {},
): Message => chat("tool.started", { call_id, name, preview, ...more });
const rowOf = (shown: string, what: string): string | undefined =>
  shown
    .split("\n")
    .find((line) => line.includes(what))
    ?.trim();

test("a call that waits for approval stands still and says so; its time begins with the answer", async (t) => {
  const { at } = await setup(t);
  await at(0, begins("c1", "terminal", "rm one"), begins("c2", "terminal", "make two"));
  const shown = await at(60_000, ask({ call_id: "c1" }));
  assert.match(rowOf(shown, "rm one") ?? "", /^\? terminal rm one +waiting for you$/);
  assert.match(rowOf(shown, "make two") ?? "", /^\S terminal make two +1m 00s$/);
  const goes = await at(90_000, chat("approval.resolved", { request: "q_1", answer: "once", by: "workspace" }));
  assert.match(rowOf(goes, "terminal rm one") ?? "", /^[^?] terminal rm one +0\.0 s$/);
  assert.match(rowOf(await at(92_000), "terminal rm one") ?? "", /2\.0 s$/);
});

test("a script waits while a call that it makes waits for approval", async (t) => {
  const { at } = await setup(t);
  await at(0, begins("c1", "execute_code", "run()"), begins("i1", "terminal", "rm one", { parent_call_id: "c1" }));
  assert.match(
    rowOf(await at(5_000, ask({ call_id: "i1" })), "execute_code") ?? "",
    /^\? execute_code .* waiting for you$/,
  );
});

test("the call by which the model asks waits for the answer", async (t) => {
  const { at } = await setup(t);
  await at(0, begins("c1", "clarify", "which one?"));
  const asked = chat("clarify.requested", {
    request: "q_2",
    question: "which one?",
    choices: ["a"],
    expires_at: null,
    origin: {},
  });
  assert.match(rowOf(await at(5_000, asked), "clarify which") ?? "", /^\? clarify which one\? +waiting for you$/);
});
