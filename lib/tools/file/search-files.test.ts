import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { nextTurn } from "../../base/async/next-turn.js";
import searchFiles from "./search-files.js";

function tree(project: string, files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
}

const SAMPLE = {
  ".git/HEAD": "needle",
  ".gitignore": "dist/\n*.log\n!keep.log\n/only-top.txt\nsub/deep/*.tmp\n",
  "a.ts": "one needle\ntwo\nNEEDLE three needle\n",
  "b.md": "nothing",
  ".hidden/c.ts": "needle",
  "dist/out.js": "needle",
  "x.log": "needle",
  "keep.log": "needle",
  "only-top.txt": "needle",
  "sub/only-top.txt": "needle",
  "sub/deep/y.tmp": "needle",
  "sub/.ignore": "no.ts\n",
  "sub/no.ts": "needle",
  "bin.dat": "needle\u0000",
  ".env": "needle=1",
};

const byText = (a: string, b: string) => (a < b ? -1 : 1);
const paths = (result: Record<string, unknown>) =>
  (result["matches"] as { path: string }[]).map((one) => one.path).sort(byText);

test("lines are found with place and text, ignored files are not (C41)", async (t) => {
  const { json, project } = bench(t);
  tree(project, SAMPLE);
  const result = await json(searchFiles, { pattern: "needle", context: 1 });
  assert.deepEqual(paths(result), [".hidden/c.ts", "a.ts", "a.ts", "keep.log", "sub/only-top.txt"]);
  const first = (result["matches"] as Record<string, unknown>[]).find((one) => one["path"] === "a.ts");
  assert.deepEqual(first, { path: "a.ts", line: 1, column: 5, content: "one needle", before: [], after: ["two"] });
  assert.equal(result["total_count"], 5);
  assert.equal(result["truncated"], false);
});

test("ignored files are found when asked for, secrets never (C41)", async (t) => {
  const { json, project } = bench(t);
  tree(project, SAMPLE);
  const found = paths(await json(searchFiles, { pattern: "needle", include_ignored: true }));
  assert.ok(found.includes("dist/out.js") && found.includes("x.log") && found.includes("sub/no.ts"));
  assert.ok(!found.includes(".env") && !found.includes(".git/HEAD") && !found.includes("bin.dat"));
});

test("the total is true although less is shown, and the next offset goes on (C41)", async (t) => {
  const { json, project } = bench(t);
  tree(project, { "a.txt": "x\n".repeat(30), "b.txt": "x\n".repeat(30) });
  const first = await json(searchFiles, { pattern: "x", limit: 50 });
  assert.equal(first["total_count"], 60);
  assert.equal(first["truncated"], true);
  assert.equal(first["next_offset"], 50);
  const rest = await json(searchFiles, { pattern: "x", limit: 50, offset: 50 });
  assert.equal((rest["matches"] as unknown[]).length, 10);
});

test("files are found by glob, by name, and newest first", async (t) => {
  const { json, project } = bench(t);
  tree(project, { "src/a.ts": "", "src/deep/b.ts": "", "c.ts": "", "d.md": "" });
  utimesSync(join(project, "c.ts"), 1, 1);
  const find = async (pattern: string) => (await json(searchFiles, { pattern, target: "files" }))["files"] as string[];
  assert.equal((await find("*.ts")).at(-1), "c.ts");
  assert.deepEqual((await find("src/**/*.ts")).sort(byText), ["src/a.ts", "src/deep/b.ts"]);
  assert.deepEqual(await find("src/*.ts"), ["src/a.ts"]);
  assert.deepEqual(await find("d"), ["d.md"]);
  assert.deepEqual((await find("*.{md,ts}")).length, 4);
});

test("counts and names are their own modes", async (t) => {
  const { json, project } = bench(t);
  tree(project, { "a.txt": "x\nx\n", "b.txt": "x\n" });
  const counted = await json(searchFiles, { pattern: "x", output_mode: "count" });
  assert.deepEqual(counted["counts"], { "a.txt": 2, "b.txt": 1 });
  assert.equal(counted["total_count"], 3);
  assert.deepEqual((await json(searchFiles, { pattern: "x", output_mode: "files_only" }))["files"], ["a.txt", "b.txt"]);
});

test("a pattern that is no regular expression is searched as text", async (t) => {
  const { json, project } = bench(t);
  tree(project, { "a.txt": "call(x\n" });
  const result = await json(searchFiles, { pattern: "call(x" });
  assert.equal(result["total_count"], 1);
  assert.match(String(result["note"]), /literal/);
});

test("a pattern without end is stopped and the files are named", async (t) => {
  const { run, project, context } = bench(t);
  tree(project, { "a.txt": `${"a".repeat(60)}!\n`, "b.txt": "aaa\n" });
  const clock = manualClock();
  const searched = run(searchFiles, { pattern: "(a+)+$" }, { ports: { ...context.ports, clock } });
  await clock.waits();
  while (clock.waiting > 0) {
    clock.advance(100); // until it is given up; for the other file no time passes
    await nextTurn();
  }
  const result = JSON.parse((await searched).text);
  assert.deepEqual(result["skipped"], ["a.txt"]);
  assert.equal(result["total_count"], 1);
});

test("no result says how many files were looked at and left out", async (t) => {
  const { json, project } = bench(t);
  tree(project, { ".gitignore": "*.log\n", "a.txt": "x", "b.log": "x" });
  const result = await json(searchFiles, { pattern: "zzz" });
  assert.equal(result["files_searched"], 2);
  assert.equal(result["files_ignored"], 1);
});

test("the same search warns the third time and is blocked the fourth", async (t) => {
  const { json, project } = bench(t);
  tree(project, { "a.txt": "x" });
  const ask = () => json(searchFiles, { pattern: "x" });
  await ask();
  await ask();
  assert.ok((await ask())["_warning"]);
  assert.match(String((await ask())["error"]), /^BLOCKED/);
});

test("a missing place names similar ones", async (t) => {
  const { json, project } = bench(t);
  tree(project, { "source/a.txt": "x" });
  const result = await json(searchFiles, { pattern: "x", path: "sourc" });
  assert.deepEqual(result["similar_paths"], [join(project, "source")]);
});

for (const [name, config] of [
  [".config/git/ignore", undefined],
  ["mine", "[user]\n\tname = x\n[core]\n\texcludesFile = ~/mine\n"],
] as const) {
  test(`what git leaves out everywhere is left out (${name}) (C41)`, async (t) => {
    const { json, project, root } = bench(t);
    tree(project, { ".git/HEAD": "", "a.txt": "x", "b.tmp": "x" });
    tree(join(root, "user"), { [name]: "*.tmp\n", ...(config === undefined ? {} : { ".gitconfig": config }) });
    assert.deepEqual(paths(await json(searchFiles, { pattern: "x" })), ["a.txt"]);
  });
}
