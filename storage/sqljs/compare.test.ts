import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { realDisk } from "../../lib/base/fs/disk.js";
import { silentLog } from "../../lib/base/log/log.js";
import { boardMigrations } from "../schema/board.js";
import { compareCopies } from "./compare.js";
import { openInline } from "./open.js";

const never = new AbortController().signal;

test("a thread of its own compares the copies of a board, and says which is damaged", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "compare-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "kanban.db");
  const spec = { name: "board:default", path, kind: "board", migrations: boardMigrations } as const;
  const store = await openInline(spec, { disk: realDisk, clock: manualClock(), host: "inline", log: silentLog });
  for (const text of ["a", "b"]) {
    await store.write("note", async (tx) => tx.emit({ kind: "noted", at: 1, payload: { text } }));
    await store.checkpoint();
  }
  assert.deepEqual(await compareCopies({ name: spec.name, path, kind: "board" }, never), []);
  writeFileSync(`${path}.prev`, "garbage");
  const [finding] = await compareCopies({ name: spec.name, path, kind: "board" }, never);
  assert.match(finding ?? "", /kanban\.db\.prev is damaged/);
  await store.close();
});

test("a comparison that is stopped ends its thread", async () => {
  const stop = new AbortController();
  const comparing = compareCopies({ name: "board:x", path: "/nowhere/kanban.db", kind: "board" }, stop.signal);
  stop.abort();
  await assert.rejects(comparing, { code: "E_INTERRUPTED" });
});
