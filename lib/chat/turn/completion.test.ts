import assert from "node:assert/strict";
import { test } from "node:test";
import { shownAnswer } from "./completion.js";
import type { TurnEnding } from "./turn-usage.js";

const CASES: readonly (readonly [what: string, ending: Partial<TurnEnding>, answer: string, shown: RegExp])[] = [
  ["a short answer as it was meant", { reason: "text_response" }, "yes", /^yes$/],
  [
    "a fragment that the output limit left",
    { reason: "truncated" },
    "The first",
    /^The first\n\n\u26a0\ufe0f No reply: the answer was truncated by the output limit/,
  ],
  ["a whole sentence at a limit", { reason: "max_iterations_reached" }, "All done.", /^All done\.$/],
  ["more than a fragment", { reason: "truncated" }, "The first of the four files holds", /holds$/],
  ["a fragment that its person stopped", { reason: "interrupted_by_user" }, "The first", /^The first$/],
  [
    "a fragment before a failure",
    { reason: "all_retries_exhausted_no_response", failure: { class: "server", message: "the provider answers 503" } },
    "The fir",
    /^The fir\n\n\u26a0\ufe0f No reply: the provider answers 503$/,
  ],
  [
    "no answer at all",
    { reason: "empty_response_exhausted" },
    "\u26a0\ufe0f No reply: four times",
    /No reply: four times$/,
  ],
];

for (const [what, ending, answer, shown] of CASES) {
  test(`completion explanation: ${what}`, () => {
    const whole: TurnEnding = { reason: "text_response", answer, ...ending };
    assert.match(shownAnswer(whole, answer, true), shown);
    assert.equal(shownAnswer(whole, answer, false), ending.reason === "empty_response_exhausted" ? "" : answer);
  });
}
