import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { proves } from "../../fixtures/requirements.js";
import { powerDisk } from "../../fixtures/sim/power.js";
import { AppError } from "../../lib/base/errors.js";
import { silentLog } from "../../lib/base/log/log.js";
import { type FileStore, openFileStore } from "./open.js";
import type { FileSystem } from "./wasm.js";

const CRASHES = Number(process.env["AGENT_CRASHES"] ?? 200);
const migrations = [
  {
    to: 1,
    statements: [
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
      "CREATE VIRTUAL TABLE words USING fts5 (text, content='')",
      "INSERT INTO words (words, rank) VALUES ('secure-delete', 1)",
    ],
  },
];

/** What callers were told. */
interface Told {
  readonly kept: Set<number>;
  readonly purged: Set<number>;
  /** Being written or purged when the power failed: both answers are right. */
  readonly open: Set<number>;
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const textOf = (id: number) => `canary${id}x ${"text ".repeat((id * 37) % 900)}`;

function world(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "file-power-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const clock = manualClock();
  const spec = { name: "sessions", kind: "sessions", path: join(dir, "sessions.db"), migrations } as const;
  const open = (fileSystem?: FileSystem) =>
    openFileStore(spec, {
      host: "inline",
      clock,
      log: silentLog,
      onFatal: () => undefined,
      ...(fileSystem === undefined ? {} : { fileSystem }),
    });
  return { dir, clock, open };
}

type World = ReturnType<typeof world>;

const put = (store: FileStore, id: number) =>
  store.write("put", async (tx) => {
    await tx.run("INSERT INTO notes (id, text) VALUES (?, ?)", [id, textOf(id)]);
    await tx.run("INSERT INTO words (rowid, text) VALUES (?, ?)", [id, textOf(id)]);
    tx.emit({ kind: "put", at: 1, payload: { id } });
  });

const purge = (store: FileStore, id: number) =>
  store.purge(async (tx) => {
    await tx.run("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", [id, textOf(id)]);
    await tx.run("DELETE FROM notes WHERE id = ?", [id]);
  });

/** Work until the power fails. */
async function work({ clock }: World, store: FileStore, told: Told, random: () => number): Promise<void> {
  const doing = async (id: number, action: () => Promise<unknown>, done: () => void) => {
    told.open.add(id);
    await action();
    told.open.delete(id);
    done();
  };
  try {
    for (let id = Math.max(0, ...told.kept, ...told.purged, ...told.open) + 1; ; id += 3) {
      await Promise.all(
        [id, id + 1, id + 2].map((one) =>
          doing(
            one,
            () => put(store, one),
            () => told.kept.add(one),
          ),
        ),
      );
      if (random() < 0.3) clock.advance(200); // the journal is merged
      const [victim] = told.kept;
      if (victim === undefined || random() > 0.25) continue;
      told.kept.delete(victim);
      await doing(
        victim,
        () => purge(store, victim),
        () => told.purged.add(victim),
      );
    }
  } catch (error) {
    assert.ok(error instanceof AppError && (error.code === "E_STORE" || error.code === "E_STORE_FULL"), String(error));
  }
}

async function look({ dir, open }: World, told: Told, where: string): Promise<void> {
  const store = open();
  try {
    assert.deepEqual(await store.check(), [], where);
    const rows = await store.read((q) => q.all("SELECT id, text FROM notes ORDER BY id"));
    const ids = new Set(rows.map((row) => Number(row["id"])));
    for (const id of told.kept) assert.ok(ids.has(id), `${where}: note ${id} was confirmed and is gone`);
    for (const id of told.purged) assert.ok(!ids.has(id), `${where}: note ${id} was purged and is back`);
    for (const id of ids) assert.ok(told.kept.has(id) || told.open.has(id), `${where}: note ${id} was never written`);
    for (const row of rows) assert.equal(row["text"], textOf(Number(row["id"])), where);
    const indexed = await store.read((q) => q.get("SELECT count(*) AS n FROM words_docsize"));
    assert.equal(indexed?.["n"], rows.length, where);
    const events = await store.events(0, 10_000);
    assert.deepEqual(
      events.map((event) => event.seq),
      events.map((_, at) => at + 1),
      where,
    );
    for (const id of told.open) if (ids.has(id)) told.kept.add(id);
    told.open.clear();
  } finally {
    await store.close();
  }
  const bytes = readdirSync(dir).map((name) => readFileSync(join(dir, name), "latin1"));
  for (const id of told.purged)
    assert.ok(!bytes.some((text) => text.includes(`canary${id}x`)), `${where}: the text of note ${id} is in a file`);
}

test(`the power fails at any of ${CRASHES} moments: what was confirmed is there, what was purged is gone, the file is whole`, async (t) => {
  proves(t, "R1");
  let crashes = 0;
  for (let seed = 1; crashes < CRASHES; seed++) {
    const here = world(t);
    const random = seeded(seed);
    const told: Told = { kept: new Set(), purged: new Set(), open: new Set() };
    for (let life = 0; life < 4; life++, crashes++) {
      const disk = powerDisk(1 + Math.floor(random() * (life === 0 ? 60 : 220)));
      const store = here.open(disk.fileSystem);
      await work(here, store, told, random);
      await store.close();
      disk.comeBack(random);
      await look(here, told, `seed ${seed}, life ${life}, operation ${disk.operations}`);
    }
  }
});
