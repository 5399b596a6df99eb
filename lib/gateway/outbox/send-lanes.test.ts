import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneHead } from "../../../storage/tables/gateway/outbox.js";
import { laneOf, pickDueHeads } from "./send-lanes.js";

const NOW = 1_000_000;
const head = (id: string, change: Partial<LaneHead> = {}): LaneHead => ({
  id,
  lane: id,
  chat_id: id,
  state: "pending",
  next_attempt_at: NOW,
  updated_at: NOW - 1,
  ...change,
});

const CASES: readonly (readonly [
  string,
  readonly LaneHead[],
  readonly string[],
  number | undefined,
  { busy?: string; free?: number; resting?: readonly [string, number][] }?,
])[] = [
  ["what is due begins", [head("a"), head("b")], ["a", "b"], undefined],
  [
    "what is not due is waited for, the earliest first",
    [head("a", { next_attempt_at: NOW + 9 }), head("b", { next_attempt_at: NOW + 5 })],
    [],
    5,
  ],
  ["a lane that is busy is left alone", [head("a"), head("b")], ["b"], undefined, { busy: "a" }],
  ["a row that is underway holds its lane", [head("a", { state: "sending" }), head("b")], ["b"], undefined],
  ["no more begin than may", [head("a"), head("b"), head("c")], ["a", "b"], undefined, { free: 2 }],
  ["where nothing may begin nothing does", [head("a")], [], undefined, { free: 0 }],
  [
    "a chat that rests is waited for, and takes no place of others",
    [head("a"), head("b")],
    ["b"],
    7,
    { free: 1, resting: [["a", 7]] },
  ],
  [
    "a chat that rests for less than its row waits changes nothing",
    [head("a", { next_attempt_at: NOW + 9 })],
    [],
    9,
    { resting: [["a", 7]] },
  ],
  [
    "a clock that was set back holds nothing up",
    [head("a", { next_attempt_at: NOW + 3_600_000, updated_at: NOW + 3_599_000 })],
    ["a"],
    undefined,
  ],
];

for (const [name, heads, start, next, { busy, free = 16, resting = [] } = {}] of CASES) {
  test(name, () => {
    const picked = pickDueHeads(heads, NOW, {
      busy: new Set(busy === undefined ? [] : [busy]),
      free,
      resting: new Map(resting),
    });
    assert.deepEqual([picked.start.map(({ id }) => id), picked.next], [start, next]);
  });
}

test("targets that differ in any part have lanes of their own, whatever characters they hold", () => {
  const base = { platform: "msgt", account: "a", chatId: "c", threadId: null, replyTo: null } as const;
  const targets = [
    base,
    { ...base, account: "b" },
    { ...base, chatId: 'c",null]' },
    { ...base, threadId: "null" },
    { ...base, platform: "msgd" } as const,
  ];
  assert.equal(new Set(targets.map(laneOf)).size, targets.length);
  assert.equal(laneOf({ ...base, replyTo: "m1" }), laneOf(base));
});
