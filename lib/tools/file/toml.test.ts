import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { lintText } from "./lint.js";

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

/** The finding of a written TOML file, without the title. */
async function lint(t: TestContext, text: string): Promise<string> {
  const found = await lintText({ path: "a.toml", before: undefined, after: text, covered: false }, bench(t).context);
  return found.status === "error" ? found.output.replace(/^.*\n/, "") : found.status;
}

const RIGHT = [
  GOOD,
  GOOD.replaceAll("\n", "\r\n"),
  "",
  "\ufeffa = 1",
  "a = 99999999999999999999",
  "a = {\n  b = 1,\n}",
];

test("a text with everything that TOML knows is right", async (t) => {
  for (const text of RIGHT) assert.equal(await lint(t, text), "ok", text);
});

test("members that every object has are names as all others, and change nothing", async (t) => {
  assert.equal(await lint(t, "__proto__.a = 1\n[constructor.prototype]\nb = 1"), "ok");
  assert.deepEqual(["a" in {}, "b" in {}], [false, false]);
});

const TWICE = "trying to redefine an already defined table or value";
const OPEN = "expected comma or end of structure";

const bad: [text: string, error: string][] = [
  ["a = ", "line 1, column 5: invalid value"],
  ["a = 1 b = 2", "line 1, column 7: each key-value declaration must be followed by an end-of-line"],
  ["a = 1\na = 2", `line 2, column 1: ${TWICE}`],
  ["[a]\nb = 1\n[a]", `line 3, column 2: ${TWICE}`],
  ["a = 1\n[a.b]", `line 2, column 2: ${TWICE}`],
  ["a = {b = 1", `line 1, column 11: ${OPEN}`],
  ["a = [1, 2", `line 1, column 10: ${OPEN}`],
  ['a = "x\n"', "line 1, column 7: the string is not closed"],
  ['a = 1\r\nb = "x\r\n"', "line 2, column 7: the string is not closed"],
  ['a = "x\u0001"', "line 1, column 7: control characters are not allowed in strings"],
  ['a = """x', "line 1, column 5: unfinished string"],
  ['a = "\\q"', "line 1, column 7: unrecognised escape sequence"],
  ["a = 01", "line 1, column 5: illegal leading zero"],
  ["a = yes", "line 1, column 5: invalid value"],
  ["[a", "line 1, column 2: incomplete key-value: cannot find end of key"],
  ["= 1", "line 1, column 1: unexpected end of key"],
  [`a = ${"[".repeat(100_000)}`, "line 1, column 1005: document contains excessively nested structures. aborting."],
];

for (const [text, error] of bad) {
  test(`what is wrong with ${JSON.stringify(text.slice(0, 20))} is reported with its place`, async (t) => {
    assert.equal(await lint(t, text), error);
  });
}
