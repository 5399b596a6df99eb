import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../../fixtures/ports/random.js";
import { splitGraphemes } from "../draw/width.js";
import {
  type Editor,
  EMPTY,
  erase,
  insert,
  type MOVES,
  move,
  redo,
  replace,
  replaceAll,
  typeIn,
  undo,
  yank,
} from "./editor.js";

/** Texts that are typed: one cluster each, wide ones and ones of many code points among them. */
const KEYS = [
  "a",
  "b",
  " ",
  "é",
  "漢",
  "字",
  "😀",
  "👨‍👩‍👧‍👦",
  "🇯🇵",
  "❤️",
  "e\u0301",
  "한",
  "\n",
  "_",
  "-",
  "𝒳",
  "\t",
] as const;
/** The same by clusters in an array, without any cleverness. */
interface Model {
  readonly units: readonly string[];
  readonly at: number;
}

const cursorOf = ({ units, at }: Model): number => units.slice(0, at).join("").length;
const unitsOf = (text: string): readonly string[] =>
  text.split("\n").flatMap((line, n) => (n === 0 ? splitGraphemes(line) : ["\n", ...splitGraphemes(line)]));

function model(text: string, cursor: number): Model {
  const units = unitsOf(text);
  let at = 0;
  for (let used = 0; used < cursor && at < units.length; at++) used += units[at]?.length ?? 0;
  return { units, at };
}

const LETTER = /^[\p{L}\p{N}\p{M}_]/u;

const PLACES: Partial<Record<keyof typeof MOVES, (given: Model) => number>> = {
  left: ({ at }) => Math.max(0, at - 1),
  right: ({ at, units }) => Math.min(units.length, at + 1),
  lineStart: ({ at, units }) => units.lastIndexOf("\n", at - 1) * Number(at > 0) + Number(at > 0),
  lineEnd: ({ at, units }) => (units.indexOf("\n", at) < 0 ? units.length : units.indexOf("\n", at)),
  wordLeft: ({ at, units }) => {
    let place = at;
    while (place > 0 && !LETTER.test(units[place - 1] ?? "")) place -= 1;
    while (place > 0 && LETTER.test(units[place - 1] ?? "")) place -= 1;
    return place;
  },
  wordRight: ({ at, units }) => {
    let place = at;
    while (place < units.length && !LETTER.test(units[place] ?? "")) place += 1;
    while (place < units.length && LETTER.test(units[place] ?? "")) place += 1;
    return place;
  },
};

for (let seed = 1; seed <= 12; seed++)
  test(`the text and its cursor are those of a plain model, whatever is done: seed ${seed}`, () => {
    const random = seeded(seed);
    const steps = Object.keys(PLACES) as (keyof typeof MOVES)[]; // its own keys
    let editor: Editor = EMPTY;
    for (let n = 0; n < 250; n++) {
      const now = model(editor.text, editor.cursor);
      assert.equal(cursorOf(now), editor.cursor, "the cursor stands between two clusters");
      const way = random.below(100);
      const step = random.pick(steps);
      const place = PLACES[step]?.(now) ?? now.at;
      const from = Math.min(place, now.at);
      const to = Math.max(place, now.at);
      if (way < 45) {
        const typed = random.pick(KEYS);
        const text = editor.text.slice(0, editor.cursor) + typed + editor.text.slice(editor.cursor);
        const cursor = editor.cursor + typed.length;
        editor = typeIn(editor, typed);
        assert.deepEqual([editor.text, editor.cursor], [text, cursor]);
      } else if (way < 75) {
        editor = move(editor, step);
        assert.equal(
          editor.cursor,
          now.units.slice(0, place).join("").length,
          `${step} in ${JSON.stringify(editor.text)}`,
        );
      } else if (way < 95) {
        editor = erase(editor, step, way < 85);
        assert.equal(editor.text, [...now.units.slice(0, from), ...now.units.slice(to)].join(""), `erase ${step}`);
      } else {
        const { text } = editor;
        const back = undo(editor);
        editor = back === editor ? editor : redo(back);
        assert.equal(editor.text, text);
      }
    }
  });

test("everything that was done can be undone, step by step, and done again", () => {
  const random = seeded(7);
  let editor: Editor = EMPTY;
  const texts = [""];
  for (let n = 0; n < 150; n++) {
    editor = random.below(10) < 7 ? insert(editor, `${n} `) : replace(editor, 0, Math.min(3, editor.text.length), "x");
    if (editor.text !== texts.at(-1)) texts.push(editor.text);
  }
  assert.ok(editor.undo.length >= 100);
  for (const text of texts.toReversed().slice(1)) {
    editor = undo(editor);
    assert.equal(editor.text, text);
  }
  for (const text of texts.slice(1)) {
    editor = redo(editor);
    assert.equal(editor.text, text);
  }
});

test("letters that were typed in one go are one step, a paste is one by itself", () => {
  const typed = [..."hello"].reduce<Editor>((editor, letter) => typeIn(editor, letter), EMPTY);
  const pasted = insert(typed, " big world");
  assert.equal(undo(pasted).text, "hello");
  assert.equal(undo(undo(pasted)).text, "");
  assert.equal(undo(typeIn(move(typed, "left"), "x")).text, "hello");
});

test("what is deleted in a row by words comes back in one piece", () => {
  const text = replaceAll(EMPTY, "one two three");
  const cut = erase(erase(text, "wordLeft", true), "wordLeft", true);
  assert.deepEqual([cut.text, yank(cut).text], ["one ", "one two three"]);
});

for (const [what, line] of [
  ["letters", "the quick brown fox jumps over the lazy dog\n"],
  ["wide signs", "漢字 😀 👨‍👩‍👧‍👦 🇯🇵 e\u0301 ❤️ and so on and on\n"],
  ["one line", "all in a single line without an end, "],
] as const)
  test(`a key in the middle of 1 MiB of ${what} takes less than 2 ms of the processor`, () => {
    const text = line.repeat(Math.floor((1 << 20) / line.length) - 10);
    let editor = { ...replaceAll(EMPTY, text), cursor: line.length * Math.floor(text.length / line.length / 2) };
    const times: number[] = [];
    for (let n = 0; n < 40; n++) {
      const begin = process.cpuUsage();
      editor = typeIn(editor, "x");
      editor = move(erase(editor, "left"), "right");
      const { user, system } = process.cpuUsage(begin);
      times.push((user + system) / 1000);
    }
    // The cheapest one: the others hold what the engine does beside it.
    const least = Math.min(...times);
    const copied = costOfCopy(text);
    // Each of them under 2 ms; on a machine that is slow or busy as many times what one copy of the text costs there.
    assert.ok(least < Math.max(4, 12 * copied), `${least} ms for two changes and a move, ${copied} ms for a copy`);
  });

/** Milliseconds of the processor that one copy of the text costs at least. */
function costOfCopy(text: string): number {
  const times = Array.from({ length: 20 }, () => {
    const begin = process.cpuUsage();
    Buffer.from(text, "utf16le").toString("utf16le");
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
