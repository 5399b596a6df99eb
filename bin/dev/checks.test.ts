import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { checkDeps, importsOf } from "./check-deps.js";
import { findUndescribed } from "./check-help.js";
import { checkHouse } from "./check-house.js";
import { compare, compareWithText } from "./check-requirements.js";
import { checkSize } from "./check-size.js";
import { checkSpec } from "./check-spec.js";
import { checkTests } from "./check-tests.js";
import { checkTx } from "./check-tx.js";
import type { Check } from "./check-type.js";
import { citationsOf } from "./citations.js";
import { layerOf, mayImport } from "./layers.js";
import { parseText } from "./parse.js";
import { hash, sentencesOf } from "./spec.js";

async function rules(check: Check, path: string, text: string): Promise<string[]> {
  const { findings } = await check.run([await parseText(path, text)]);
  return findings.map(({ line, rule }) => `${line ?? "-"} ${rule}`);
}

/** Not written out below, for this file is checked as well. */
const PART = "part";

const CASES: readonly { name: string; check: Check; path?: string; text: string; finds: readonly string[] }[] = [
  {
    name: "a body that awaits only its transaction passes",
    check: checkTx,
    text: 'export const f = (store: S) => store.write("x", async (tx) => {\n  await tx.run("a");\n  await settle(tx, 1);\n});',
    finds: [],
  },
  {
    name: "a body that awaits something else is found at its line",
    check: checkTx,
    text: 'type T = { a: 1 };\n\nexport const f = (store: S) => store.write("x", async (tx) => {\n  await tx.run("a");\n  await fetchIt();\n});',
    finds: ["5 transaction"],
  },
  {
    name: "a function of tables that waits for something else is found",
    check: checkTx,
    path: "storage/tables/x.ts",
    text: "export async function f(tx: Tx) {\n  await Promise.all([tx.run(A), tx.run(B)]);\n}",
    finds: ["2 transaction", "2 transaction"],
  },
  {
    name: "time drawn inside a body is found",
    check: checkTx,
    text: 's.write("x", async (tx) => {\n  await tx.run(A, [deps.clock.now()]);\n});',
    finds: ["2 transaction"],
  },
  {
    name: "SQL outside the tables is found",
    check: checkTx,
    text: 'const q = "SELECT a FROM b";',
    finds: ["1 sql place"],
  },
  {
    name: "SQL that draws the time is found",
    check: checkTx,
    path: "storage/tables/x.ts",
    text: 'const q = "UPDATE a SET b = unixepoch()";',
    finds: ["1 sql chance"],
  },
  {
    name: "words that begin like SQL are no SQL",
    check: checkTx,
    text: 'const hint = "SELECT is not allowed";',
    finds: [],
  },
  {
    name: "citations of headings and acceptance checks that the specification has pass",
    check: checkSpec,
    text: "// Ended first, released second (board part, 7.8; core part, 2.1, 2.5 and C18).\nexport const a = 1;",
    finds: [],
  },
  {
    name: "a citation that leads nowhere is found at its line",
    check: checkSpec,
    text: `/** One row. */\n// As the board ${PART}, 7.6 and 99.1 say, and the\n// kitchen ${PART}, 2.\nexport const a = 1;`,
    finds: ["2 citation", "3 citation"],
  },
  {
    name: "five parameters are too many",
    check: checkSize,
    text: "export function f(a: 1, b: 1, c: 1, d: 1, e: 1) {}",
    finds: ["1 parameters"],
  },
  {
    name: "else if is no deeper than its if",
    check: checkSize,
    text: "function f(a: number) {\n  if (a === 1) g();\n  else if (a === 2) g();\n  else if (a === 3) g();\n  else if (a === 4) g();\n  else if (a === 5) g();\n}",
    finds: [],
  },
  {
    name: "five levels are too deep",
    check: checkSize,
    text: "function f() {\n  for (;;) { if (a) { for (;;) { if (b) { while (c) g(); } } } }\n}",
    finds: ["1 nesting"],
  },
  {
    name: "a catch that drops without a reason is found",
    check: checkHouse,
    text: "try {\n  f();\n} catch {\n  // nothing\n}",
    finds: ["3 empty catch"],
  },
  {
    name: "a catch that drops with a reason passes",
    check: checkHouse,
    text: "try {\n  f();\n} catch { /* ok to lose: decoration */ }",
    finds: [],
  },
  {
    name: "a sleeping test is found",
    check: checkTests,
    path: "x.test.ts",
    text: 'test("a", async () => {\n  await new Promise((r) => setTimeout(r, 5));\n});',
    finds: ["2 sleep"],
  },
  {
    name: "two tests of one name are found",
    check: checkTests,
    path: "x.test.ts",
    text: 'test("a", () => {});\ntest("a", () => {});',
    finds: ["2 duplicate name"],
  },
  {
    name: "equal names in two suites are two names",
    check: checkTests,
    path: "x.test.ts",
    text: 'describe("x", () => { test("a", f); });\ndescribe("y", () => { test("a", f); });',
    finds: [],
  },
  {
    name: "only and a silent skip are found",
    check: checkTests,
    path: "x.test.ts",
    text: 'test.only("a", f);\ntest("b", { skip: true }, f);',
    finds: ["1 only", "2 skip"],
  },
  {
    name: "secrets that are compared by anything but the one comparison are found",
    check: checkHouse,
    text: 'const a = given === secret.reveal();\nconst b = secret.reveal() !== given;\nconst c = secret.reveal() !== "";\ncrypto.timingSafeEqual(x, y);\nsameText(given, secret.reveal());',
    finds: ["1 secret comparison", "2 secret comparison", "4 secret comparison"],
  },
  {
    name: "git started outside of its one place is found",
    check: checkDeps,
    text: 'ports.spawner.spawn({ file: "git", args });\nexecFile("/usr/bin/git", []);\nawait exec(`git status --short`);\nrunProgram(["git", "log"]);\nconst PROGRAM = "git";\nif (program === "git") f({ name: "git", path: "a/.git" });',
    finds: ["1 git", "2 git", "3 git", "4 git", "5 git"],
  },
  {
    name: "git in its one place passes",
    check: checkDeps,
    path: "lib/safety/git/x.ts",
    text: 'spawner.spawn({ file: "git", args });',
    finds: [],
  },
];

for (const { name, check, path = "lib/board/x.ts", text, finds } of CASES) {
  test(name, async () => assert.deepEqual(await rules(check, path, text), finds));
}

test("imports point down only", () => {
  assert.equal(mayImport("lib/board", "storage/store.ts"), true);
  assert.equal(mayImport("storage", "lib/board/core/states.ts"), false);
  assert.equal(mayImport("lib/board", "lib/chat/turn/turn.ts"), false);
  assert.equal(mayImport("tui", "lib/backplane/client/connect.ts"), true);
  assert.equal(mayImport("tui", "lib/backplane/client.ts"), true);
  assert.equal(mayImport("tui", "lib/backplane/server.ts"), false);
  assert.equal(layerOf("lib/unknown/x.ts"), undefined);
});

test("imports of types and over several lines are seen", () => {
  const text =
    'import type { A } from "./a.js";\nimport {\n  b,\n  c,\n} from "../b.js";\nexport { d } from "./d.js";\nconst e = await import("./e.js");\nconst no = `import { f } from "./f.js"`;\n';
  const found = importsOf({ path: "lib/x/y.ts", text }).map(({ name, line }) => `${line} ${name}`);
  assert.deepEqual(found, ["1 ./a.js", "2 ../b.js", "6 ./d.js", "7 ./e.js"]);
});

test("sentences and table rows of a specification are told apart", () => {
  const text =
    "# Head\n\nOne thing is `a. B` here. Another follows.\nIt goes on.\n\n| h | i |\n|---|---|\n| 1 | 2 |\n\n1. Local proxy. It listens somewhere.\n- Last one stands here.\n";
  assert.deepEqual(
    sentencesOf(text).map(({ text: sentence }) => sentence),
    [
      "One thing is `a. B` here.",
      "Another follows. It goes on.",
      "| 1 | 2 |",
      "Local proxy. It listens somewhere.",
      "Last one stands here.",
    ],
  );
});

test("a requirement is met only when a test that runs cites it", async () => {
  const entry = (state: "open" | "met") => ({ at: "x", from: "00000000", says: "y", state });
  const text =
    'test("a", (t) => { proves(t, "a.b", "R1"); });\ntest("c", { skip: "no server" }, (t) => { proves(t, "c.d"); });\ntest("e", (t) => proves(t, "e.f"));';
  const citations = citationsOf([await parseText("x.test.ts", text)]);
  assert.deepEqual(
    citations.map(({ id }) => id),
    ["a.b", "R1", "e.f"],
  );
  const { findings } = compare(
    [
      ["a.b", entry("met")],
      ["c.d", entry("met")],
      ["e.f", entry("open")],
    ],
    citations,
  );
  assert.deepEqual(
    findings.map(({ message }) => message.split(" ").slice(0, 3).join(" ")),
    ["c.d is met,", "e.f is open"],
  );
});

test("a sentence without an entry and an entry without a sentence are both told", () => {
  const text = "The first sentence stands here. The second sentence stands here.";
  const first = { at: "", from: hash("The first sentence stands here."), says: "", state: "open" as const };
  const found = compareWithText(
    [
      ["a.b", first],
      ["c.d", { ...first, from: "ffffffff" }],
    ],
    text,
  ).map(({ message }) => message.slice(0, 12));
  assert.deepEqual(found, ["no entry for", "c.d names ff"]);
});

test("a command that programs call is found when nothing describes its answer", () => {
  const shared = new Map([["a.shared", {}]]);
  const found = findUndescribed(
    [
      { path: "a plain", surfaces: ["cli", "rpc"] },
      { path: "a shared", surfaces: ["rpc"] },
      { path: "a own", surfaces: ["rpc"], result: z.string() },
      { path: "a line", surfaces: ["cli"] },
      { path: "a tail", surfaces: ["cli", "rpc"], follow: true },
    ],
    shared,
  );
  assert.deepEqual(
    found.map(({ message }) => message.split(":")[0]),
    ["a plain"],
  );
});
