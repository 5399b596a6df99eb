import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRateLimitResetMs } from "./rate-limit-reset.js";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const error = (members: object) => JSON.stringify({ error: { message: "slow down", ...members } });

const ROWS: readonly (readonly [headers: Record<string, string>, body: string, seconds: number | undefined])[] = [
  [{ "retry-after": "20" }, "", 20],
  [{ "retry-after": "Sun, 01 Mar 2026 12:01:00 GMT" }, "", 60],
  [{ "x-ratelimit-reset-requests": "1m30s" }, "", 90],
  [
    { "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "4", "x-ratelimit-reset-tokens": "6m0s" },
    "",
    360,
  ],
  [{ "x-ratelimit-reset": String(NOW / 1000 + 40) }, "", 40],
  [{ "x-ratelimit-reset": String(NOW + 50_000) }, "", 50],
  [{}, error({ resets_at: NOW / 1000 + 70 }), 70],
  [{}, error({ reset_at: NOW + 80_000 }), 80],
  [{}, error({ resetTime: "2026-03-01T12:10:00Z" }), 600],
  [{}, error({ details: [{ quotaResetDelay: "12.5s" }] }), 12.5],
  [{}, error({ message: "Please retry after 33 seconds." }), 33],
  [{}, error({ message: "try again in 1m2s. Visit us" }), 62],
  [{}, error({ message: "Your limit resets in 2h 5m" }), 7_500],
  [{}, error({ message: "try again in 250ms" }), 1],
  [{}, error({ resets_at: NOW / 1000 + 90 * 86_400 }), 7 * 86_400],
  [{}, error({ message: "try again tomorrow" }), undefined],
  [{}, "<html>try again in a while</html>", undefined],
  [{ "x-ratelimit-reset": "soon" }, "", undefined],
];

for (const [headers, body, seconds] of ROWS) {
  test(`${JSON.stringify(headers)} ${body.slice(0, 70)} is over in ${seconds ?? "nobody knows how many"} seconds`, () => {
    assert.equal(parseRateLimitResetMs(headers, body, NOW), seconds === undefined ? undefined : seconds * 1_000);
  });
}

test("a long body of numbers is read to its end", () => {
  assert.equal(parseRateLimitResetMs({}, `try again in ${"1 ".repeat(200_000)}`, NOW), undefined);
  assert.equal(parseRateLimitResetMs({ "x-ratelimit-reset": "1".repeat(100_000) }, "", NOW), undefined);
});
