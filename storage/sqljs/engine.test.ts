import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Database } from "sql.js";
import { loadLibrary } from "./library.js";
import { Memory } from "./memory.js";

// What the engine builds on. A new version of the library that differs in one of these must not be taken without a new design.

let make: (bytes?: Uint8Array) => Database;
const opened: Database[] = [];

before(async () => {
  const { sql } = await loadLibrary();
  make = (bytes) => {
    const db = new sql.Database(bytes);
    opened.push(db);
    return db;
  };
});

after(() => {
  for (const db of opened) db.close();
});

function table(): Database {
  const db = make();
  db.run("CREATE TABLE t (id INTEGER PRIMARY KEY, v)");
  db.run("INSERT INTO t (v) VALUES (1), (2), (3)");
  return db;
}

const first = (db: Database, sql: string) => db.exec(sql)[0]?.values[0]?.[0];

test("the library is SQLite 3.54.1", async () => {
  assert.equal((await loadLibrary()).sqlite, "3.54.1");
});

test("export throws inside a write transaction, and the transaction goes on", () => {
  const db = table();
  db.run("BEGIN");
  db.run("INSERT INTO t (v) VALUES (4)");
  assert.throws(() => db.export());
  db.run("COMMIT");
  assert.equal(first(db, "SELECT count(*) FROM t"), 4);
});

test("export works while a read is open", () => {
  const db = table();
  const statement = db.prepare("SELECT id FROM t ORDER BY id");
  statement.step();
  assert.ok(db.export().length > 0);
  assert.equal(statement.step(), true);
  statement.free();
});

test("export keeps prepared statements, PRAGMAs and functions", () => {
  const db = table();
  db.create_function("twice", (x: number) => x * 2);
  db.run("PRAGMA foreign_keys = ON");
  const statement = db.prepare("SELECT twice(v) FROM t WHERE id = ?");
  db.export();
  assert.deepEqual(statement.get([2]), [4]);
  assert.equal(first(db, "PRAGMA foreign_keys"), 1);
  statement.free();
});

test("an export opens again and holds the rows", () => {
  assert.equal(first(make(table().export()), "SELECT sum(v) FROM t"), 6);
});

for (const ddl of ["USING fts3(text)", "USING fts4(text)"]) {
  test(`full-text tables ${ddl} are there`, () => {
    make().run(`CREATE VIRTUAL TABLE f ${ddl}`);
  });
}

test("full-text tables of version 5 are not there", () => {
  assert.throws(() => make().run("CREATE VIRTUAL TABLE f USING fts5(text)"), /no such module/);
});

test("JSON, RETURNING, ON CONFLICT and STRICT are there", () => {
  const db = make();
  db.run("CREATE TABLE s (id INTEGER PRIMARY KEY, v TEXT) STRICT");
  assert.equal(first(db, "INSERT INTO s (v) VALUES (json_object('a', 1)) RETURNING v"), '{"a":1}');
  db.run("INSERT INTO s (id, v) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET v = excluded.v");
  assert.equal(first(db, "SELECT v FROM s"), "x");
});

test("integers beyond 2^53 are rounded", () => {
  assert.equal(first(make(), "SELECT 9007199254740993"), 9007199254740992);
});

test("foreign keys start off, and the engine switches them on", async () => {
  assert.equal(first(make(), "PRAGMA foreign_keys"), 0);
  const memory = new Memory((await loadLibrary()).sql);
  assert.deepEqual(memory.all("PRAGMA foreign_keys", []), [{ foreign_keys: 1 }]);
  memory.close();
});

test("the number of changed rows is an old one after a SELECT or DDL", () => {
  const db = table();
  db.run("UPDATE t SET v = 0");
  db.exec("SELECT 1");
  assert.equal(db.getRowsModified(), 3);
  db.run("CREATE TABLE u (id INTEGER)");
  assert.equal(db.getRowsModified(), 3);
});

test("the update hook misses rows removed by REPLACE and by DELETE without WHERE", () => {
  const db = table();
  let removed = 0;
  const hooked = db as Database & { updateHook(hook: (operation: string) => void): void }; // the typings lack it
  hooked.updateHook((operation) => {
    if (operation === "delete") removed += 1;
  });
  db.run("REPLACE INTO t (id, v) VALUES (1, 9)");
  db.run("DELETE FROM t");
  assert.equal(removed, 0);
});

test("AUTOINCREMENT gives the same numbers after a rollback", () => {
  const db = make();
  db.run("CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, v)");
  db.run("BEGIN; INSERT INTO a (v) VALUES (1); ROLLBACK");
  assert.equal(first(db, "INSERT INTO a (v) VALUES (1) RETURNING id"), 1);
});

test("secure_delete leaves no deleted text in an export", async () => {
  const memory = new Memory((await loadLibrary()).sql);
  memory.exec("CREATE TABLE t (v TEXT)");
  memory.all("INSERT INTO t (v) VALUES (?)", ["canary ".repeat(5_000)]);
  memory.all("DELETE FROM t", []);
  assert.equal(memory.export().includes("canary"), false);
  memory.close();
});
