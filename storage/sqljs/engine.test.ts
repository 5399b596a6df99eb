import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../lib/base/clock.js";
import { realDisk } from "../../lib/base/disk.js";
import { silentLog } from "../../lib/base/log.js";
import { openStore } from "../open.js";
import type { StoreSpec } from "../store.js";

test("what was written is there after a restart", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "store-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const spec: StoreSpec = {
    name: "state",
    path: join(dir, "state.db"),
    kind: "state",
    migrations: [{ to: 1, statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }],
  };
  const options = { disk: realDisk, clock: systemClock, host: "inline", log: silentLog } as const;
  const store = await openStore(spec, options);
  const heard: number[] = [];
  store.onEvents((events) => heard.push(...events.map((event) => event.seq)));
  await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      store.write("note", async (tx) => {
        await tx.run("INSERT INTO notes (text) VALUES (?)", [`note ${i}`]);
        tx.emit({ kind: "noted", at: 1, payload: { i } });
      }),
    ),
  );
  assert.equal(heard.length, 300);
  await store.close();
  const again = await openStore(spec, options);
  const row = await again.read((q) => q.get<{ n: number }>("SELECT count(*) AS n FROM notes"));
  assert.equal(row?.n, 300);
  assert.equal((await again.events(0, 1000)).length, 300);
  assert.deepEqual(readdirSync(dir).length > 2, true);
  await again.close();
});
