import assert from "node:assert/strict";
import { test } from "node:test";
import { cardOf } from "../../../../../fixtures/dashboard/cards.js";
import { formatSpan } from "../../words/time.js";
import { measureCardAge } from "./age.js";
import { readDraftForm } from "./draft.js";
import { laneRows } from "./lanes.js";
import { kept, NO_SELECTION, ranged, toggleCard } from "./selection.js";
import { shortcutOf } from "./shortcuts.js";

const HOUR = 3600;
const DAY = 24 * HOUR;

const AGES = [
  { status: "ready", slow: HOUR, stale: DAY },
  { status: "running", slow: 600, stale: HOUR },
  { status: "blocked", slow: HOUR, stale: DAY },
  { status: "todo", slow: 7 * DAY, stale: 30 * DAY },
] as const;

for (const { status, slow, stale } of AGES)
  test(`a ${status} card is coloured after ${formatSpan(slow)}, and again after ${formatSpan(stale)}`, () => {
    const level = (age: number) => measureCardAge(cardOf("t_1", { status, since: 0 }), age).level;
    assert.deepEqual(
      [level(slow - 1), level(slow), level(stale - 1), level(stale)],
      ["fresh", "slow", "slow", "stale"],
    );
  });

test("a running card is as old as the silence of its worker; a done one grows no colour", () => {
  assert.equal(
    measureCardAge(cardOf("t_1", { status: "running", since: 0, last_heartbeat_at: 7000 }), 7100).seconds,
    100,
  );
  assert.equal(measureCardAge(cardOf("t_1", { status: "done", since: 0 }), 900 * DAY).level, "fresh");
});

test("cards are selected one by one and in ranges of a column, and what is gone is selected no more", () => {
  const one = toggleCard(NO_SELECTION, "b");
  const range = ranged(one, "d", ["a", "b", "c", "d", "e"]);
  assert.deepEqual([...range.ids], ["b", "c", "d"]);
  assert.deepEqual([...ranged(range, "x", ["x", "y"]).ids], ["b", "c", "d", "x"]);
  assert.deepEqual([...toggleCard(range, "c").ids], ["b", "d"]);
  assert.equal(
    kept(range, () => true),
    range,
  );
  assert.deepEqual([...kept(range, (id) => id !== "d").ids], ["b", "c"]);
});

test("running cards stand under who works them", () => {
  const cards = new Map(
    [cardOf("t_1", { assignee: "web" }), cardOf("t_2", { assignee: "api" }), cardOf("t_3")].map((card) => [
      card.id as string,
      card,
    ]),
  );
  assert.deepEqual(laneRows(["t_1", "t_2", "t_3"], cards), [
    { lane: "api", count: 1 },
    { card: "t_2", at: 0 },
    { lane: "nobody", count: 1 },
    { card: "t_3", at: 1 },
    { lane: "web", count: 1 },
    { card: "t_1", at: 2 },
  ]);
});

const form = (fields: Readonly<Record<string, string>>) => ({ get: (name: string) => fields[name] ?? null });

test("a form for a new task sends what was filled in, and what its column means", () => {
  assert.deepEqual(
    readDraftForm(form({ title: " a ", priority: "2", skills: "x, y z", parents: "t_1 t_2", assignee: "" }), "triage"),
    {
      fields: { title: "a", priority: 2, skills: ["x", "y z"], parents: ["t_1", "t_2"], triage: true },
    },
  );
  assert.deepEqual(readDraftForm(form({ title: "a" }), "ready"), { fields: { title: "a" } });
  assert.ok("problem" in readDraftForm(form({ title: "  " }), "ready"));
  assert.ok("problem" in readDraftForm(form({ title: "a" }), "scheduled"));
});

const KEYS = [
  { key: "ArrowLeft", does: "step" },
  { key: "c", does: "create" },
  { key: "/", does: "search" },
  { key: "?", does: "help" },
  { key: "q", does: undefined },
] as const;

for (const { key, does } of KEYS)
  test(`the key ${key} ${does === undefined ? "is left to the browser" : `means ${does}`}`, () => {
    const plain = { key, ctrlKey: false, metaKey: false, altKey: false };
    assert.equal(shortcutOf(plain)?.does, does);
    assert.equal(shortcutOf({ ...plain, ctrlKey: true }), undefined);
  });
