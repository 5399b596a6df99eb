import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { AppError } from "../../lib/base/errors.js";
import { realDisk } from "../../lib/base/fs/disk.js";
import { silentLog } from "../../lib/base/log/log.js";
import { boardMigrations } from "../schema/board.js";
import type { Migration } from "../store.js";
import { openInline } from "./open.js";

const NEWEST = boardMigrations.at(-1)?.to ?? 0;
const TOMORROW: Migration = { to: NEWEST + 1, statements: ["CREATE TABLE of_tomorrow (id INTEGER)"] };

function setup(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "layouts-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "home", "kanban.db");
  const open = async (migrations: readonly Migration[] = boardMigrations) => {
    const spec = { name: "board:default", path, kind: "board", migrations } as const;
    const store = await openInline(spec, { disk: realDisk, clock: manualClock(), host: "inline", log: silentLog });
    t.after(() => store.close());
    return store;
  };
  const files = () =>
    Object.fromEntries(
      readdirSync(join(dir, "home"))
        .filter((name) => name !== "state-snapshots")
        .map((name) => [name, readFileSync(join(dir, "home", name)).toString("base64")]),
    );
  return { dir, path, open, files };
}

const note = async (store: Awaited<ReturnType<typeof openInline>>, text: string) =>
  store.write("note", async (tx) => tx.emit({ kind: "noted", at: 1, payload: { text } }));

const because = (reason: string) => (error: unknown) =>
  error instanceof AppError && error.code === "E_STORE" && error.data["reason"] === reason && error.hint.length > 0;

for (let schema = 1; schema < NEWEST; schema++) {
  test(`a board of schema ${schema} is brought to the present one with its journal, and nothing is lost`, async (t) => {
    const { open } = setup(t);
    const old = await open(boardMigrations.slice(0, schema));
    await note(old, "checkpointed");
    await old.checkpoint();
    await note(old, "in the journal");
    await old.close();
    const store = await open();
    const events = await store.events(0, 10);
    assert.deepEqual(
      events.map((event) => event.payload),
      [{ text: "checkpointed" }, { text: "in the journal" }],
    );
    assert.deepEqual(await store.read((q) => q.get("SELECT schema FROM _store")), { schema: NEWEST });
  });
}

test("a half migrated board is refused, says how to restore it, and stays as it is", async (t) => {
  const { open, files } = setup(t);
  const half = await open([
    ...boardMigrations.slice(0, 1),
    { to: 1.5, statements: ["CREATE TABLE subscriptions (id INTEGER)"] },
  ]);
  await half.close();
  const before = files();
  await assert.rejects(open([...boardMigrations.slice(0, 1), ...boardMigrations.slice(1)]), because("damaged"));
  assert.deepEqual(files(), before);
});

test("a journal of a newer version behind an older copy is refused, and every file stays", async (t) => {
  const { dir, path, open, files } = setup(t);
  const today = await open();
  await note(today, "today");
  await today.checkpoint();
  await today.close();
  cpSync(join(dir, "home"), join(dir, "kept"), { recursive: true });
  const tomorrow = await open([...boardMigrations, TOMORROW]);
  await note(tomorrow, "tomorrow");
  await tomorrow.close();
  for (const name of ["kanban.db", "kanban.db.prev", "kanban.db.current"])
    cpSync(join(dir, "kept", name), join(dir, "home", name));
  const before = files();
  await assert.rejects(open(), (error) => because("newer")(error) || because("damaged")(error));
  assert.deepEqual(files(), before);
  assert.ok(path);
});
