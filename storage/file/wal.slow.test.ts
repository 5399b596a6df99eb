import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Database } from "node-sqlite3-wasm";
import { manualClock } from "../../fixtures/ports/clock.js";
import { realDisk } from "../../lib/base/fs/disk.js";
import { silentLog } from "../../lib/base/log/log.js";
import { boardMigrations } from "../schema/board.js";
import { openInline } from "../sqljs/open.js";
import { mergeWal } from "../sqljs/wal.js";

const TASKS = "CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL, created_at INTEGER)";
const task = (n: number) =>
  `INSERT INTO tasks VALUES ('t_${String(n).padStart(8, "0")}', '${"x".repeat(200)}', 'ready', ${n})`;

/** A board of before whose newest commits lie in the log beside it, as a program that was killed leaves them. */
function logged(t: TestContext, commits: number) {
  const dir = mkdtempSync(join(tmpdir(), "wal-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "kanban.db");
  const made = new Database(join(dir, "made.db"));
  for (const sql of [TASKS, "PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0"])
    made.exec(sql);
  for (let n = 1; n <= commits; n++) made.exec(task(n));
  const db = readFileSync(join(dir, "made.db"));
  const wal = readFileSync(join(dir, "made.db-wal"));
  made.close();
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
  const put = (bytes: Buffer) => {
    writeFileSync(path, db);
    writeFileSync(`${path}-wal`, bytes);
  };
  put(wal);
  return { dir, path, db, wal, put };
}

async function countAt(t: TestContext, path: string, readonly: boolean): Promise<number> {
  const spec = { name: "board:default", path, kind: "board", migrations: boardMigrations } as const;
  const store = await openInline(spec, {
    disk: realDisk,
    clock: manualClock(),
    host: "inline",
    log: silentLog,
    readonly,
  });
  t.after(() => store.close());
  const [row] = await store.read((q) => q.all<{ n: number }>("SELECT count(*) AS n FROM tasks"));
  await store.close();
  return row?.n ?? -1;
}

test("commits that lie in the log beside an older board come along, and the log goes once they are kept", async (t) => {
  const { dir, path, wal, put } = logged(t, 300);
  put(Buffer.concat([wal, Buffer.from("the beginning of a frame that a crash cut off")]));
  assert.equal(await countAt(t, path, true), 300);
  assert.ok(existsSync(`${path}-wal`));
  assert.equal(await countAt(t, path, false), 300);
  assert.equal(existsSync(`${path}-wal`), false);
  assert.ok(readdirSync(dir).includes("state-snapshots"));
});

test("a log that was cut anywhere gives the commits before the cut, in order", async (t) => {
  const { path, wal, put } = logged(t, 40);
  let last = 0;
  for (let at = 0; at <= wal.length; at += 1031) {
    put(wal.subarray(0, at));
    const count = await countAt(t, path, true);
    assert.ok(count >= last && count <= 40, `${count} after ${last} at ${at}`);
    last = count;
  }
  assert.ok(last >= 38, String(last));
});

test("a damaged frame and all behind it are left out; a log of nothing changes nothing", (t) => {
  const { db, wal } = logged(t, 5);
  const same = Buffer.from(db);
  same[18] = same[19] = 1;
  for (const log of [undefined, Buffer.alloc(0), Buffer.alloc(5000), wal.subarray(0, 40)])
    assert.deepEqual(mergeWal(db, log), same);
  const broken = Buffer.from(wal);
  broken[40] = (broken[40] ?? 0) ^ 0xff;
  assert.deepEqual(mergeWal(db, broken), same);
});
