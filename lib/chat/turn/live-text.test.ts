import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { createLineage, createRedactor } from "../../safety/redact/redact.js";
import { liveText } from "./live-text.js";

function live() {
  const clock = manualClock();
  const shown: string[] = [];
  const lineage = createLineage();
  const redacting = () => createRedactor({ known: () => [], enabled: true, lineage }).stream();
  const text = liveText(clock, redacting, (piece) => shown.push(piece));
  /** Pieces that come one by one, slower than they are gathered. */
  const add = (...pieces: readonly string[]) => {
    for (const piece of pieces) {
      text.add(piece);
      clock.advance(20);
    }
  };
  return { clock, shown, text, add };
}

test("pieces that come at once are shown together within 16 ms, the first of them as it comes", () => {
  const { clock, shown, text } = live();
  for (const piece of ["one ", "two ", "three "]) text.add(piece);
  assert.deepEqual(shown, ["one "]);
  clock.advance(16);
  assert.deepEqual(shown, ["one ", "two three "]);
  clock.advance(100);
  text.add("four ");
  text.add("five ");
  text.flush();
  text.flush();
  text.add("six");
  assert.deepEqual(shown.slice(2), ["four ", "five "]);
  text.end();
  assert.deepEqual(shown.slice(2), ["four ", "five ", "six"]);
  clock.advance(1_000);
  assert.equal(shown.length, 5);
});

test("a secret that streams in pieces is never shown, and every word before it is shown as it comes", () => {
  const { shown, text, add } = live();
  add("the key ", "is sk-", "abcdefgh", "ijklmnop1234", " and");
  assert.equal(shown.join(""), "the key is «secret:api_key:1» ");
  text.end();
  assert.equal(shown.join(""), "the key is «secret:api_key:1» and");
});

test("what is void is not shown later, and nothing of it is taken for the beginning of what comes again", () => {
  const { shown, text, add } = live();
  add("first half-");
  text.reset();
  add("again done ");
  assert.deepEqual(shown, ["first ", "again done "]);
});

test("Chinese and Japanese text is shown as it comes, although it has no blanks", () => {
  const { shown, text, add } = live();
  add("今日は", "良い天気", "です。sk-abc", "defghijklmnop1", "です");
  assert.equal(shown.join(""), "今日は良い天気です。");
  text.end();
  assert.equal(shown.join(""), "今日は良い天気です。«secret:api_key:1»です");
});
