import assert from "node:assert/strict";
import { test } from "node:test";
import { dollars, formatShortCount, size } from "./amounts.js";
import { formatRelativeTime, formatSpan, parseLocalTime, toLocalFieldTime } from "./time.js";

test("a length of time is reported in its largest unit", () => {
  assert.deepEqual([0, 59, 60, 3_599, 7_200, 86_400, 86_400 * 2].map(formatSpan), [
    "0 s",
    "59 s",
    "1 min",
    "59 min",
    "2 h",
    "24 h",
    "2 d",
  ]);
});

test("an instant is reported by its distance from now", () => {
  assert.deepEqual(
    [100, 98, 40, 400].map((at) => formatRelativeTime(at, 100)),
    ["now", "now", "1 min ago", "in 5 min"],
  );
});

test("a day and time come back from the field that showed them", () => {
  const at = 1_799_999_940;
  assert.equal(parseLocalTime(toLocalFieldTime(at)), at);
  assert.equal(parseLocalTime("2026-13-45T99:00"), undefined);
  assert.equal(parseLocalTime("soon"), undefined);
});

test("sizes, counts and money are short", () => {
  assert.deepEqual([0, 1_023, 1_536, 26_214_400].map(size), ["0 B", "1023 B", "1.5 KB", "25 MB"]);
  assert.deepEqual([999, 1_000, 12_345, 999_600, 4_100_000].map(formatShortCount), [
    "999",
    "1k",
    "12.3k",
    "1M",
    "4.1M",
  ]);
  assert.deepEqual([null, 0, 0.00001, 0.0012, 3.456].map(dollars), [
    "price unknown",
    "$0.00",
    "<$0.0001",
    "$0.0012",
    "$3.46",
  ]);
});
