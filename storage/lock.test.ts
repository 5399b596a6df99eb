import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { networkFilesystem, readOwner, refuseNetworkFilesystem, tryLock } from "./lock.js";

function setup(t: TestContext): { dir: string; path: string } {
  const dir = mkdtempSync(join(tmpdir(), "lock-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, path: join(dir, "home", "owner.lock") };
}

const OWNER = {
  pid: process.pid,
  start: "123",
  boot: "b-1",
  host: "here",
  version: "0.1.0",
  socket: "/run/owner.sock",
};

test("one holds the lock, the second is refused, and after the release the next may", async (t) => {
  const { path } = setup(t);
  const first = await tryLock(path);
  assert.ok(first);
  assert.equal(await tryLock(path), undefined);
  first.release();
  first.release();
  const second = await tryLock(path);
  assert.ok(second);
  second.release();
});

test("the lock file is private and stays", async (t) => {
  const { path } = setup(t);
  const lock = await tryLock(path);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  lock?.release();
  assert.ok(existsSync(path));
});

test("the owner's text is written, read and replaced", async (t) => {
  const { path } = setup(t);
  assert.equal(readOwner(path), undefined);
  const lock = await tryLock(path);
  t.after(() => lock?.release());
  assert.equal(readOwner(path), undefined);
  lock?.describe({ ...OWNER, socket: "" });
  lock?.describe(OWNER);
  assert.deepEqual(readOwner(path), OWNER);
});

test("a half written or foreign owner's text is none", (t) => {
  const { dir } = setup(t);
  for (const text of ["", '{"pid": 12', "null", "[]", '"text"', '{"pid":"12"}']) {
    const path = join(dir, "text.lock");
    writeFileSync(path, text);
    assert.equal(readOwner(path), undefined, text);
  }
});

test("a lock of a process that was killed is free at once", { skip: process.platform !== "linux" }, async (t) => {
  const { path } = setup(t);
  (await tryLock(path))?.release();
  const child = spawn("flock", ["-x", path, "cat"], { stdio: ["pipe", "pipe", "ignore"] });
  t.after(() => child.kill("SIGKILL"));
  child.stdin.write("held\n");
  await new Promise((resolve) => {
    child.stdout.once("data", resolve); // cat answers only when the lock is held
  });
  assert.equal(await tryLock(path), undefined);
  child.stdin.end();
  await new Promise((resolve) => {
    child.once("close", resolve);
  });
  const lock = await tryLock(path);
  assert.ok(lock);
  lock.release();
});

test("children do not keep the lock", async (t) => {
  const { path } = setup(t);
  const lock = await tryLock(path);
  const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
  t.after(() => child.kill("SIGKILL"));
  lock?.release();
  const next = await tryLock(path);
  assert.ok(next);
  next.release();
});

test("a home that was moved away and replaced is another home", async (t) => {
  const { dir, path } = setup(t);
  const lock = await tryLock(path);
  t.after(() => lock?.release());
  renameSync(join(dir, "home"), join(dir, "old"));
  const other = await tryLock(path);
  assert.ok(other);
  other.release();
});

test("a local directory is no network file system", (t) => {
  const { dir } = setup(t);
  assert.equal(networkFilesystem(dir), undefined);
  refuseNetworkFilesystem(dir, false);
});
