import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Anchor,
  type Entry,
  endOf,
  entryOf,
  findVisibleRows,
  rowsSince,
  scrolled,
  scrollToEntry,
} from "./viewport.js";

const rowsNamed = (key: string, count: number) =>
  Array.from({ length: count }, (_, row) => [[0, `${key}${row}`] as const]);
const entry = (key: string, count: number): Entry => entryOf(key, () => rowsNamed(key, count));
const ROOM = { width: 20, height: 4 };

const shown = (entries: readonly Entry[], anchor: Anchor | undefined, room = ROOM) =>
  findVisibleRows(entries, anchor, room).rows.map(({ row }) => row.map(([, text]) => text).join(""));

const A = entry("a", 3);
const B = entry("b", 5);
const C = entry("c", 2);

test("the end is seen when it is followed", () => {
  assert.deepEqual(shown([A, B, C], undefined), ["b3", "b4", "c0", "c1"]);
  assert.deepEqual(shown([C], undefined), ["c0", "c1"]);
  assert.deepEqual(shown([], undefined), []);
});

test("scrolling up leaves the end, scrolling down finds it again", () => {
  const up = scrolled([A, B, C], undefined, -3, ROOM);
  assert.deepEqual(shown([A, B, C], up), ["b0", "b1", "b2", "b3"]);
  const top = scrolled([A, B, C], up, -50, ROOM);
  assert.deepEqual([shown([A, B, C], top)[0], findVisibleRows([A, B, C], top, ROOM).start], ["a0", true]);
  assert.deepEqual(shown([A, B, C], scrolled([A, B, C], top, 2, ROOM)), ["a2", "b0", "b1", "b2"]);
  assert.equal(scrolled([A, B, C], up, 3, ROOM), undefined);
  assert.equal(scrolled([A, B, C], up, 99, ROOM), undefined);
});

test("what is read stays while rows come above, below, and in the entry itself", () => {
  const at = scrolled([A, B, C], undefined, -2, ROOM);
  const before = shown([A, B, C], at);
  assert.deepEqual(shown([entry("z", 7), A, B, C, entry("d", 90)], at), before);
  assert.deepEqual(shown([entry("a", 30), entry("b", 50), C], at), before);
});

test("rows that came since the end was left are counted", () => {
  const mark = endOf([A, B], 20);
  assert.equal(rowsSince([A, B], mark, 20), 0);
  assert.equal(rowsSince([A, entry("b", 8), C], mark, 20), 5);
});

test("an entry comes into view by the shortest way", () => {
  assert.deepEqual(shown([A, B, C], scrollToEntry([A, B, C], undefined, "a", ROOM)), ["a0", "a1", "a2", "b0"]);
  assert.equal(scrollToEntry([A, B, C], undefined, "c", ROOM), undefined);
  const top = scrolled([A, B, C], undefined, -50, ROOM);
  const D = entry("d", 3);
  assert.deepEqual(shown([A, B, C, D], scrollToEntry([A, B, C, D], top, "c", ROOM)), ["b3", "b4", "c0", "c1"]);
  assert.deepEqual(shown([A, B, C], scrollToEntry([A, B, C], top, "b", ROOM))[0], "b0");
});

test("a part is laid out once per width", () => {
  let laid = 0;
  const counted = entryOf("x", () => {
    laid += 1;
    return rowsNamed("x", 3);
  });
  for (let frame = 0; frame < 10; frame++) shown([A, counted], undefined);
  assert.equal(laid, 1);
  shown([A, counted], undefined, { width: 30, height: 4 });
  assert.equal(laid, 2);
});

test("with many entries only what is seen is laid out", () => {
  const laid = new Set<string>();
  const many = Array.from({ length: 10_000 }, (_, at) =>
    entryOf(`e${at}`, () => {
      laid.add(`e${at}`);
      return rowsNamed("e", 2);
    }),
  );
  assert.equal(shown(many, undefined).length, 4);
  assert.ok(laid.size < 10, `${laid.size} were laid out`);
});
