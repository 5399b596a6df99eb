import assert from "node:assert/strict";
import { test } from "node:test";
import { codeRows } from "./highlight.js";
import { THEME } from "./theme.js";

const NAMES = new Map<number, string>([
  [THEME.text, ""],
  [THEME.code, "string"],
  [THEME.codeKeyword, "word"],
  [THEME.codeNumber, "value"],
  [THEME.codeComment, "comment"],
  [THEME.codeName, "name"],
  [THEME.codeOperator, "op"],
]);

/** What is coloured, as `kind:text`; plain text is left out. */
const shown = (lang: string, ...lines: readonly string[]): readonly string[] =>
  codeRows(lines, lang, 200).flatMap((row) =>
    row.flatMap(([style, text]) => {
      const name = NAMES.get(style);
      assert.notEqual(name, undefined, text);
      return text.trim() === "" || name === "" ? [] : [`${name}:${text}`];
    }),
  );

const CASES: readonly (readonly [lang: string, line: string, ...kinds: string[]])[] = [
  [
    "ts",
    `const a = f(1, \`b \${c.d}\`);`,
    "word:const",
    "op:=",
    "name:f",
    "value:1",
    "string:`b ",
    `value:\${c.d}`,
    "string:`",
  ],
  [
    "js",
    "return /a[/]b/g.test(Array.from(x)) // y",
    "word:return",
    "string:/a[/]b/g",
    "name:test",
    "value:Array",
    "name:from",
    "comment:// y",
  ],
  ["js", "x = a / b / c", "op:=", "op:/", "op:/"],
  ["ts", "@Input() max: Foo = MAX_SIZE;", "value:@Input", "value:Foo", "op:=", "value:MAX_SIZE"],
  [
    "python",
    'def f(a): return f"x {a!r} y"',
    "word:def",
    "name:f",
    "word:return",
    'string:f"x ',
    "value:{a!r}",
    'string: y"',
  ],
  [
    "sh",
    'npm test --silent "$HOME/x" | grep -c ok # all',
    "name:npm",
    "name:--silent",
    'string:"',
    "value:$HOME",
    'string:/x"',
    "op:|",
    "name:grep",
    "name:-c",
    "comment:# all",
  ],
  ["sh", "FOO=1 make", "op:=", "value:1"],
  ["json", '{"a": "b", "c": [1, true]}', 'name:"a"', 'string:"b"', 'name:"c"', "value:1", "word:true"],
  ["yaml", "  - name: x # y", "name:name", "comment:# y"],
  ["toml", "[tool.x]", "value:[tool.x]"],
  ["css", "  color: #fff; margin: 0 2px", "name:color", "value:#fff", "name:margin", "value:0", "value:2px"],
  ["html", '<a href="x">b</a>', "name:<a", "value:href", 'string:"x"', "name:>", "name:</a", "name:>"],
  [
    "rust",
    "println!(\"a\"); fn x<'a>(y: &'a str)",
    "name:println!",
    'string:"a"',
    "word:fn",
    "op:<",
    "value:'a",
    "op:>",
    "op:&",
    "value:'a",
    "word:str",
  ],
  [
    "sql",
    "SELECT count(*) FROM t WHERE a >= 1",
    "word:SELECT",
    "name:count",
    "op:*",
    "word:FROM",
    "word:WHERE",
    "op:>=",
    "value:1",
  ],
  ["none-such", "if (a) b", "string:if (a) b"],
];

for (const [lang, line, ...kinds] of CASES)
  test(`code in ${lang} has its colours: ${line}`, () => assert.deepEqual(shown(lang, line), kinds));

test("a string over several lines keeps its colour, besides what is computed in it", () => {
  assert.deepEqual(shown("ts", "a(`one", `two \${b}`, "three`, 4)"), [
    "name:a",
    "string:`one",
    "string:two ",
    `value:\${b}`,
    "string:three`",
    "value:4",
  ]);
});

const HOSTILE: readonly (readonly [string, string])[] = [
  ["quotes", '"'.repeat(1_999)],
  ["open strings", "'\\".repeat(990)],
  ["slashes", "=/[".repeat(660)],
  ["blanks", `${" ".repeat(1_990)}x`],
  ["letters", "A".repeat(1_999)],
  ["braces", "`${".repeat(660)],
  ["dashes", " -".repeat(990)],
  ["brackets", "[".repeat(1_999)],
  ["tags", "<a".repeat(990)],
];

for (const lang of ["ts", "python", "sh", "rust", "yaml", "json", "css", "html", "ruby", "php", "sql", "c", "perl"])
  test(`lines that are made to be slow take no time in ${lang}`, () => {
    const start = process.cpuUsage();
    for (const [, line] of HOSTILE) for (let times = 0; times < 5; times++) codeRows([line], lang, 200);
    const { user } = process.cpuUsage(start);
    assert.ok(user < 500_000, `${user} us`);
  });
