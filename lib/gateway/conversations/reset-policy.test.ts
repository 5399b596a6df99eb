import assert from "node:assert/strict";
import { test } from "node:test";
import { policyOf, type ResetPolicy, resetDue } from "./reset-policy.js";

const GENERAL: ResetPolicy = {
  mode: "both",
  at_hour: 4,
  idle_minutes: 1440,
  notify: true,
  notify_exclude_platforms: ["webhook"],
};
const at = (text: string) => Date.parse(text);

const CASES: readonly (readonly [
  string,
  Partial<ResetPolicy>,
  string,
  string,
  string,
  "daily" | "idle" | undefined,
])[] = [
  ["used before 4 in the morning", { mode: "daily" }, "2026-03-02T03:59:59Z", "2026-03-02T04:00:00Z", "UTC", "daily"],
  ["used at 4 in the morning", { mode: "daily" }, "2026-03-02T04:00:00Z", "2026-03-02T23:00:00Z", "UTC", undefined],
  ["used last night, before 4", { mode: "daily" }, "2026-03-01T23:00:00Z", "2026-03-02T03:00:00Z", "UTC", undefined],
  ["used last night, after 4", { mode: "daily" }, "2026-03-01T23:00:00Z", "2026-03-02T05:00:00Z", "UTC", "daily"],
  [
    "the hour is that of the zone",
    { mode: "daily" },
    "2026-03-01T20:00:00Z",
    "2026-03-01T22:00:00Z",
    "Asia/Kolkata",
    undefined,
  ],
  [
    "and a day begins there",
    { mode: "daily" },
    "2026-03-01T20:00:00Z",
    "2026-03-01T22:30:00Z",
    "Asia/Kolkata",
    "daily",
  ],
  [
    "a clock set forward over the hour",
    { mode: "daily", at_hour: 2 },
    "2026-03-29T00:30:00Z",
    "2026-03-29T01:30:00Z",
    "Europe/Berlin",
    "daily",
  ],
  ["midnight", { mode: "daily", at_hour: 0 }, "2026-03-01T23:59:00Z", "2026-03-02T00:00:00Z", "UTC", "daily"],
  [
    "idle long enough",
    { mode: "idle", idle_minutes: 30 },
    "2026-03-02T10:00:00Z",
    "2026-03-02T10:30:00Z",
    "UTC",
    "idle",
  ],
  [
    "not idle long enough",
    { mode: "idle", idle_minutes: 30 },
    "2026-03-02T10:00:00Z",
    "2026-03-02T10:29:59Z",
    "UTC",
    undefined,
  ],
  ["idle says nothing of days", { mode: "idle" }, "2026-03-02T03:00:00Z", "2026-03-02T05:00:00Z", "UTC", undefined],
  [
    "days say nothing of silence",
    { mode: "daily", idle_minutes: 1 },
    "2026-03-02T05:00:00Z",
    "2026-03-02T20:00:00Z",
    "UTC",
    undefined,
  ],
  ["both: the day", { mode: "both" }, "2026-03-02T03:00:00Z", "2026-03-02T05:00:00Z", "UTC", "daily"],
  ["both: silence", { mode: "both", idle_minutes: 5 }, "2026-03-02T05:00:00Z", "2026-03-02T05:05:00Z", "UTC", "idle"],
  ["never", { mode: "none" }, "2020-01-01T00:00:00Z", "2026-03-02T05:05:00Z", "UTC", undefined],
  ["a clock that was set back", { mode: "both" }, "2026-03-02T05:00:00Z", "2026-03-01T05:00:00Z", "UTC", undefined],
];

for (const [what, policy, used, now, zone, due] of CASES) {
  test(`a chat begins again: ${what}: ${due ?? "no"}`, () =>
    assert.equal(resetDue({ ...GENERAL, ...policy }, at(used), at(now), zone), due));
}

test("the policy of a platform holds before that of a type of chat, and that before the general one", () => {
  const settings = { general: GENERAL, byPlatform: { msgt: { mode: "none" } }, byType: { group: { idle_minutes: 5 } } };
  assert.deepEqual(policyOf(settings, { platform: "msgt", chatType: "group" }), { ...GENERAL, mode: "none" });
  assert.deepEqual(policyOf(settings, { platform: "msgd", chatType: "group" }), { ...GENERAL, idle_minutes: 5 });
  assert.deepEqual(policyOf(settings, { platform: "msgd", chatType: "dm" }), GENERAL);
  assert.throws(
    () => policyOf({ ...settings, byType: { dm: { mode: "weekly" } } }, { platform: "msgd", chatType: "dm" }),
    {
      code: "E_CONFIG",
      message: /reset_by_type\.dm\.mode/,
    },
  );
});
