import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDeps } from "./check-deps.js";
import { checkExports } from "./check-exports.js";
import { checkFolders } from "./check-folders.js";
import { checkFragments } from "./check-fragments.js";
import { checkPacking } from "./check-packing.js";
import { checkPlaces } from "./check-places.js";
import { checkSize } from "./check-size.js";
import type { Check } from "./check-type.js";
import { checkWords, findInDocument } from "./check-words.js";
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
    name: "files that import each other through a generated index at once are found",
    check: checkDeps,
    files: {
      "tui/board/pane.ts": 'import { a } from "../index.gen.js";',
      "tui/index.gen.ts": 'import board from "./board/pane.js";',
    },
    finds: ["tui/board/pane.ts cycle"],
  },
  {
    name: "an index that loads its entries later, or takes types alone, makes no cycle",
    check: checkDeps,
    files: {
      "tui/board/pane.ts": 'import { a } from "../index.gen.js";\nimport { b } from "../model/panes.gen.js";',
      "tui/index.gen.ts": 'const load = async () => (await import("./board/pane.js")).default;',
      "tui/model/panes.gen.ts": 'import type { c } from "../board/pane.js";',
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
  {
    name: "a platform that is named outside of its folder is found: its tag, a member, a variable, its code",
    check: checkPlaces,
    files: {
      "adapters/platforms/msgz/msgz.ts": 'const a = "msgz";',
      "adapters/platforms/msgy/msgy.ts": 'const a = "msgz";',
      "lib/gateway/x.ts": [
        'if (event.platform === "msgz") f();',
        "const a = TABLE.msgz;",
        'const b = env["AGENT_MSGZ_FOLLOWUP"];',
        'import { c } from "../../adapters/platforms/msgz/c.js";\nc();',
      ].join("\n"),
    },
    finds: [
      "adapters/platforms/msgy/msgy.ts platform",
      "lib/gateway/x.ts platform",
      "lib/gateway/x.ts platform",
      "lib/gateway/x.ts platform",
      "lib/gateway/x.ts platform",
    ],
  },
  {
    name: "a text about a platform, a test and a fixture may name it",
    check: checkPlaces,
    files: {
      "adapters/platforms/msgz/msgz.ts": 'const a = "msgz";',
      "lib/gateway/x.ts": "const hint = 'agent send -t msgz \"text\"';",
      "lib/gateway/x.test.ts": 'const a = "msgz";',
      "fixtures/sim/x.ts": 'const a = "msgz";',
    },
    finds: [],
  },
  {
    name: "containment of paths that is judged by hand is found, in each form of it",
    check: checkPlaces,
    files: {
      "lib/base/x.ts": [
        "a.startsWith(b + sep);",
        'a.startsWith(b + "/");',
        `a.startsWith(\`\${b}/\`);`,
        `a.startsWith(\`\${b}\${sep}\`);`,
        'relative(b, a).startsWith("..");',
        `inner.startsWith(\`..\${sep}\`);`,
        "a.startsWith(b.endsWith(sep) ? b : b + sep);",
      ].join("\n"),
    },
    finds: Array.from({ length: 7 }, () => "lib/base/x.ts containment"),
  },
  {
    name: "the one place that knows whether a path is below another passes, and so do other beginnings",
    check: checkPlaces,
    files: {
      "lib/safety/paths/x.ts": 'a.startsWith("../");',
      "lib/base/x.ts": ['a.startsWith("/");', `a.startsWith(\`\${b}:\`);`, 'a.startsWith("ab");'].join("\n"),
    },
    finds: [],
  },
  {
    name: "phrases that no manual would use are found in summaries, options, errors, hints and log lines",
    check: checkWords,
    files: {
      "lib/commands/x.ts": 'export default defineCommand({ summary: "List who is told of what." });',
      "lib/commands/y.ts": 'const a = z.string().describe("asked whoever it is");',
      "lib/board/z.ts": 'throw new AppError("E_INVALID", `${id} is no swarm`, { hint: "ask somebody else" });',
      "lib/http/log.ts": 'log.warning("nobody can be reached any more");',
      "lib/dashboard/page/a.tsx": 'const a = { label: "Put away" };',
    },
    finds: [
      "lib/commands/x.ts words",
      "lib/commands/y.ts words",
      "lib/board/z.ts words",
      "lib/board/z.ts words",
      "lib/http/log.ts words",
      "lib/dashboard/page/a.tsx words",
    ],
  },
  {
    name: "the same phrases pass in comments, instructions to models, tests and names",
    check: checkWords,
    files: {
      "lib/base/x.ts": '// Nobody is told.\nexport const nobody = "a default";',
      "lib/chat/prompt/y.ts": 'const a = { summary: "Do not ask anybody." };',
      "lib/base/z.test.ts": 'const a = { summary: "told to nobody" };',
      "lib/board/a.ts":
        'throw new AppError("E_INVALID", `unknown platform ${id}`, { hint: "it is no longer supported" });',
    },
    finds: [],
  },
];

test("a phrase is found in the prose of a document, not in its code", () => {
  const text = "Whoever asks is told.\n\n    agent whoever\n\nRun `nobody`.\n";
  const found = findInDocument({ path: "README.md", text }).map(
    ({ line, message }) => `${line} ${message.split(" in ")[0]}`,
  );
  assert.deepEqual(found, ['1 "Whoever"', '1 "is told"']);
});

for (const { name, check, files, finds } of CASES) {
  test(name, async () => {
    const { findings } = await check.run(await parseFiles(files));
    assert.deepEqual(
      findings.map(({ file, rule }) => `${file} ${rule}`),
      finds,
    );
  });
}

/** Reports, which fail nothing. */
const REPORTS: readonly {
  name: string;
  check: Check;
  files: Readonly<Record<string, string>>;
  note: string;
}[] = [
  {
    name: "a short file that one other file uses is reported as a fragment",
    check: checkFragments,
    files: { [MAILBOX]: "export const a = 1;\n", [ERRORS]: 'import { a } from "./async/mailbox.js";\na();\n' },
    note: "1 fragments below 25 lines with one importer; smallest: lib/base/async/mailbox.ts 1",
  },
  {
    name: "a longer file, one with two users, and one that a test uses as well are not fragments",
    check: checkFragments,
    files: {
      [ERRORS]: `export const a = 1;\n${"a;\n".repeat(24)}`,
      [SECRET]: 'import { a } from "./errors.js";\nexport const b = a;\n',
      [MAILBOX]: 'import { b } from "../secret.js";\nexport const c = b;\n',
      "lib/base/x.ts": 'import { b } from "./secret.js";\nimport { c } from "./async/mailbox.js";\n',
      "lib/base/x.test.ts": 'import { c } from "./async/mailbox.js";\n',
    },
    note: "0 fragments below 25 lines with one importer",
  },
  {
    name: "a definition, the entries of a list, what is loaded later and a file of another layer are not fragments",
    check: checkFragments,
    files: {
      "lib/base/x.ts": [
        'import { a } from "./errors.js";',
        'import { b } from "./secret.js";',
        'import { c } from "./async/mailbox.js";',
        'import help from "../commands/program/help.js";',
        "export const ALL = new Map([['a', a], ['b', b()], ...c]);",
        "help();",
        'const later = () => import("./limits.js");',
        'import { e } from "../help/help.js";',
        "e();",
      ].join("\n"),
      "lib/base/limits.ts": "export const d = 1;\n",
      "lib/help/help.ts": "export const e = 1;\n",
      [ERRORS]: "export const a = 1;\n",
      [SECRET]: "export const b = 1;\n",
      [MAILBOX]: "export const c = 1;\n",
      "lib/commands/program/help.ts": "export default defineCommand({});\n",
    },
    note: "0 fragments below 25 lines with one importer",
  },
  {
    name: "files whose name is a convention are not fragments",
    check: checkFragments,
    files: Object.fromEntries(
      ["board", "chat", "logs", "runs"].flatMap((pane) => [
        [`tui/${pane}/state.ts`, "export const a = 1;\n"],
        [`tui/${pane}/x.ts`, 'import { a } from "./state.js";\na;\n'],
      ]),
    ),
    note: "0 fragments below 25 lines with one importer",
  },
  {
    name: "a folder with more than 25 files is reported, tests and generated files not counted",
    check: checkFolders,
    files: Object.fromEntries(
      Array.from({ length: 26 }, (_, at) => [
        [`lib/base/x${at}.ts`, ""],
        [`lib/help/x${at}${at === 0 ? ".gen" : ""}.ts`, ""],
        [`lib/safety/x${at}.test.ts`, ""],
      ]).flat(),
    ),
    note: "1 folders above 25 files; largest: lib/base 26",
  },
  {
    name: "exports without a doc comment are reported; settings have their help",
    check: checkExports,
    files: {
      "lib/base/x.ts": [
        "/** It has one. */",
        "export const a = 1;",
        "export interface B {}",
        "",
        "export const C = configKey({});",
        "// No doc comment.",
        "export async function d() {}",
      ].join("\n"),
      "lib/base/y.ts": "export type E = 1;",
    },
    note: "3 exports without a doc comment, in 2 files; most: lib/base/x.ts 2, lib/base/y.ts 1",
  },
];

for (const { name, check, files, note } of REPORTS) {
  test(name, async () => {
    const { notes = [] } = await check.run(await parseFiles(files));
    assert.ok(
      notes.some((line) => line.startsWith(note)),
      notes.join("\n"),
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
