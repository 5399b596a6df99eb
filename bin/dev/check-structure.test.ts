import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExports } from "./check-exports.js";
import { checkFolders } from "./check-folders.js";
import { checkPacking } from "./check-packing.js";
import { checkSize } from "./check-size.js";
import type { Check } from "./check-type.js";
import { parseText, type Source } from "./parse.js";

/** Files that exist, so that imports between them lead somewhere; their text here is planted. */
const ERRORS = "lib/base/errors.ts";
const SECRET = "lib/base/secret.ts";
const MAILBOX = "lib/base/async/mailbox.ts";

const CASES: readonly {
  name: string;
  check: Check;
  files: Readonly<Record<string, string>>;
  finds: readonly string[];
}[] = [
  {
    name: "folders that import each other are found, with one import for each step",
    check: checkFolders,
    files: { [ERRORS]: 'import { a } from "./async/mailbox.js";', [MAILBOX]: 'import { b } from "../errors.js";' },
    finds: ["lib/base folder cycle"],
  },
  {
    name: "folders that import in one direction pass",
    check: checkFolders,
    files: { [ERRORS]: "export const b = 1;", [MAILBOX]: 'import { b } from "../errors.js";' },
    finds: [],
  },
  {
    name: "features of the screen may know each other",
    check: checkFolders,
    files: {
      "tui/board/pane.ts": 'import { a } from "../runs/pane.js";',
      "tui/runs/pane.ts": 'import { b } from "../board/pane.js";',
    },
    finds: [],
  },
  {
    name: "a file beside a folder of its name is found",
    check: checkFolders,
    files: { "lib/base/async.ts": "export const a = 1;", [MAILBOX]: "export const b = 1;" },
    finds: ["lib/base/async.ts namesake"],
  },
  {
    name: "a literal that is spread into another is found",
    check: checkPacking,
    files: { "lib/base/x.ts": "const a = { ...{ b: 1, c: 2 } };\nconst d = [...[1, 2], 3];" },
    finds: ["lib/base/x.ts packing", "lib/base/x.ts packing"],
  },
  {
    name: "what may be missing is spread as ever",
    check: checkPacking,
    files: {
      "lib/base/x.ts":
        "const a = { ...(b === undefined ? {} : { b }), ...rest };\nconst [first, ...others] = [...list];",
    },
    finds: [],
  },
  {
    name: "names that are declared as one list are found",
    check: checkPacking,
    files: { "lib/base/x.ts": "const [a, b] = [1, 2];" },
    finds: ["lib/base/x.ts packing"],
  },
  {
    name: "an exported value that nothing imports is found",
    check: checkExports,
    files: {
      [SECRET]: "export const used = 1;\nexport function unused() {}",
      [MAILBOX]: 'import { used } from "../secret.js";',
    },
    finds: ["lib/base/secret.ts unused export"],
  },
  {
    name: "a name of lib that means two things is found, types included",
    check: checkExports,
    files: {
      [SECRET]: "export interface Door {}",
      [MAILBOX]: "export interface Door {}",
      "tui/app/x.ts": "export interface Door {}",
    },
    finds: ["lib/base/async/mailbox.ts name twice"],
  },
  {
    name: "a module that is taken whole offers all of its exports",
    check: checkExports,
    files: { [ERRORS]: "export const one = 1;", [MAILBOX]: 'import * as errors from "../errors.js";\nerrors.one;' },
    finds: [],
  },
];

for (const { name, check, files, finds } of CASES) {
  test(name, async () => {
    const { findings } = await check.run(await parseFiles(files));
    assert.deepEqual(
      findings.map(({ file, rule }) => `${file} ${rule}`),
      finds,
    );
  });
}

test("long files and functions are reported, and fail nothing", async () => {
  const long = `function f() {\n${"  g();\n".repeat(310)}}`;
  const { findings, notes = [] } = await checkSize.run(await parseFiles({ "lib/base/x.ts": long }));
  assert.deepEqual(findings, []);
  assert.match(notes.join("\n"), /1 files above 300 lines; largest: lib\/base\/x\.ts 312/);
  assert.match(notes.join("\n"), /1 functions above 70 lines; largest: lib\/base\/x\.ts:1 f 312/);
});

const parseFiles = (files: Readonly<Record<string, string>>): Promise<readonly Source[]> =>
  Promise.all(Object.entries(files).map(([path, text]) => parseText(path, text)));
