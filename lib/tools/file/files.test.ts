import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { createLineage, createRedactor } from "../../safety/redact/redact.js";
import readFile from "./read-file.js";
import writeFile from "./write-file.js";

test("a file is shown with line numbers and facts", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "a.txt"), "one\ntwo\nthree");
  const result = await json(readFile, { path: "a.txt", limit: 2 });
  assert.deepEqual(result, {
    content: "1|one\n2|two",
    total_lines: 3,
    file_size: 13,
    encoding: "utf-8",
    truncated: true,
    is_binary: false,
    hint: "Use offset=3 to continue (showing 1-2 of 3 lines)",
  });
});

test("an unchanged file is not shown again, and asking a third time is blocked (C20)", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "f"), "x\n");
  assert.equal((await json(readFile, { path: "f" }))["content"], "1|x");
  const second = await json(readFile, { path: "f" });
  assert.equal(second["status"], "unchanged");
  assert.equal(second["dedup"], true);
  const third = await json(readFile, { path: "f" });
  assert.match(String(third["error"]), /^BLOCKED/);
  assert.equal(third["already_read"], 3);
  writeFileSync(join(project, "f"), "changed\n");
  assert.equal((await json(readFile, { path: "f" }))["content"], "1|changed");
});

const ENCODINGS: readonly (readonly [string, Buffer, string, string])[] = [
  ["UTF-8 with BOM", Buffer.from("\ufeffä\n"), "1|ä", "utf-8-bom"],
  [
    "UTF-16 little-endian",
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("ä\n", "utf16le")]),
    "1|ä",
    "utf-16le",
  ],
  [
    "UTF-16 big-endian",
    Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from("ä\n", "utf16le").swap16()]),
    "1|ä",
    "utf-16be",
  ],
  ["Latin-1", Buffer.from([0xe4, 0x0a]), "1|ä", "latin-1"],
];
for (const [name, bytes, content, encoding] of ENCODINGS) {
  test(`${name} is read, and a write keeps it`, async (t) => {
    const { json, project } = bench(t);
    const path = join(project, "file.txt");
    writeFileSync(path, bytes);
    const result = await json(readFile, { path: "file.txt" });
    assert.equal(result["content"], content);
    assert.equal(result["encoding"], encoding);
    await json(writeFile, { path: "file.txt", content: "ä\n" });
    assert.deepEqual(readFileSync(path), bytes);
  });
}

test("line ends and mode of a file are kept", async (t) => {
  const { json, project } = bench(t);
  const path = join(project, "run.sh");
  writeFileSync(path, "a\r\nb\r\n");
  chmodSync(path, 0o755);
  const result = await json(writeFile, { path: "run.sh", content: "a\nc\n" });
  assert.equal(readFileSync(path, "utf8"), "a\r\nc\r\n");
  assert.equal(statSync(path).mode & 0o777, 0o755);
  assert.match(String(result["diff"]), /-b\n\+c/);
  assert.equal(result["_warning"], "replaced a file which was not read in this conversation");
});

test("a new file is made with its directories", async (t) => {
  const { json, project } = bench(t);
  const result = await json(writeFile, { path: "x/y/z.json", content: '{"a":1}' });
  assert.equal(result["created"], true);
  assert.equal(result["dirs_created"], true);
  assert.deepEqual(result["lint"], { status: "ok" });
  assert.deepEqual(result["files_modified"], [join(project, "x/y/z.json")]);
});

const LINT: readonly (readonly [string, string, RegExp | "ok"])[] = [
  ["bad.json", '{"a":', /line 1, column 6/],
  ["bad.yaml", "a: [1\nb: 2\n", /line \d+, column \d+/],
  ["good.yml", "a: 1\n", "ok"],
  ["bad.cjs", "const a = ;\n", /SyntaxError/],
  ["good.js", "import a from 'a';\nexport const b = await a;\n", "ok"],
  ["good.mjs", "export const b = 1;\n", "ok"],
];
for (const [name, content, expected] of LINT) {
  test(`the syntax of ${name} is checked`, async (t) => {
    const { json, project } = bench(t);
    const lint = (await json(writeFile, { path: name, content }))["lint"] as { status: string; output: string };
    if (expected === "ok") assert.equal(lint.status, "ok", lint.output);
    else {
      assert.equal(lint.status, "error");
      assert.match(lint.output, expected);
    }
    assert.equal(readFileSync(join(project, name), "utf8"), content);
  });
}

test("a file that changed since it was read is written with a warning", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "f.txt"), "x\n");
  await json(readFile, { path: "f.txt" });
  writeFileSync(join(project, "f.txt"), "y\n");
  utimesSync(join(project, "f.txt"), 1, 1);
  assert.equal(
    (await json(writeFile, { path: "f.txt", content: "z\n" }))["_warning"],
    "modified since you last read it",
  );
});

test("devices, pipes, secrets and directories are not read (C23)", async (t) => {
  const { json, project, root } = bench(t);
  writeFileSync(join(project, ".env"), "A=1");
  execFileSync("mkfifo", [join(project, "pipe")]);
  symlinkSync("/dev/zero", join(project, "zero"));
  symlinkSync(join(project, ".env"), join(project, "innocent"));
  mkdirSync(join(root, "user", ".ssh"));
  writeFileSync(join(root, "user", ".ssh", "id_rsa"), "key");
  for (const path of [
    "/dev/zero",
    "zero",
    "pipe",
    ".env",
    "innocent",
    "~/.ssh/id_rsa",
    "/proc/self/environ",
    "/dev/stdin",
    "/proc/self/fd/0",
    ".",
  ]) {
    const result = await json(readFile, { path });
    assert.ok(typeof result["error"] === "string", path);
    assert.equal(result["content"], undefined);
  }
});

test("protected places are not written, whatever the permission says (C23)", async (t) => {
  const { run, context, root, project, asked } = bench(t);
  mkdirSync(join(root, "user", ".ssh"));
  symlinkSync(join(root, "user", ".ssh"), join(project, "link"));
  for (const path of [
    "~/.ssh/authorized_keys",
    "link/authorized_keys",
    join(context.home.dir, "config.yaml"),
    join(context.home.dir, "lsp", "pyright", "node_modules", ".bin", "pyright-langserver"),
    "/etc/passwd",
    "~/.NETRC",
    ".agent/permissions.yaml",
  ]) {
    const result = await run(writeFile, { path, content: "x" });
    assert.equal(result.status, "blocked", path);
    assert.match(result.text, /Refusing to write to protected path/);
    assert.equal(result.filesNotChanged?.length, 1);
  }
  assert.deepEqual(asked, []);
  assert.ok(!existsSync(join(root, "user", ".ssh", "authorized_keys")));
});

test("a placeholder whose value was lost does not become the content of a file", async (t) => {
  const lineage = createLineage();
  lineage.restore({ key: "k", secrets: [{ hash: "x", type: "api_key", n: 1 }] });
  const redactor = createRedactor({ known: () => [], enabled: true, lineage });
  const { run, project } = bench(t, { redact: (text) => redactor.text(text) });
  const result = await run(writeFile, { path: "f", content: "KEY=«secret:api_key:1»" });
  assert.match(result.text, /read the source of the secret again/);
  assert.ok(!existsSync(join(project, "f")));
  // A text that only looks like a placeholder is ordinary content.
  assert.equal((await run(writeFile, { path: "g", content: "see «secret:api_key:7»" })).status, undefined);
});

test("a missing file names similar ones", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "readme.md"), "x");
  const result = await json(readFile, { path: "README.txt" });
  assert.match(String(result["error"]), /File not found/);
  assert.deepEqual(result["similar_files"], [join(project, "readme.md")]);
});

test("a denied write changes nothing and says which file", async (t) => {
  const { run, project } = bench(t, {
    permit: () => ({ allowed: false, status: "denied", message: "no", rule: "write:f" }),
  });
  const result = await run(writeFile, { path: "f", content: "x" });
  assert.equal(result.status, "denied");
  assert.deepEqual(result.filesNotChanged, [join(project, "f")]);
  assert.ok(!existsSync(join(project, "f")));
});

test("binary files are refused by name and by content", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "x.bin"), "text");
  writeFileSync(join(project, "y.txt"), Buffer.from([65, 0, 66]));
  for (const path of ["x.bin", "y.txt"]) assert.match(String((await json(readFile, { path }))["error"]), /Binary file/);
});

test("long lines are cut, and too much at once names a fitting limit", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "long"), `${"x".repeat(3_000)}\n`);
  assert.match(String((await json(readFile, { path: "long" }))["content"]), /^1\|x{2000}\.\.\. \[truncated\]$/);
  writeFileSync(join(project, "big"), `${"y".repeat(1_000)}\n`.repeat(1_000));
  assert.match(String((await json(readFile, { path: "big", limit: 500 }))["error"]), /use limit=9\d or less/);
});

const WRONG: readonly (readonly [name: string, text: string, place: RegExp])[] = [
  ["bad.json", '{"a":', /line 1, column 6/],
  ["bad.yaml", "a: [1\nb: 2\n", /line 2, column 1/],
  ["bad.toml", 'a = 1\nb = "open\n', /line 2, column 10: the string is not closed/],
  ["bad.mjs", "export const a = ;\n", /Unexpected token ';'/],
];
for (const [name, text, place] of WRONG) {
  test(`${name} is written, and its error told with its place (C21)`, async (t) => {
    const { json, project } = bench(t);
    const { lint } = (await json(writeFile, { path: name, content: text })) as {
      lint: { status: string; output: string };
    };
    assert.equal(lint.status, "error");
    assert.match(lint.output, /^New errors introduced by this edit/);
    assert.match(lint.output, place);
    assert.equal(readFileSync(join(project, name), "utf8"), text);
    const again = (await json(writeFile, { path: name, content: `${text}\n` })) as { lint: { output: string } };
    assert.match(again.lint.output, /^Errors which were there before/);
  });
}

test("a notebook is shown cell by cell", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(
    join(project, "n.ipynb"),
    JSON.stringify({ cells: [{ cell_type: "code", source: ["a = 1\n", "a"], outputs: [{ text: ["1"] }] }] }),
  );
  assert.match(
    String((await json(readFile, { path: "n.ipynb" }))["content"]),
    /# \[cell 1: code\]\n2\|a = 1\n3\|a\n4\|# \[output\]\n5\|1/,
  );
});

test("replacing a file of which only a part was read is done with a warning", async (t) => {
  const { json, project } = bench(t);
  writeFileSync(join(project, "f"), "1\n2\n3\n");
  await json(readFile, { path: "f", limit: 1 });
  assert.match(String((await json(writeFile, { path: "f", content: "x\n" }))["_warning"]), /only a part was read/);
  assert.equal((await json(writeFile, { path: "f", content: "y\n" }))["_warning"], undefined);
});
