import assert from "node:assert/strict";
import { test } from "node:test";
import { checkToml } from "./toml.js";

const GOOD = `# a comment
title = "TOML \\u00e4 \\x41" # another
'quoted key' = 'C:\\n'
a.b.c = 1_000
dates = [1979-05-27T07:32:00Z, 1979-05-27 07:32:00.5-07:00, 1979-05-27, 07:32:00]
numbers = [+1, -2.5, 6.02e23, 0xDEAD_BEEF, 0o755, 0b1010, inf, -nan, 0]
nested = [[1, 2], [
  "x", # inside
  { y = 1, z = { w = true } },
],]
text = """
one \\
   two ""quotes"" """
raw = '''it's '''''

[server]
[server.alpha]
ip = "10.0.0.1"
[[fruit]]
name = "apple"
[fruit.physical]
color = "red"
[[fruit]]
name = "pear"
[fruit.physical]
color = "green"
["dotted.name".inner]
x = {}
`;

test("a text with everything that TOML knows is right", () => {
  assert.equal(checkToml(GOOD), undefined);
  assert.equal(checkToml(GOOD.replaceAll("\n", "\r\n")), undefined);
  assert.equal(checkToml(""), undefined);
  assert.equal(checkToml("\ufeffa = 1"), undefined);
});

const bad: [text: string, error: string][] = [
  ["a = ", "line 1, column 5: expected a value"],
  ["a = 1 b = 2", "line 1, column 7: expected the end of the line"],
  ["a = 1\na = 2", "line 2, column 1: a is defined already"],
  ["[a]\nb = 1\n[a]", "line 3, column 1: the table a is defined already"],
  ["a = 1\n[a.b]", "line 2, column 1: a is a value, not a table"],
  ["a = {b = 1", "line 1, column 11: expected }"],
  ["a = [1, 2", "line 1, column 10: expected ,"],
  ['a = "x\n"', "line 1, column 5: the string is not closed"],
  ['a = """x', "line 1, column 5: the string is not closed"],
  ['a = "\\q"', "line 1, column 6: an escape that is none"],
  ["a = 01", 'line 1, column 6: unexpected "1" after a value'],
  ["a = yes", "line 1, column 5: expected a value"],
  ["[a", "line 1, column 3: expected ]"],
  ["= 1", "line 1, column 1: expected a name"],
  [`a = ${"[".repeat(100_000)}`, "line 1, column 206: nested too deeply"],
];

for (const [text, error] of bad) {
  test(`what is wrong with ${JSON.stringify(text.slice(0, 20))} is told with its place`, () => {
    assert.equal(checkToml(text), error);
  });
}
