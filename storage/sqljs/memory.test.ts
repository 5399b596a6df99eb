import assert from "node:assert/strict";
import { test } from "node:test";
import { isAbort } from "../errors.js";
import { loadLibrary } from "./library.js";
import { Memory } from "./memory.js";

async function notes(bytes?: Uint8Array) {
  const memory = new Memory((await loadLibrary()).sql, bytes);
  if (bytes === undefined) memory.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  const put = (id: number) => memory.all("INSERT INTO notes (id, text) VALUES (?, ?)", [id, `note ${id}`]);
  const body = (id: number) => {
    memory.begin();
    put(id);
    memory.commit();
  };
  const ids = () => memory.all("SELECT id FROM notes ORDER BY id", []).map(({ id }) => id);
  return { memory, put, body, ids };
}

test("a body that is undone leaves those before it alone, the first one too", async () => {
  const { memory, put, body, ids } = await notes();
  memory.begin();
  put(1);
  memory.rollback();
  body(2);
  memory.begin();
  put(3);
  memory.rollback();
  body(4);
  assert.deepEqual(ids(), [2, 4]);
  memory.close();
});

test("an export has every body, however many wait, and what comes after it is in the next one", async () => {
  const { memory, body } = await notes();
  const all = Array.from({ length: 200 }, (_, at) => at + 1);
  for (const id of all.slice(0, 150)) body(id);
  const first = await notes(memory.export());
  assert.deepEqual(first.ids(), all.slice(0, 150));
  for (const id of all.slice(150)) body(id);
  const second = await notes(memory.export());
  assert.deepEqual(second.ids(), all);
  for (const one of [memory, first.memory, second.memory]) one.close();
});

test("a body that writes cannot be exported half done", async () => {
  const { memory, put, body, ids } = await notes();
  body(1);
  memory.begin();
  put(2);
  assert.throws(() => memory.export());
  memory.rollback();
  assert.deepEqual(ids(), [1]);
  memory.close();
});

test("a statement that fails in a body that reads costs nothing of what waits", async () => {
  const { memory, body, ids } = await notes();
  body(1);
  memory.begin("read");
  assert.throws(() => memory.all("SELECT nothing FROM notes", []), { code: "E_INTERNAL" });
  memory.rollback();
  body(2);
  assert.deepEqual(ids(), [1, 2]);
  memory.close();
});

/** As SQLite does when it has no memory left. */
const undoAll = (memory: Memory) => memory.all("ROLLBACK", []);

/** Nothing that it holds is told any more. */
function assertLost(memory: Memory): void {
  assert.throws(() => memory.all("SELECT id FROM notes", []), { code: "E_STORE", message: /on disk/ });
  assert.throws(() => memory.begin(), isAbort);
  assert.throws(() => memory.export(), isAbort);
}

test("a body whose changes SQLite has undone by itself cannot be committed, and nothing more is answered", async () => {
  const { memory, put, body } = await notes();
  body(1);
  memory.begin();
  undoAll(memory);
  put(2);
  assert.throws(() => memory.commit(), isAbort);
  memory.rollback();
  assertLost(memory);
  memory.close();
});

test("undoing such a body fails no caller, who has a failure to tell already, and nothing more is answered", async () => {
  const { memory, body } = await notes();
  body(1);
  memory.begin();
  undoAll(memory);
  memory.rollback();
  assertLost(memory);
  memory.close();
});

test("a body that reads and whose transaction SQLite has ended is undone, and what comes next is carried out", async () => {
  const { memory, body, ids } = await notes();
  memory.begin("read");
  undoAll(memory);
  memory.rollback();
  body(1);
  assert.deepEqual(ids(), [1]);
  memory.close();
});

test("changes that SQLite has undone while no one writes are missed by the statement that fails", async () => {
  const { memory, body } = await notes();
  body(1);
  memory.begin("read");
  undoAll(memory);
  assert.throws(() => memory.all("SELECT nothing FROM notes", []), isAbort);
  memory.rollback();
  assertLost(memory);
  memory.close();
});
