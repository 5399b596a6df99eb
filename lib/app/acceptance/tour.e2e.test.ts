import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { start } from "../../../fixtures/e2e/process.js";

/** Packages are not fetched again: that belongs to the machine, not to the tree. */
const LEFT_OUT = new Set(["node_modules", "dist", ".git"].map((name) => resolve(name)));

test("make run without a terminal works one turn and one task through in a fresh copy of the tree, and says so", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "agent-copy-"));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  cpSync(".", dir, { recursive: true, preserveTimestamps: true, filter: (path) => !LEFT_OUT.has(resolve(path)) });
  symlinkSync(resolve("node_modules"), join(dir, "node_modules"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir };
  const { code, out, err } = await start("make", ["run"], { env, cwd: dir }).ended;
  assert.equal(code, 0, `${out}${err}`);
  assert.match(out, /event completed/);
  assert.match(out, /everything works/);
});
