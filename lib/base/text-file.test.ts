import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { replaceText } from "./text-file.js";

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "text-file-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a file that cannot be replaced leaves nothing beside it", (t) => {
  const dir = folder(t);
  mkdirSync(join(dir, "config.yaml"));
  assert.throws(() => replaceText(join(dir, "config.yaml"), "a: 1"));
  assert.deepEqual(readdirSync(dir), ["config.yaml"]);
});

test("what a killed process was about to write does not decide the mode of the file", (t) => {
  const path = join(folder(t), "secrets.env");
  writeFileSync(`${path}.${process.pid}.new`, "half", { mode: 0o644 });
  replaceText(path, "whole");
  assert.deepEqual([readFileSync(path, "utf8"), modeOf(path)], ["whole", 0o600]);
});

test("a file keeps its mode, also one that new files do not get", (t) => {
  const path = join(folder(t), "shared.yaml");
  writeFileSync(path, "a");
  chmodSync(path, 0o666);
  replaceText(path, "b");
  assert.deepEqual([readFileSync(path, "utf8"), modeOf(path)], ["b", 0o666]);
});
