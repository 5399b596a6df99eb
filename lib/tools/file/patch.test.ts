import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import patch from "./patch.js";

const REPLACE: readonly (readonly [string, string, string, string, string])[] = [
  ["exact", "a\nb\nc\n", "b", "x", "a\nx\nc\n"],
  ["line_trimmed", "f() {\n    one();\n    two();\n}\n", "one();\ntwo();", "three();", "f() {\n    three();\n}\n"],
  ["whitespace_normalized", "a  =  1\n", "a = 1", "a = 2", "a = 2\n"],
  ["escape_normalized", "say a\nb end\n", "a\\nb", "c", "say c end\n"],
  ["trimmed_boundary", "x = call(a, b);\n", "\n call(a, b)\n", " go(a) ", "x = go(a);\n"],
  ["unicode_normalized", "it\u2019s \u201cgood\u201d\n", 'it\'s "good"', "it is", "it is\n"],
  ["block_anchor", "begin\n  alpha beta\n  gamma\nend\n", "begin\n  alpha bets\n  gamme\nend", "gone", "gone\n"],
  [
    "context_aware",
    "one two three\nfour five six\nseven eight\n",
    "one two thre\nfour five si\nnothing alike",
    "new",
    "new\n",
  ],
];
for (const [strategy, before, old_string, new_string, after] of REPLACE) {
  test(`replace finds its text by ${strategy}`, async (t) => {
    const { json, project } = bench(t);
    writeFileSync(join(project, "f.txt"), before);
    const result = await json(patch, { path: "f.txt", old_string, new_string });
    assert.equal(result["success"], true, String(result["error"]));
    assert.equal(result["strategy"], strategy);
    assert.equal(readFileSync(join(project, "f.txt"), "utf8"), after);
  });
}

const INDENTED: readonly (readonly [string, string, string, string, string])[] = [
  ["inner lines", "def b():\n    x = 1\n", "def b():\n  x = 1", "def b():\n  x = 3", "def b():\n    x = 3\n"],
  [
    "lines deeper than any that was replaced",
    "def b():\n    x = 1\n",
    "def b():\n  x = 1",
    "def b():\n  if x:\n    y = 1\n\n  return y",
    "def b():\n    if x:\n        y = 1\n\n    return y\n",
  ],
  [
    "tabs",
    "f() {\n\tif (a) {\n\t\tone();\n\t}\n}\n",
    "if (a) {\n  one();\n}",
    "if (b) {\n  two();\n}",
    "f() {\n\tif (b) {\n\t\ttwo();\n\t}\n}\n",
  ],
  [
    "a single line in a file with tabs",
    "\tone();\n",
    "  one();",
    "  if (a) {\n    one();\n  }",
    "\tif (a) {\n\t\tone();\n\t}\n",
  ],
  ["lines shallower than any that was replaced", "    a:\n        b\n", "  a:\n    b", "a:\n  c", "a:\n    c\n"],
];
for (const [what, before, old_string, new_string, after] of INDENTED) {
  test(`a text that is found with another indentation takes that of the file: ${what}`, async (t) => {
    const { json, project } = bench(t);
    writeFileSync(join(project, "f"), before);
    const result = await json(patch, { path: "f", old_string, new_string });
    assert.equal(result["success"], true, String(result["error"]));
    assert.equal(readFileSync(join(project, "f"), "utf8"), after);
  });
}

test("several matches are reported with their lines, and replace_all takes them all (C22)", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "f"), "x\ny\nx\n");
  const refused = await json(patch, { path: "f", old_string: "x", new_string: "z" });
  assert.match(String(refused["error"]), /Found 2 matches for old_string, at lines 1, 3/);
  assert.equal(readFileSync(join(project, "f"), "utf8"), "x\ny\nx\n");
  const done = await json(patch, { path: "f", old_string: "x", new_string: "z", replace_all: true });
  assert.equal(readFileSync(join(project, "f"), "utf8"), "z\ny\nz\n");
  assert.match(String(done["diff"]), /-x\n\+z/);
});

const numbered = (count: number, of = "line") => Array.from({ length: count }, (_, at) => `${of} ${at}\n`).join("");

test("a file that only moves is reported as a rename, not as hundreds of removed and added lines", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "CHANGES"), numbered(500));
  const { diff } = await json(patch, { mode: "patch", patch: "*** Move File: CHANGES -> docs/CHANGES" });
  assert.equal(diff, "rename from CHANGES\nrename to docs/CHANGES");
});

test("a file that moves and changes shows the rename and what changed in it", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "a"), numbered(9));
  const { diff } = await json(patch, {
    mode: "patch",
    patch: "*** Update File: a\n line 3\n-line 4\n+LINE 4\n line 5\n*** Move File: a -> b\n*** Move File: b -> c",
  });
  assert.match(
    String(diff),
    /^rename from a\nrename to c\n--- a\/a\n\+\+\+ b\/c\n@@ -2,7 \+2,7 @@\n[\s\S]*-line 4\n\+LINE 4\n/,
  );
});

test("a difference that is cut still says how many lines were added and removed", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "a"), numbered(300));
  const one = await json(patch, { path: "a", old_string: numbered(300), new_string: numbered(300, "new") });
  assert.match(String(one["diff"]), /\n\.\.\. \(404 more lines; \+300 -300 in all\)$/);
  writeFileSync(join(project, "b"), numbered(300));
  const both = await json(patch, { mode: "patch", patch: "*** Delete File: a\n*** Delete File: b" });
  assert.match(String(both["diff"]), /\n\.\.\. \(407 more lines; \+0 -600 in all\)$/);
});

test("no match shows the closest places, and the third failure asks to read again", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "f"), "function alpha() {}\nfunction beta() {}\n");
  const ask = () => json(patch, { path: "f", old_string: "function alpho() { return }", new_string: "z" });
  assert.match(String((await ask())["error"]), /Closest places:\nline 1:\nfunction alpha/);
  await ask();
  assert.match(String((await ask())["hint"]), /read it again/);
});

const WRONG: readonly (readonly [string, string, string, RegExp])[] = [
  ["identical texts", "a", "a", /identical/],
  ["an empty old text", "", "a", /empty/],
  ["quotes that were escaped twice", "say  \\'hi\\'", "say \\'ho\\'", /escape drift|Could not find/],
];
for (const [name, old_string, new_string, error] of WRONG) {
  test(`${name} are refused`, async (t) => {
    const { run, project } = bench(t);
    writeFileSync(join(project, "f"), "say 'hi'\n");
    const result = await run(patch, { path: "f", old_string, new_string });
    assert.match(String(JSON.parse(result.text).error), error);
    assert.deepEqual(result.filesNotChanged, [join(project, "f")]);
  });
}

test("line ends and mode are kept, and a tab stays a tab", async (t) => {
  const { json, project } = bench(t);
  const path = join(project, "f.sh");
  writeFileSync(path, "if\r\n\tone\r\nfi\r\n");
  chmodSync(path, 0o755);
  await json(patch, { path: "f.sh", old_string: "if\n\tone\nfi", new_string: "if\n\ttwo\nfi" });
  assert.equal(readFileSync(path, "utf8"), "if\r\n\ttwo\r\nfi\r\n");
  assert.equal(statSync(path).mode & 0o777, 0o755);
});

const TEXT = `*** Begin Patch
*** Update File: a.txt
@@ two
 two
-three
+drei
*** Add File: sub/new.txt
+hello
+there
*** Delete File: old.txt
*** Move File: b.txt -> c/b.txt
*** End Patch`;

function seed(project: string) {
  writeFileSync(join(project, "a.txt"), "one\ntwo\nthree\n");
  writeFileSync(join(project, "old.txt"), "old\n");
  writeFileSync(join(project, "b.txt"), Buffer.from([0xff, 0xfe, 65, 0]));
}

test("a patch text updates, adds, deletes and moves", async (t) => {
  const { json, project } = bench(t);
  seed(project);
  const result = await json(patch, { mode: "patch", patch: TEXT });
  assert.equal(result["success"], true, String(result["error"]));
  assert.equal(readFileSync(join(project, "a.txt"), "utf8"), "one\ntwo\ndrei\n");
  assert.equal(readFileSync(join(project, "sub/new.txt"), "utf8"), "hello\nthere\n");
  assert.ok(!existsSync(join(project, "old.txt")));
  assert.deepEqual(readFileSync(join(project, "c/b.txt")), Buffer.from([0xff, 0xfe, 65, 0]));
  assert.deepEqual(result["files_deleted"], [join(project, "old.txt")]);
  assert.deepEqual(result["files_moved"], [{ from: join(project, "b.txt"), to: join(project, "c/b.txt") }]);
});

const INVALID: readonly (readonly [string, string, RegExp])[] = [
  ["adding an existing file (C40)", "*** Add File: a.txt\n+x", /a\.txt: Add File on an existing file/],
  ["moving onto an existing file", "*** Move File: a.txt -> old.txt", /Move onto an existing file/],
  ["lines that are not there", "*** Update File: a.txt\n@@\n-nine\n+ten", /hunk 1: cannot find/],
  ["a missing file", "*** Delete File: none.txt", /does not exist/],
  ["a path that leaves", "*** Delete File: ../x", /'\.\.' is not allowed/],
  ["no operations", "hello", /a line of a hunk begins/],
];
for (const [name, text, error] of INVALID) {
  test(`${name} fails the whole patch and changes nothing`, async (t) => {
    const { json, project } = bench(t);
    seed(project);
    const result = await json(patch, { mode: "patch", patch: `*** Update File: a.txt\n-one\n+eins\n${text}` });
    assert.match(String(result["error"]), /^Patch validation failed \(no files were modified\):\n•/);
    assert.match(String(result["error"]), error);
    assert.equal(readFileSync(join(project, "a.txt"), "utf8"), "one\ntwo\nthree\n");
  });
}

test("a write that fails midway puts everything back", async (t) => {
  const { json, project } = bench(t);
  seed(project);
  // A file stands where the patch needs a directory.
  writeFileSync(join(project, "wall"), "x");
  const result = await json(patch, {
    mode: "patch",
    patch: "*** Update File: a.txt\n-one\n+eins\n*** Add File: wall/x\n+y",
  });
  assert.match(String(result["error"]), /wall/);
  assert.equal(readFileSync(join(project, "a.txt"), "utf8"), "one\ntwo\nthree\n");
});

test("a hunk of only additions goes behind its hint, or to the end", async (t) => {
  const { json, project } = bench(t);
  seed(project);
  await json(patch, { mode: "patch", patch: "*** Update File: a.txt\n@@ one\n+behind one\n@@\n+at the end" });
  assert.equal(readFileSync(join(project, "a.txt"), "utf8"), "one\nbehind one\ntwo\nthree\nat the end\n");
});

test("moving into a protected place is refused", async (t) => {
  const { run, project, root } = bench(t);
  seed(project);
  mkdirSync(join(root, "user", ".ssh"));
  const result = await run(patch, { mode: "patch", patch: "*** Move File: a.txt -> ~/.ssh/authorized_keys" });
  assert.equal(result.status, "blocked");
  assert.ok(existsSync(join(project, "a.txt")));
});

test("a move that fails names the file that stays, not the place that it never got to", async (t) => {
  const { run, project } = bench(t);
  seed(project);
  for (const moved of [
    "*** Move File: none.txt -> new.txt",
    "*** Move File: a.txt -> new.txt\n*** Delete File: none.txt",
  ]) {
    const { filesNotChanged } = await run(patch, { mode: "patch", patch: moved });
    assert.ok(!filesNotChanged?.includes(join(project, "new.txt")), moved);
    assert.ok(filesNotChanged?.includes(join(project, "none.txt")), moved);
  }
});

test("a huge file without a match costs little", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "big"), "some line of text that repeats\n".repeat(60_000));
  const started = process.cpuUsage();
  const old_string = "nothing like it here\n".repeat(200);
  assert.ok((await json(patch, { path: "big", old_string, new_string: "x" }))["error"]);
  const { user, system } = process.cpuUsage(started); // what it costs, however long others keep the machine
  assert.ok(user + system < 4_000_000, `${user + system} us`);
});

test("a file that is moved and then changed by the same patch holds the change", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "a.txt"), "one\r\ntwo\r\n");
  const steps = ["*** Move File: a.txt -> b.txt", "*** Update File: b.txt", "-two", "+three"];
  assert.equal((await json(patch, { mode: "patch", patch: steps.join("\n") }))["success"], true);
  assert.equal(readFileSync(join(project, "b.txt"), "utf8"), "one\r\nthree\r\n");
});

test("a file that is moved twice by the same patch keeps its bytes, whatever they are", async (t) => {
  const { json, project } = bench(t);
  const bytes = Buffer.from([0, 255, 13, 10, 10, 200, 13, 10]);
  writeFileSync(join(project, "a.bin"), bytes);
  const steps = ["*** Move File: a.bin -> b.bin", "*** Move File: b.bin -> c.bin"];
  assert.equal((await json(patch, { mode: "patch", patch: steps.join("\n") }))["success"], true);
  assert.deepEqual(readFileSync(join(project, "c.bin")), bytes);
  assert.equal(existsSync(join(project, "b.bin")), false);
});
