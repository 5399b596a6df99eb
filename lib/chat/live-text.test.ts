import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/sim/clock.js";
import { createLineage, createRedactor } from "../safety/redact.js";
import { liveText } from "./live-text.js";

function live() {
  const clock = manualClock();
  const shown: string[] = [];
  const lineage = createLineage();
  const redacting = () => createRedactor({ known: () => [], enabled: true, lineage }).stream();
  return { clock, shown, text: liveText(clock, redacting, (piece) => shown.push(piece)) };
}

test("a secret that streams in pieces is never shown, and every word before it is shown as it comes", () => {
  const { shown, text } = live();
  for (const piece of ["the key ", "is sk-", "abcdefgh", "ijklmnop1234", " and"]) text.add(piece);
  assert.equal(shown.join(""), "the key is «secret:api_key:1» ");
  text.end();
  assert.equal(shown.join(""), "the key is «secret:api_key:1» and");
});

test("what is void is not shown later, and nothing of it is taken for the beginning of what comes again", () => {
  const { shown, text } = live();
  text.add("first half-");
  text.reset();
  text.add("again done ");
  assert.deepEqual(shown, ["first ", "again done "]);
});

test("Chinese and Japanese text is shown as it comes, although it has no blanks", () => {
  const { shown, text } = live();
  for (const piece of ["今日は", "良い天気", "です。sk-abc", "defghijklmnop1", "です"]) text.add(piece);
  assert.equal(shown.join(""), "今日は良い天気です。");
  text.end();
  assert.equal(shown.join(""), "今日は良い天気です。«secret:api_key:1»です");
});
