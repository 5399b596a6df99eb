import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AppError } from "../errors.js";
import { randomIds } from "../ids.js";
import { systemClock } from "../time/clock.js";
import { lockFile } from "./file-lock.js";
import { systemSpawner } from "./spawn-system.js";

const deps = { clock: systemClock, ids: randomIds, spawner: systemSpawner };
const GONE = { pid: 999_999_999, start_ticks: "1", boot_id: systemSpawner.boot, nonce: "aa" };

function place(t: TestContext): { readonly dir: string; readonly path: string } {
  const dir = mkdtempSync(join(tmpdir(), "file-lock-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, path: join(dir, "locks", "a.lock") };
}

test("the lock file says who holds it, and goes with the lock", async (t) => {
  const { path } = place(t);
  const lock = await lockFile(path, deps, { ms: 0 });
  const text = JSON.parse(readFileSync(path, "utf8"));
  assert.deepEqual(Object.keys(text), ["pid", "start_ticks", "boot_id", "nonce"]);
  assert.equal(text.pid, process.pid);
  lock.release();
  lock.release();
  assert.equal(existsSync(path), false);
});

test("a lock that is held in time is not given to another, who is told the pid", async (t) => {
  const { path } = place(t);
  const lock = await lockFile(path, deps, { ms: 0 });
  const error = await lockFile(path, deps, { ms: 20 }).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof AppError);
  assert.deepEqual([error.code, error.data["pid"]], ["E_BUSY", process.pid]);
  assert.match(error.message, new RegExp(`locked by process ${process.pid}`));
  lock.release();
  (await lockFile(path, deps, { ms: 0 })).release();
});

const STALE: readonly (readonly [name: string, text: string])[] = [
  ["of a process that is gone", JSON.stringify(GONE)],
  ["of another start of the machine", JSON.stringify({ ...GONE, pid: process.pid, boot_id: "another" })],
  ["of a process whose pid another has now", JSON.stringify({ ...GONE, pid: process.pid })],
];

for (const [name, text] of STALE) {
  test(`a lock ${name} is taken over at once, and nothing is left beside it`, async (t) => {
    const { dir, path } = place(t);
    (await lockFile(path, deps, { ms: 0 })).release();
    writeFileSync(path, text);
    const lock = await lockFile(path, deps, { ms: 0 });
    assert.equal(JSON.parse(readFileSync(path, "utf8")).pid, process.pid);
    assert.deepEqual(readdirSync(join(dir, "locks")), ["a.lock"]);
    lock.release();
  });
}

test("a lock whose taking over was cut short is taken over", async (t) => {
  const { path } = place(t);
  (await lockFile(path, deps, { ms: 0 })).release();
  writeFileSync(path, JSON.stringify(GONE));
  writeFileSync(`${path}.aa`, JSON.stringify({ ...GONE, nonce: "bb" }));
  (await lockFile(path, deps, { ms: 1_000 })).release();
});

test("a lock file that no one finished writing is taken over after two seconds", async (t) => {
  const { path } = place(t);
  (await lockFile(path, deps, { ms: 0 })).release();
  writeFileSync(path, '{"pid":');
  let at = 0;
  const sleep = async (ms: number) => {
    at += ms;
  };
  const clock = { mono: () => at, sleep };
  const lock = await lockFile(path, { ...deps, clock }, { ms: 5_000 });
  assert.ok(at >= 2_000 && at < 2_200, `${at} ms`);
  lock.release();
});

test("of many that find a lock stale, one holds it at a time", async (t) => {
  const { path } = place(t);
  (await lockFile(path, deps, { ms: 0 })).release();
  writeFileSync(path, JSON.stringify(GONE));
  let inside = 0;
  const work = async () => {
    const lock = await lockFile(path, deps, { ms: 10_000 });
    inside += 1;
    assert.equal(inside, 1);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
    lock.release();
  };
  await Promise.all(Array.from({ length: 20 }, work));
});

test("who does not want to wait any more does not", async (t) => {
  const { path } = place(t);
  const lock = await lockFile(path, deps, { ms: 0 });
  const stop = new AbortController();
  const waiting = lockFile(path, deps, { ms: 60_000, signal: stop.signal }).catch((thrown: unknown) => thrown);
  stop.abort("enough");
  assert.equal(await waiting, "enough");
  lock.release();
});
