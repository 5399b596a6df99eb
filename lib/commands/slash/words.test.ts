import assert from "node:assert/strict";
import { test } from "node:test";
import { cutAtLineEnd, joinOutput } from "./show.js";
import { splitWords } from "./words.js";

const SPLIT: readonly (readonly [string, string, readonly string[]])[] = [
  ["blanks part words", " a  b\tc\nd ", ["a", "b", "c", "d"]],
  ["double quotes keep blanks and escaped quotes", '"say \\"hi\\"" x', ['say "hi"', "x"]],
  ["single quotes keep everything", `'a "b" \\c' d`, ['a "b" \\c', "d"]],
  ["a backslash keeps the next character", 'a\\ b \\"c \\\\', ["a b", '"c', "\\"]],
  ["in double quotes a backslash before a letter is itself", '"a\\nb"', ["a\\nb"]],
  ["quotes may stand inside a word", "--title='a b'c", ["--title=a bc"]],
  ["an empty quote is a word", "a '' b", ["a", "", "b"]],
  ["nothing is expanded", "$HOME `ls` *", ["$HOME", "`ls`", "*"]],
  ["nothing is nothing", "  ", []],
];

for (const [what, line, words] of SPLIT) {
  test(`words of a command: ${what}`, () => {
    assert.deepEqual(
      splitWords(line).map((word) => word.text),
      words,
    );
  });
}

for (const line of ['a "b', "a 'b", '"']) {
  test(`a quote that is never closed is refused with its place: ${line}`, () => {
    assert.throws(() => splitWords(line), new RegExp(`unclosed quote at character ${line.search(/['"]/) + 1}`));
    assert.equal(splitWords(line, "keep").at(-1)?.closed, false);
  });
}

test("what was printed and what was said about it are one text, and nothing says so", () => {
  assert.equal(joinOutput("a\n", "kanban: b\n"), "a\nkanban: b");
  assert.equal(joinOutput("", "b\n"), "b");
  assert.equal(joinOutput("", "\n"), "(no output)");
});

test("a long text is cut at the last line end that fits, counted in characters that people see", () => {
  assert.equal(cutAtLineEnd("x".repeat(3800)), "x".repeat(3800));
  assert.equal(cutAtLineEnd("😀".repeat(3800)), "😀".repeat(3800));
  const lines = Array.from({ length: 500 }, (_, n) => `line ${n} 😀`).join("\n");
  const [body, note] = cutAtLineEnd(lines).split("\n… ");
  assert.ok(body !== undefined && [...body].length <= 3800 && lines.startsWith(`${body}\n`));
  assert.equal(note, `(truncated, ${[...lines].length - [...body].length} more characters)`);
  assert.equal(cutAtLineEnd("x".repeat(4000)), `${"x".repeat(3800)}\n… (truncated, 200 more characters)`);
});
