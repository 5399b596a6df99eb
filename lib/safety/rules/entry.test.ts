import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRuleEntry } from "./entry.js";
import { readRuleText } from "./text.js";

const read = async (text: string) => parseRuleEntry({ list: "deny", value: await readRuleText(text) });

const WRONG: readonly (readonly [string, RegExp])[] = [
  ['{paths: ["/x/**"]}', /^paths need command: \{command: PROGRAM, paths: …\}/],
  ["{comand: cat}", /^unknown field comand; a rule has command/],
  ["{ comand: cat }", /^unknown field comand/],
  ["{command: cat, path: [x]}", /^unknown field path;/],
  ["{command: cat, inline: maybe}", /^inline is true or false/],
  ["{command: [cat]}", /^command is not a text/],
  ["{tool: read_file, arg: {path: x}}", /^unknown field arg;/],
  ["{tool: read_file, args: x}", /^args is not a map/],
  ["{tool: read_file, paths: [x]}", /^a tool rule has tool, args and schema, not paths/],
  ["{args: {path: x}}", /^args needs tool/],
  ["{cage: off}", /^cage: off is all/],
  ["{}", /^a rule needs command, line or tool/],
  ["{command: cat", /^\{command: cat is not a rule/],
  ["[cat, ls]", /^a rule is a text or a map, not a list/],
  ["- cat", /^a rule is a text or a map, not a list/],
  ["command: cat", /^$/],
  ["comand: cat", /^unknown field comand/],
  ["read: /x/**", /^read: stands directly before its pattern, as in "read:\/x\/\*\*"/],
  ["raed:/x/**", /^unknown kind raed: use write, read/],
  ['"{paths: [x]}"', /^\{paths: \[x\]\} is not a rule/],
];
for (const [text, why] of WRONG) {
  test(`a rule that was meant as a map or a list says what is wrong with it: ${text}`, async () => {
    const rule = await read(text);
    if (text === "command: cat") assert.equal(typeof rule === "object" && rule.text, "cat");
    else assert.match(String(rule), why);
  });
}

for (const text of ["{ echo a; }", "[ -f x ]", "[[ -f x ]]", "cat", "*", "file:", "npm run test:unit", ": > x"]) {
  test(`a command line stays one, whatever brackets it has: ${text}`, async () => {
    const rule = await read(text);
    assert.equal(typeof rule === "object" && rule.kind, "command", String(rule));
  });
}
