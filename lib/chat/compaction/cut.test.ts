import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cut, type CutWish, cutOf } from "./cut.js";
import type { Item } from "./history.js";

/** `u` a user message, `a` an answer, `c` an answer that calls, `t` a result; a number behind it is its length in characters. */
function items(text: string): Item[] {
  return text.split(" ").map((word, at) => {
    const role = ({ u: "user", a: "assistant", c: "assistant", t: "tool" } as const)[word[0] as "u" | "a" | "c" | "t"]; // words of this test
    const toolCalls = word.startsWith("c") ? [{ id: `${at}`, name: "x", arguments: "{}" }] : [];
    const content = word.startsWith("c") ? "" : "x".repeat(Number(word.slice(1) || "4"));
    return {
      id: at,
      role,
      content,
      toolCalls,
      at: 0,
      changed: {},
      toolCallId: undefined,
      toolName: undefined,
      status: undefined,
    };
  });
}

const WISH: CutWish = { first: 3, last: 20, tailBudget: 1_000, scale: 1 };
const pairs = (count: number) => Array.from({ length: count }, () => "u a").join(" ");

const ROWS: readonly { name: string; text: string; wish?: Partial<CutWish>; cut: Partial<Cut> | undefined }[] = [
  { name: "six messages are too few", text: "u a u a u a", cut: undefined },
  { name: "seven messages leave a middle", text: "u a u a u a u", cut: { head: 3, tail: 5 } },
  { name: "no more than the last twenty are kept", text: pairs(30), cut: { head: 3, tail: 40 } },
  {
    name: "large messages end the tail early, but not before eight",
    text: `${pairs(10)} ${"u9000 a9000 ".repeat(6).trim()}`,
    cut: { tail: 24 },
  },
  {
    name: "the budget is counted in the provider's tokens",
    text: `${pairs(10)} ${"u400 a400 ".repeat(6).trim()}`,
    wish: { scale: 10 },
    cut: { tail: 24 },
  },
  {
    name: "the head goes past the results of its calls",
    text: `u c t t t ${pairs(15)}`,
    wish: { first: 2 },
    cut: { head: 5 },
  },
  {
    name: "the tail takes in the call of its first result",
    text: `${pairs(10)} c t t t t t t t t t ${pairs(1)}`,
    wish: { last: 8 },
    cut: { tail: 20 },
  },
  {
    name: "a call in the head leaves its results out of the tail",
    text: `u c t t t t u a u a`,
    wish: { first: 1, last: 6 },
    cut: { head: 1, tail: 6 },
  },
  {
    name: "the newest user message of a long turn is kept",
    text: `u a u a u ${"c t ".repeat(20).trim()}`,
    cut: { head: 3, pinned: [3, 4] },
  },
  {
    name: "the last two exchanges are kept as they are",
    text: `${pairs(10)} u c t a u a`,
    wish: { exchanges: 2 },
    cut: { tail: 20 },
  },
  {
    name: "more exchanges than there are leave nothing to compact",
    text: pairs(5),
    wish: { exchanges: 50 },
    cut: undefined,
  },
  { name: "a second attempt keeps less", text: pairs(30), wish: { pass: 1 }, cut: { tail: 50 } },
  { name: "one batch of calls is never parted", text: `u c ${"t ".repeat(40).trim()}`, cut: undefined },
];

for (const { name, text, wish, cut } of ROWS) {
  test(name, () => {
    const list = items(text);
    const found = cutOf(list, { ...WISH, ...wish });
    if (cut === undefined || found === undefined) return assert.equal(found, cut);
    assert.deepEqual({ ...found, ...cut }, found);
    assert.notEqual(list[found.tail]?.role, "tool");
  });
}
