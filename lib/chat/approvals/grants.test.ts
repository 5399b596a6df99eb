import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { SessionId } from "../../base/units.js";
import { createGrantBook, type Grants, withRules } from "./grants.js";

const LINEAGE = "s" as SessionId; // a record is kept under it, and nothing else is looked at

/** A book over a record that is read and written only after a while. */
function setup(stored?: Grants) {
  const clock = manualClock();
  let record = stored === undefined ? undefined : JSON.stringify(stored);
  let writes = 0;
  const later = () => new Promise((resolve) => setImmediate(resolve));
  const keeper = {
    read: async () => {
      const text = record;
      await later();
      return text;
    },
    write: async (_lineage: SessionId, json: string) => {
      await later();
      record = json;
      writes += 1;
    },
  };
  const grants = (): Grants => JSON.parse(record ?? "{}");
  return { clock, book: createGrantBook(keeper, clock), grants, writes: () => writes };
}

test("of two grants that are given at the same time neither is lost", async () => {
  const { book, grants } = setup();
  const add = (rule: string) => book.change(LINEAGE, (before) => withRules(before, [rule], 0));
  await Promise.all([add("terminal(ls *)"), add("terminal(cat *)")]);
  assert.deepEqual(
    grants().rules.map(({ value }) => value),
    ["terminal(ls *)", "terminal(cat *)"],
  );
});

test("approvals that are switched on again stay on although a rule is used at the same moment", async () => {
  const { book, grants } = setup({ rules: [{ value: "r", at: 0, used: null }], yolo: true });
  await Promise.all([book.used(LINEAGE, "r"), book.change(LINEAGE, (before) => ({ ...before, yolo: false }))]);
  assert.equal(grants().yolo, false);
  assert.equal((await book.of(LINEAGE)).yolo, false);
});

test("what is read while a grant is given does not take its place", async () => {
  const { book } = setup();
  const [, read] = await Promise.all([
    book.change(LINEAGE, (before) => ({ ...before, edits: "allow" })),
    book.of(LINEAGE),
  ]);
  assert.deepEqual(read, { rules: [] });
  assert.equal((await book.of(LINEAGE)).edits, "allow");
});

test("the uses of a rule by a busy turn are one commit a minute", async () => {
  const { clock, book, grants, writes } = setup({ rules: [{ value: "r", at: 0, used: null }] });
  for (let n = 0; n < 20; n++) await book.used(LINEAGE, "r");
  await book.used(LINEAGE, "unknown");
  assert.equal(writes(), 1);
  clock.advance(60_000);
  await book.used(LINEAGE, "r");
  assert.deepEqual([writes(), grants().rules[0]?.used], [2, clock.now()]);
});
