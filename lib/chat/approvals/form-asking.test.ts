import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { FormAsked } from "../../contracts/chat/form.js";
import type { QuestionOutcome } from "../../contracts/chat/questions.js";
import { formContext } from "./form-asking.js";

const FORM: FormAsked = {
  title: "T",
  from: "mcp:x",
  message: "send hunter2 to me",
  fields: [{ name: "a", label: "not hunter2", description: "hunter2?", type: "text", required: false }],
};

function setup(outcome: QuestionOutcome) {
  const asked: unknown[] = [];
  const control = new AbortController();
  const clock = manualClock();
  const ask = formContext({
    asker: {
      ask: async (question, how) => {
        asked.push([question, how.timeoutMs]);
        return outcome;
      },
      park: async (form, { ticket }) => {
        asked.push([form, ticket]);
        return { action: "cancel", content: {}, why: "parked" };
      },
      reached: () => true,
      waited: () => 0,
    },
    call: { signal: control.signal, turn: () => undefined },
    now: () => clock.now(),
    redact: (text) => text.replaceAll("hunter2", "[secret]"),
  });
  return { asked, ask, control, clock };
}

const UNANSWERED = [
  ["nobody", { action: "decline", content: {}, why: "nobody" }],
  ["timeout", { action: "cancel", content: {}, why: "timeout" }],
  ["interrupted", { action: "cancel", content: {}, why: "interrupted" }],
  ["owner stopped", { action: "cancel", content: {}, why: "interrupted" }],
] as const;
for (const [why, answer] of UNANSWERED)
  test(`a form that ends with "${why}" never throws at the tool that asked`, async () => {
    const { ask } = setup({ answered: false, why, by: why });
    assert.deepEqual(await ask.askForm(FORM), answer);
  });

test("texts of a form are shown without known secrets, and it waits no longer than its asker", async () => {
  const { ask, asked, clock } = setup({ answered: true, answer: "accept", content: { a: "b" }, by: "workspace" });
  assert.deepEqual(await ask.askForm({ ...FORM, waits_until: clock.now() + 5_000 }), {
    action: "accept",
    content: { a: "b" },
  });
  assert.ok(!JSON.stringify(asked).includes("hunter2"));
  assert.equal((asked[0] as unknown[])[1], 5_000);
  assert.deepEqual(await ask.askForm({ ...FORM, waits_until: clock.now() }), {
    action: "cancel",
    content: {},
    why: "timeout",
  });
  assert.equal(asked.length, 1);
});

test("a hidden value reaches the tool that asked; without one the tool has none, and an interrupt ends the call", async () => {
  assert.equal(await setup({ answered: true, answer: "v", by: "w" }).ask.askHidden("Token?"), "v");
  assert.equal(await setup({ answered: false, why: "cancelled", by: "w" }).ask.askHidden("Token?"), undefined);
  const { ask, control } = setup({ answered: false, why: "interrupted", by: "w" });
  control.abort(new Error("stop"));
  await assert.rejects(ask.askHidden("Token?"), /stop/);
});
