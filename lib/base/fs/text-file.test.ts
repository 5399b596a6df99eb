import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { failedAt, toAppError } from "../errors.js";
import { writeAtomic } from "./files.js";
import { writeNamed } from "./named-file.js";
import { replaceSettings, replaceTextFile } from "./text-file.js";

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "text-file-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a file that cannot be replaced leaves nothing beside it", (t) => {
  const dir = folder(t);
  mkdirSync(join(dir, "config.yaml"));
  assert.throws(() => replaceTextFile(join(dir, "config.yaml"), "a: 1"));
  assert.deepEqual(readdirSync(dir), ["config.yaml"]);
});

test("what a killed process was about to write does not decide the mode of the file", (t) => {
  const path = join(folder(t), "secrets.env");
  writeFileSync(`${path}.${process.pid}.new`, "half", { mode: 0o644 });
  replaceTextFile(path, "whole");
  assert.deepEqual([readFileSync(path, "utf8"), modeOf(path)], ["whole", 0o600]);
});

test("a file keeps its mode, also one that new files do not get", (t) => {
  const path = join(folder(t), "shared.yaml");
  writeFileSync(path, "a");
  chmodSync(path, 0o666);
  replaceTextFile(path, "b");
  assert.deepEqual([readFileSync(path, "utf8"), modeOf(path)], ["b", 0o666]);
});

test("settings that are a link stay one, and what it leads to is replaced", (t) => {
  const dir = folder(t);
  const link = join(dir, "config.yaml");
  const kept = join(dir, "elsewhere", "mine.yaml");
  const none = join(dir, "new.yaml");
  mkdirSync(join(dir, "elsewhere"));
  writeFileSync(kept, "a", { mode: 0o640 });
  symlinkSync(kept, link);
  symlinkSync("elsewhere/made.yaml", none); // leads to nothing yet
  replaceSettings(link, "b");
  replaceSettings(none, "c");
  for (const path of [link, none]) assert.ok(lstatSync(path).isSymbolicLink(), path);
  assert.deepEqual([readFileSync(kept, "utf8"), modeOf(kept)], ["b", 0o640]);
  assert.deepEqual(readdirSync(join(dir, "elsewhere")).sort(), ["made.yaml", "mine.yaml"]);
});

test("a link that someone has put in the place of another file leads nothing astray", (t) => {
  const dir = folder(t);
  const link = join(dir, "rules.yaml");
  const precious = join(dir, "precious");
  writeFileSync(precious, "keep");
  symlinkSync(precious, link);
  replaceTextFile(link, "mine");
  assert.deepEqual(
    [readFileSync(precious, "utf8"), readFileSync(link, "utf8"), lstatSync(link).isSymbolicLink()],
    ["keep", "mine", false],
  );
});

test("a file that cannot be written is reported by its own name, not by that of a draft", async (t) => {
  const dir = folder(t);
  const path = join(dir, "taken");
  mkdirSync(path);
  const named = { code: "EISDIR", path, message: `${path}: EISDIR` };
  assert.throws(() => replaceTextFile(path, "a"), named);
  await assert.rejects(writeAtomic(path, "a", 0o600), named);
  await assert.rejects(writeAtomic(join(dir, "no", "folder"), "a", 0o600), {
    code: "ENOENT",
    path: join(dir, "no", "folder"),
  });
  assert.deepEqual(readdirSync(dir), ["taken"]);
});

test("a place that someone named and where no file can be is reported in words", async (t) => {
  const dir = folder(t);
  writeFileSync(join(dir, "file"), "");
  for (const [place, why] of [
    [dir, "it is a directory"],
    [join(dir, "no", "x"), "no such directory"],
    [join(dir, "file", "x"), "a parent is not a directory"],
    [join(dir, "n".repeat(300)), "its name is too long"],
  ] as const)
    await assert.rejects(writeNamed(place, "a", "name another"), {
      code: "E_INVALID",
      message: `cannot write ${place}: ${why}`,
      hint: "name another",
    });
});

test("a full disk is reported as that, also where the system names no file", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const told = toAppError(failedAt("/home/config.yaml", full));
  assert.deepEqual([told.code, told.message], ["E_STORE_FULL", "/home/config.yaml: the disk is full"]);
});
