import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { silentLog } from "../../lib/base/log/log.js";
import { openFileStore } from "./open.js";

const migrations = [{ to: 1, statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }];
const MIB = 1 << 20;

/** A store whose clock stands still, so that no idle time merges anything. */
function setup(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "file-journal-"));
  const path = join(dir, "sessions.db");
  const options = { host: "inline", clock: manualClock(), log: silentLog, onFatal: () => undefined } as const;
  const open = () => {
    const store = openFileStore({ name: "sessions", kind: "sessions", path, migrations }, options);
    t.after(() => store.close());
    return store;
  };
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const put = (store: ReturnType<typeof open>, id: number, text: string) =>
    store.script("put", [{ sql: "INSERT INTO notes (id, text) VALUES (?, ?)", args: [id, text] }]);
  return { open, put, journal: () => statSync(`${path}-wal`).size };
}

test("while commits follow one another the journal is merged at 4 MiB and its file is written again from the start", async (t) => {
  const { open, put, journal } = setup(t);
  const store = open();
  let most = 0;
  for (let id = 1; id <= 150; id++) {
    await put(store, id, String(id).padEnd(100_000, "x"));
    most = Math.max(most, journal());
  }
  assert.ok(most > 4 * MIB && most < 5 * MIB, String(most));
  assert.equal(journal(), most, "it is not emptied: what it has is written over");
  await store.close();
  const rows = await open().read((q) => q.all<{ text: string }>("SELECT text FROM notes ORDER BY id"));
  assert.deepEqual(
    rows.map(({ text }) => text),
    Array.from({ length: 150 }, (_, at) => String(at + 1).padEnd(100_000, "x")),
  );
});

test("a single commit of 20 MB leaves no file of that size behind", async (t) => {
  const { open, put, journal } = setup(t);
  const store = open();
  await put(store, 1, "x".repeat(20_000_000));
  await store.read((q) => q.all("SELECT 1"));
  assert.equal(journal(), 0);
});
