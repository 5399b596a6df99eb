import assert from "node:assert/strict";
import { test } from "node:test";
import { quotePlain, readPlainLine } from "./line.js";

const READ: readonly (readonly [line: string, calls: string])[] = [
  ["git fetch", "git fetch"],
  ["git fetch origin 2>&1 | tail -5", "git fetch origin 2>&1 | tail -5"],
  ["cd sub && git pull --ff-only; echo done", "cd sub && git pull --ff-only ; echo done"],
  ["git fetch || echo no\ngit status", "git fetch || echo no ; git status"],
  ["git log 'a b' \"c d\" HEAD~1 main..x @{u}", "git log 'a b' 'c d' 'HEAD~1' main..x '@{u}'"],
  ["git fetch >/dev/null 2>&1", "git fetch >/dev/null 2>&1"],
];
for (const [line, calls] of READ) {
  test(`a plain line is read as its calls: ${JSON.stringify(line)}`, () => {
    const shown = readPlainLine(line)?.map(({ after, calls: all }) =>
      `${after} ${all.map((call) => [...call.words.map(quotePlain), ...call.redirects].join(" ")).join(" | ")}`.trim(),
    );
    assert.equal(shown?.join(" "), calls);
  });
}

const NOT_PLAIN = [
  "",
  "git fetch &",
  "git fetch $x",
  "git fetch `id`",
  'git fetch "$x"',
  "git fetch > out",
  "git fetch < in",
  "X=1 git fetch",
  "(git fetch)",
  "{ git fetch; }",
  "if true; then git fetch; fi",
  "git fetch {a,b}",
  "git fetch {1..3}",
  "git fetch *",
  "git fetch ~/x",
  "git fetch a\\ b",
  "git fetch && ",
  "&& git fetch",
  "git fetch |",
  "! git fetch",
  "git fetch #x",
  'git fetch "a\\"b"',
  "git fetch 'a",
  "git fetch $'a'",
  "time git fetch",
  "git fetch;; git pull",
  "git fetch 2>file",
  "x=~/y git fetch",
  "git fetch\u0000",
  "git fetch 3>&1",
];
for (const line of NOT_PLAIN) {
  test(`a line that asks more of a shell is not plain: ${JSON.stringify(line)}`, () =>
    assert.equal(readPlainLine(line), undefined));
}

test("a word with quotes in it comes back as it was", () => {
  const words = readPlainLine(`git push o'rig'in "it's"`)?.[0]?.calls[0]?.words;
  assert.deepEqual(words, ["git", "push", "origin", "it's"]);
  assert.equal(quotePlain("it's"), "'it'\\''s'");
});

test("a long line without an end of its quote is refused at once", () => {
  assert.equal(readPlainLine(`git fetch ${"'a' ".repeat(20_000)}'`), undefined);
});
