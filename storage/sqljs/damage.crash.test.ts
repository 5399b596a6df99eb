import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../fixtures/ports/disk.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { seeded } from "../../fixtures/ports/random.js";
import { LEDGER_SCHEMA, Ledger, render } from "../../fixtures/sim/ledger.js";
import { AppError } from "../../lib/base/errors.js";
import { silentLog } from "../../lib/base/log/log.js";
import type { StoreSpec } from "../store.js";
import { openInline } from "./open.js";
import type { Sabotage } from "./sabotage.js";

const PATH = "/home/kanban.db";

function open(disk: SimDisk, how: { schema?: number; sabotage?: Sabotage; name?: string } = {}) {
  const spec: StoreSpec = {
    name: how.name ?? "board:default",
    path: PATH,
    kind: "board",
    migrations: LEDGER_SCHEMA.slice(0, how.schema ?? 1),
  };
  const options = {
    disk,
    clock: manualClock(),
    ids: countingIds(7),
    host: "inline",
    log: silentLog,
    checkpointBytes: 1 << 20,
  } as const;
  return openInline(spec, options, how.sabotage);
}

interface Stored {
  readonly disk: SimDisk;
  readonly ledger: Ledger;
  readonly last: number;
}

/** A store that ended well: two checkpoints, three segments, frames behind the last checkpoint. */
async function stored(seed = 1): Promise<Stored> {
  const disk = simDisk();
  const ledger = new Ledger(seed, 1_000);
  const store = await open(disk);
  const write = async (count: number) => {
    for (let at = 0; at < count; at++) await store.write("ledger", (tx) => ledger.next(tx));
  };
  await write(8);
  await store.checkpoint();
  await write(8);
  await store.checkpoint();
  await write(8);
  await store.close();
  disk.settle();
  return { disk, ledger, last: 24 };
}

async function contents(disk: SimDisk, how: Parameters<typeof open>[1] = {}): Promise<{ at: number; state: string }> {
  const store = await open(disk, how);
  try {
    return await store.read(async (q) => {
      const rows = await q.all<{ id: number; value: number; text: string }>(
        "SELECT id, value, text FROM rows ORDER BY id",
      );
      const at = (await q.get<{ n: number }>("SELECT n FROM counter"))?.n ?? -1;
      return { at, state: render(new Map(rows.map((row) => [row.id, row]))) };
    });
  } finally {
    await store.close();
  }
}

const bytesOf = (disk: SimDisk, path: string): Buffer =>
  disk.files().find(([name]) => name === path)?.[1] ?? assert.fail(`${path} is missing`);
const snapshot = (disk: SimDisk) => disk.files().map(([path, bytes]) => `${path} ${bytes.toString("base64")}`);
const logs = (disk: SimDisk) => disk.files().flatMap(([path]) => (path.includes(".log-") ? [path] : []));

/** Either everything is there, or the store is refused with a reason and no byte was changed. Never less in silence. */
async function allOrRefused(
  { disk, ledger, last }: Stored,
  reasons: readonly string[],
  how: Parameters<typeof open>[1] = {},
): Promise<string> {
  const before = snapshot(disk);
  try {
    const found = await contents(disk, how);
    assert.deepEqual(found, { at: last, state: ledger.state(last) });
    return "recovered";
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    assert.equal(error.code, "E_STORE", error.message);
    assert.ok(reasons.includes(String(error.data["reason"])), `${error.message} (${String(error.data["reason"])})`);
    assert.ok(error.message.includes("/home/"), `${error.message} names the file`);
    assert.deepEqual(snapshot(disk), before);
    return String(error.data["reason"]);
  }
}

test("an undamaged store is whole", async () => {
  assert.equal(await allOrRefused(await stored(), []), "recovered");
});

test("a checkpoint cut at each 512 bytes is recovered from the one before", async () => {
  const whole = await stored();
  const bytes = bytesOf(whole.disk, PATH);
  for (let size = 0; size < bytes.length; size += 512) {
    const disk = whole.disk.fork();
    disk.plant(PATH, bytes.subarray(0, size));
    assert.equal(await allOrRefused({ ...whole, disk }, []), "recovered", `cut at ${size}`);
  }
});

test("an emptied file with nothing beside it is refused as damaged, not begun again", async () => {
  const disk = simDisk();
  disk.plant(PATH, Buffer.alloc(0));
  assert.equal(await allOrRefused({ ...(await stored()), disk }, ["damaged"]), "damaged");
});

test("a checkpoint with a garbage header is recovered from the one before, and kept", async () => {
  const whole = await stored();
  const bytes = Buffer.from(bytesOf(whole.disk, PATH));
  bytes.fill(0x5a, 0, 100);
  whole.disk.plant(PATH, bytes);
  assert.equal(await allOrRefused(whole, []), "recovered");
  const kept = whole.disk.files().filter(([path, content]) => path.includes(".lost/") && content.equals(bytes));
  assert.equal(kept.length, 1);
});

test("bit flips anywhere in the checkpoint are recovered or refused", async () => {
  const whole = await stored();
  const bytes = bytesOf(whole.disk, PATH);
  const random = seeded(5);
  for (let count = 0; count < 150; count++) {
    const flipped = Buffer.from(bytes);
    const at = random.below(bytes.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    const disk = whole.disk.fork();
    disk.plant(PATH, flipped);
    await allOrRefused({ ...whole, disk }, ["foreign", "damaged"]);
  }
});

test("without the checkpoint before, a damaged one is refused", async () => {
  const whole = await stored();
  const bytes = Buffer.from(bytesOf(whole.disk, PATH));
  bytes.fill(0, 4_096, 8_192);
  whole.disk.plant(PATH, bytes);
  whole.disk.plant(`${PATH}.prev`, undefined);
  assert.equal(await allOrRefused(whole, ["damaged"]), "damaged");
});

test("bit flips anywhere in the last segment lose nothing but a tail that no one could tell from a torn one", async () => {
  const whole = await stored();
  const path = logs(whole.disk).at(-1) ?? "";
  const bytes = bytesOf(whole.disk, path);
  const random = seeded(6);
  const frames = frameStarts(bytes);
  for (let count = 0; count < 150; count++) {
    const at = random.below(frames.at(-1) ?? 0);
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    const disk = whole.disk.fork();
    disk.plant(path, flipped);
    assert.equal(await allOrRefused({ ...whole, disk }, ["damaged"]), "damaged", `byte ${at}`);
  }
});

test("a missing segment is refused", async () => {
  const whole = await stored();
  const path = logs(whole.disk).at(-1) ?? "";
  whole.disk.plant(path, undefined);
  assert.equal(await allOrRefused(whole, ["damaged"]), "damaged");
});

test("a frame cut out of a segment is refused", async () => {
  const { disk, ...rest } = await stored();
  cutFrame(disk);
  assert.equal(await allOrRefused({ disk, ...rest }, ["damaged"]), "damaged");
});

test("is caught: replay accepts a gap", async () => {
  const { disk, ...rest } = await stored();
  cutFrame(disk);
  await assert.rejects(allOrRefused({ disk, ...rest }, ["damaged"], { sabotage: { acceptGap: true } }));
});

/** What a reader without the lock says about the files; it changes none of them. */
async function notesOf(disk: SimDisk, readonly: boolean): Promise<readonly string[]> {
  const notes: string[] = [];
  const spec: StoreSpec = { name: "board:default", path: PATH, kind: "board", migrations: LEDGER_SCHEMA.slice(0, 1) };
  const onRecovered = (note: string) => notes.push(note);
  const store = await openInline(spec, {
    disk,
    clock: manualClock(),
    ids: countingIds(7),
    host: "inline",
    log: silentLog,
    readonly,
    onRecovered,
  });
  await store.close();
  return notes;
}

const GONE: readonly (readonly [names: readonly string[], said: RegExp])[] = [
  [[""], /kanban\.db is missing; the previous checkpoint and the journal replace it/],
  [[".prev"], /kanban\.db\.prev is missing/],
  [[".current"], /kanban\.db\.current is missing; \/home\/kanban\.db and the journal replace it/],
  [[".current", ".prev"], /kanban\.db\.current is missing; \/home\/kanban\.db and the journal replace it/],
  [
    ["", ".current"],
    /kanban\.db\.current is missing, and so is \/home\/kanban\.db; .*\.prev and the journal replace it/,
  ],
];

for (const [names, said] of GONE)
  test(`a store without ${names.map((name) => `kanban.db${name}`).join(" and ")} is recovered, and reader and owner say so`, async () => {
    const whole = await stored();
    for (const name of names) whole.disk.plant(`${PATH}${name}`, undefined);
    const before = snapshot(whole.disk);
    const told = await notesOf(whole.disk, true);
    assert.deepEqual(snapshot(whole.disk), before);
    assert.match(told.join(), said);
    assert.deepEqual(await notesOf(whole.disk.fork(), false), told);
    assert.equal(await allOrRefused(whole, []), "recovered");
    for (const name of ["", ".current"]) bytesOf(whole.disk, `${PATH}${name}`);
    assert.deepEqual(
      (await notesOf(whole.disk, true)).filter((note) => !note.includes("the previous checkpoint")),
      [],
    );
    assert.equal(await allOrRefused(whole, []), "recovered");
  });

test("an unreadable current is replaced by what the checkpoint and the journal say, and kept", async () => {
  const whole = await stored();
  const bytes = bytesOf(whole.disk, `${PATH}.current`);
  for (const text of ["", "{}", "null", "garbage", bytes.toString().slice(0, -20)]) {
    const disk = whole.disk.fork();
    disk.plant(`${PATH}.current`, Buffer.from(text));
    assert.match((await notesOf(disk, true)).join(), /kanban\.db\.current is not readable/);
    assert.equal(await allOrRefused({ ...whole, disk }, []), "recovered", text);
    assert.ok(disk.files().some(([path, kept]) => path.includes(".lost/") && kept.toString() === text));
  }
});

test("a store without current is refused when its journal does not reach the checkpoint", async () => {
  const whole = await stored();
  whole.disk.plant(`${PATH}.current`, undefined);
  whole.disk.plant(PATH, undefined);
  whole.disk.plant(logs(whole.disk)[0] ?? "", undefined);
  assert.equal(await allOrRefused(whole, ["damaged"]), "damaged");
});

test("a checkpoint that only lies in the place of the one before is taken back", async () => {
  const whole = await stored();
  whole.disk.plant(`${PATH}.prev`, bytesOf(whole.disk, PATH));
  whole.disk.plant(PATH, undefined);
  assert.match(
    (await notesOf(whole.disk, true)).join(),
    /kanban\.db is missing; the same checkpoint in .*\.prev replaces it/,
  );
  assert.equal(await allOrRefused(whole, []), "recovered");
});

test("a refusal over a damaged journal leaves also the damaged checkpoint in its place", async () => {
  const whole = await stored();
  whole.disk.plant(PATH, Buffer.alloc(4_096, 0x5a));
  cutFrame(whole.disk);
  assert.equal(await allOrRefused(whole, ["damaged"]), "damaged");
});

test("a missing checkpoint is recovered from the one before", async () => {
  const whole = await stored();
  whole.disk.plant(PATH, undefined);
  assert.equal(await allOrRefused(whole, []), "recovered");
});

test("a store of which only the journal is left is refused", async () => {
  const whole = await stored();
  for (const name of ["", ".current", ".prev"]) whole.disk.plant(`${PATH}${name}`, undefined);
  assert.equal(await allOrRefused(whole, ["damaged"]), "damaged");
});

test("the journal of another board is refused", async () => {
  const whole = await stored();
  const other = simDisk();
  const store = await openInline(
    { name: "board:other", path: PATH, kind: "board", migrations: LEDGER_SCHEMA.slice(0, 1) },
    { disk: other, clock: manualClock(), ids: countingIds(99), host: "inline", log: silentLog },
  );
  await store.close();
  const path = logs(whole.disk).at(-1) ?? "";
  whole.disk.plant(path, bytesOf(other, `${PATH}.log-1`));
  assert.equal(await allOrRefused(whole, ["foreign"]), "foreign");
});

test("a file that is no database is refused", async () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from("hello"), Buffer.alloc(8_192, 0x5a)]) {
    const disk = simDisk();
    disk.plant(PATH, bytes);
    assert.equal(
      (await allOrRefused({ disk, ledger: new Ledger(1), last: 0 }, ["damaged", "foreign"])) === "recovered",
      false,
    );
  }
});

test("a store of another kind is refused", async () => {
  const whole = await stored();
  const spec: StoreSpec = { name: "state", path: PATH, kind: "state", migrations: LEDGER_SCHEMA.slice(0, 1) };
  const options = { disk: whole.disk, clock: manualClock(), host: "inline", log: silentLog } as const;
  const before = snapshot(whole.disk);
  await assert.rejects(
    openInline(spec, options),
    (error) => error instanceof AppError && error.data["reason"] === "foreign",
  );
  assert.deepEqual(snapshot(whole.disk), before);
});

test("a newer schema is refused by an older program", async () => {
  const whole = await stored();
  await contents(whole.disk, { schema: 2 });
  assert.equal(await allOrRefused(whole, ["newer"]), "newer");
});

test("a copy that another tool changed is taken over when nothing waits in the journal", async () => {
  const { disk } = await stored();
  const store = await open(disk);
  await store.checkpoint();
  await store.close();
  const edited = await editedCopy(disk);
  disk.plant(PATH, edited);
  assert.equal((await contents(disk)).at, 1_000);
  assert.equal((await contents(disk)).at, 1_000);
});

test("a copy that another tool changed while changes of ours wait is refused", async () => {
  const whole = await stored();
  whole.disk.plant(PATH, await editedCopy(whole.disk));
  assert.equal(await allOrRefused(whole, ["foreign"]), "foreign");
});

test("a backup that was put back alone is taken over", async () => {
  const whole = await stored();
  const store = await open(whole.disk);
  await store.copyTo("/home/backup.sqlite");
  await store.close();
  const disk = simDisk();
  disk.plant(PATH, bytesOf(whole.disk, "/home/backup.sqlite"));
  assert.equal(await allOrRefused({ ...whole, disk }, []), "recovered");
  const again = await open(disk);
  await again.write("ledger", (tx) => whole.ledger.next(tx));
  await again.close();
  assert.equal((await contents(disk)).at, whole.last + 1);
});

/** Offsets of the frames, the head first. */
function frameStarts(bytes: Buffer): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at += 20 + bytes.readUInt32LE(at + 4)) starts.push(at);
  return starts;
}

function cutFrame(disk: SimDisk): void {
  const path = logs(disk).at(-1) ?? "";
  const bytes = bytesOf(disk, path);
  const [from = 0, to = 0] = frameStarts(bytes).slice(-2);
  disk.plant(path, Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]));
}

/** The checkpoint as another SQLite program leaves it. */
async function editedCopy(disk: SimDisk): Promise<Buffer> {
  const { loadLibrary } = await import("./library.js");
  const { sql } = await loadLibrary();
  const db = new sql.Database(bytesOf(disk, PATH));
  try {
    db.run("UPDATE counter SET n = 1000");
    const bytes = Buffer.from(db.export());
    for (const at of [24, 92]) bytes.writeUInt32BE(bytes.readUInt32BE(at) + 1, at); // what a program that writes in place counts up
    return bytes;
  } finally {
    db.close();
  }
}
