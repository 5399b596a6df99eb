import assert from "node:assert/strict";
import { test } from "node:test";
import { boardWorld, DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { ARCHIVE_TABLES } from "./archive.js";

/** Columns of a moment or of one host, which no archive holds. A new column is listed here or in the archive. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  tasks: ["current_run_id", "guard_reason", "guard_until"],
  runs: [
    "claim_lock",
    "claim_expires",
    "token_sha256",
    "fenced_by",
    "stuck",
    "worker_pid",
    "host_id",
    "boot_id",
    "worker_start",
  ],
  run_texts: ["report"],
  events: ["session_id", "turn_id"],
};

/** Tables that are not of the board's work: who is told of it. */
const OTHER_TABLES = ["subscriptions", "deliveries", "board", "_store", "sqlite_sequence"];

test("an archive holds every column of a board, except those that are left out on purpose", async (t) => {
  const world = boardWorld();
  t.after(() => world.close());
  await world.board.create(DEFAULT, { title: "x" }, USER);
  const store = await world.store();
  const tables = await store.read((q) =>
    q.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"),
  );
  const archived = new Map(
    ARCHIVE_TABLES.flatMap((table) => table.into.map(({ table: name, columns }) => [name, columns] as const)),
  );
  for (const { name } of tables) {
    if (OTHER_TABLES.includes(name)) continue;
    const columns = await store.read((q) => q.all<{ name: string }>("SELECT name FROM pragma_table_info(?)", [name]));
    const kept = [...(archived.get(name) ?? []), ...(LEFT_OUT[name] ?? [])];
    assert.deepEqual(new Set(columns.map((column) => column.name)), new Set(kept), name);
  }
});
