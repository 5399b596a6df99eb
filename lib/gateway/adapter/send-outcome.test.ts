import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observation, Receipt } from "../../contracts/gateway/outbox.js";
import { toReceipt } from "./send-outcome.js";

const answer = (status: number, more: Partial<Extract<Observation, { saw: "answer" }>> = {}): Observation => ({
  saw: "answer",
  status,
  ownFormat: true,
  error: "said so",
  ...more,
});
const again = (more: object = {}): Receipt => ({ result: "refused", error: "said so", retryable: true, ...more });
const never: Receipt = { result: "refused", error: "said so", retryable: false };
const nobodyKnows: Receipt = { result: "unknown", error: "said so" };

const CASES: readonly (readonly [string, Observation, Receipt])[] = [
  ["a success is sent", { saw: "accepted", messageId: "m1" }, { result: "sent", messageId: "m1" }],
  [
    "a success of several messages names them all",
    { saw: "accepted", messageId: "m1", continuationIds: ["m2"] },
    { result: "sent", messageId: "m1", continuationIds: ["m2"] },
  ],
  ["a call of which no byte was written is made again", { saw: "unsent", error: "said so" }, again()],
  ["a call that was cut off may have arrived", { saw: "cut", error: "said so" }, nobodyKnows],
  ["429 is made again", answer(429), again()],
  ["429 with a time is made again then", answer(429, { retryAfterMs: 5000 }), again({ retryAfterMs: 5000 })],
  ["429 of a proxy is made again", answer(429, { ownFormat: false }), again()],
  [
    "any answer with a time is made again then",
    answer(503, { ownFormat: false, retryAfterMs: 1 }),
    again({ retryAfterMs: 1 }),
  ],
  ["a 400 with a time is made again then", answer(400, { retryAfterMs: 9 }), again({ retryAfterMs: 9 })],
  ["a 500 in the platform's own words is made again", answer(500), again()],
  ["a 500 in nobody's words may have arrived", answer(500, { ownFormat: false }), nobodyKnows],
  ["a 502 of a proxy may have arrived", answer(502, { ownFormat: false }), nobodyKnows],
  ["a code that says try again is made again", answer(400, { tryAgain: true }), again()],
  ["a code that says try again under 200 is made again", answer(200, { tryAgain: true }), again()],
  ["try again in nobody's words is not believed", answer(404, { ownFormat: false, tryAgain: true }), never],
  [
    "a refused token stops the adapter, and the message waits",
    answer(401, { credential: true }),
    again({ credential: true }),
  ],
  [
    "a 403 about the token stops the adapter",
    answer(403, { credential: true, ownFormat: false }),
    again({ credential: true }),
  ],
  ["a 403 about the chat is for good", answer(403), never],
  ["a 400 is for good", answer(400), never],
  ["a 404 of a proxy is for good", answer(404, { ownFormat: false }), never],
  ["an error under 200 in the platform's own words is for good", answer(200), never],
  ["a 200 in nobody's words may have arrived", answer(200, { ownFormat: false }), nobodyKnows],
  ["a redirection may have arrived", answer(302, { ownFormat: false }), nobodyKnows],
];

for (const [name, seen, receipt] of CASES) test(name, () => assert.deepEqual(toReceipt(seen), receipt));
