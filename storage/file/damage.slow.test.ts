import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { powerDisk } from "../../fixtures/sim/power.js";
import { AppError } from "../../lib/base/errors.js";
import { silentLog } from "../../lib/base/log/log.js";
import { newestSchema } from "../migrate.js";
import { sessionMigrations } from "../schema/sessions.js";
import type { Migration, StoreSpec } from "../store.js";
import { openFileStore } from "./open.js";
import type { FileSystem } from "./wasm.js";

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "file-damage-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const specOf = (dir: string, migrations: readonly Migration[] = sessionMigrations): StoreSpec => ({
  name: "sessions",
  kind: "sessions",
  path: join(dir, "sessions.db"),
  migrations,
});

function open(t: TestContext, spec: StoreSpec, how: { readonly?: boolean; fileSystem?: FileSystem } = {}) {
  const store = openFileStore(spec, {
    host: "inline",
    clock: manualClock(),
    log: silentLog,
    onFatal: () => undefined,
    ...how,
  });
  t.after(() => store.close());
  return store;
}

/** A closed session store with some rows in it. */
async function stored(t: TestContext): Promise<{ dir: string; spec: StoreSpec; bytes: Buffer }> {
  const dir = tempDir(t);
  const spec = specOf(dir);
  const store = open(t, spec);
  await store.write("fill", async (tx) => {
    for (let id = 1; id <= 50; id++) {
      const place = ["s", "s:1", id, "user", `text ${id} ${"x".repeat(200)}`, 1];
      await tx.run(
        "INSERT INTO messages (session_id, turn_id, ordinal, role, content, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        place,
      );
    }
  });
  await store.close();
  return { dir, spec, bytes: readFileSync(spec.path) };
}

const refusedBecause = (reason: string) => (error: unknown) =>
  error instanceof AppError && error.code === "E_STORE" && error.data["reason"] === reason;
/** Layout after the newest of this version. */
const NEXT = newestSchema(sessionMigrations) + 1;

const readAll = "SELECT length(content) AS n FROM messages";

const cut = (bytes: Buffer, length: number) => bytes.subarray(0, length);
const zeroed = (bytes: Buffer, from: number, to: number) =>
  Buffer.concat([bytes.subarray(0, from), Buffer.alloc(to - from), bytes.subarray(to)]);
const DAMAGES: readonly { what: string; make: (bytes: Buffer) => Buffer }[] = [
  { what: "a text in place of the file", make: () => Buffer.from("dear diary\n".repeat(900)) },
  { what: "a header of zeros", make: (bytes) => zeroed(bytes, 0, 100) },
  { what: "one letter of the header", make: (bytes) => Buffer.concat([Buffer.from("X"), bytes.subarray(1)]) },
  {
    what: "an impossible page size",
    make: (bytes) => Buffer.concat([bytes.subarray(0, 16), Buffer.from([3, 7]), bytes.subarray(18)]),
  },
  { what: "an emptied file", make: () => Buffer.alloc(0) },
  { what: "a file of 10 bytes", make: (bytes) => cut(bytes, 10) },
  { what: "only the header", make: (bytes) => cut(bytes, 100) },
  { what: "half the file", make: (bytes) => cut(bytes, bytes.length / 2) },
  { what: "all but the last page", make: (bytes) => cut(bytes, bytes.length - 4096) },
  { what: "all but the last byte", make: (bytes) => cut(bytes, bytes.length - 1) },
  { what: "zeros in place of the schema", make: (bytes) => zeroed(bytes, 100, 4096) },
  { what: "zeros from the second page on", make: (bytes) => zeroed(bytes, 4096, bytes.length) },
];

for (const { what, make } of DAMAGES) {
  test(`a damaged file (${what}) is refused with reason damaged, and not a byte of it changes`, async (t) => {
    const { dir, spec, bytes } = await stored(t);
    const broken = make(bytes);
    writeFileSync(spec.path, broken);
    for (const readonly of [true, false]) {
      const store = open(t, spec, { readonly });
      await assert.rejects(
        store.read((q) => q.all(readAll)),
        refusedBecause("damaged"),
      );
      await store.close();
    }
    assert.equal(Buffer.compare(readFileSync(spec.path), broken), 0);
    assert.deepEqual(readdirSync(dir), ["sessions.db"]);
  });
}

test("no step of a first start leaves an empty file under the store's name", async (t) => {
  const spec = specOf(tempDir(t));
  let steps = 0;
  const look = () => {
    steps += 1;
    assert.notEqual(statSync(spec.path, { throwIfNoEntry: false })?.size, 0, `step ${steps}`);
  };
  const watched = Object.entries(powerDisk(Number.POSITIVE_INFINITY).fileSystem).map(([name, act]) => [
    name,
    (...args: readonly unknown[]) => {
      look();
      const result: unknown = Reflect.apply(act, undefined, args);
      look();
      return result;
    },
  ]);
  const store = open(t, spec, { fileSystem: Object.fromEntries(watched) });
  await store.ready();
  assert.ok(steps > 20, String(steps));
});

test("a first start that was killed at any step is begun again by the next, and whoever reads meanwhile sees an empty store", async (t) => {
  for (let step = 1, done = false; !done; step++) {
    const spec = specOf(tempDir(t));
    const disk = powerDisk(step);
    const killed = open(t, spec, { fileSystem: disk.fileSystem });
    done = await killed.ready().then(
      () => true,
      () => false,
    );
    if (!done) await killed.close();
    const reader = open(t, spec, { readonly: true });
    assert.deepEqual(await reader.read((q) => q.all(readAll)), [], `step ${step}`);
    await reader.close();
    if (done) continue;
    await open(t, spec).ready();
    assert.deepEqual(readdirSync(dirname(spec.path)).sort(), ["sessions.db", "sessions.db-wal"], `step ${step}`);
  }
});

test("a first start follows a link whose file is not there yet, and leaves the link", async (t) => {
  const dir = tempDir(t);
  const elsewhere = tempDir(t);
  const spec = specOf(dir);
  symlinkSync("between.db", spec.path);
  symlinkSync(join(elsewhere, "kept.db"), join(dir, "between.db"));
  const store = open(t, spec);
  assert.deepEqual(await store.read((q) => q.all(readAll)), []);
  await store.close();
  assert.ok(lstatSync(spec.path).isSymbolicLink());
  assert.ok(lstatSync(join(dir, "between.db")).isSymbolicLink());
  assert.ok(statSync(join(elsewhere, "kept.db")).size > 0);
  assert.deepEqual(readdirSync(elsewhere), ["kept.db"]);
});

test("a folder in place of the file is refused as damaged, not with the system's word for it", async (t) => {
  const { spec } = await stored(t);
  rmSync(spec.path);
  mkdirSync(spec.path);
  for (const readonly of [true, false])
    await assert.rejects(open(t, spec, { readonly }).ready(), refusedBecause("damaged"));
  assert.deepEqual(readdirSync(spec.path), []);
});

test("an emptied file beside a journal with commits is refused, and the journal stays", async (t) => {
  const { dir, spec } = await stored(t);
  writeFileSync(spec.path, "");
  writeFileSync(`${spec.path}-wal`, Buffer.alloc(5000, 7));
  for (const readonly of [true, false])
    await assert.rejects(open(t, spec, { readonly }).ready(), refusedBecause("damaged"));
  assert.deepEqual(readdirSync(dir).sort(), ["sessions.db", "sessions.db-wal"]);
  assert.equal(readFileSync(`${spec.path}-wal`).length, 5000);
});

test("a flipped byte in any page is found by check, or hurts nothing; opening it never makes the file again", async (t) => {
  const { spec, bytes } = await stored(t);
  const found: string[] = [];
  for (let page = 1; page * 4096 < bytes.length; page++) {
    const broken = Buffer.from(bytes);
    broken[page * 4096] = (broken[page * 4096] ?? 0) ^ 0xff; // the kind of the page
    writeFileSync(spec.path, broken);
    const store = open(t, spec, { readonly: true });
    try {
      found.push(...(await store.check()).slice(0, 1));
    } catch (error) {
      assert.ok(refusedBecause("damaged")(error), String(error));
      found.push("refused");
    }
    await store.close();
  }
  assert.ok(found.length > 10, `${found.length} pages`);
});

test("a file of a newer version is refused, says so, and is not touched", async (t) => {
  const dir = tempDir(t);
  const newer: Migration[] = [
    ...sessionMigrations,
    { to: NEXT, statements: ["CREATE TABLE later (id INTEGER PRIMARY KEY)"] },
  ];
  const future = open(t, specOf(dir, newer));
  await future.ready();
  await future.close();
  const before = readFileSync(join(dir, "sessions.db"));
  for (const readonly of [true, false])
    await assert.rejects(open(t, specOf(dir), { readonly }).ready(), refusedBecause("newer"));
  assert.deepEqual(readFileSync(join(dir, "sessions.db")), before);
  assert.deepEqual(readdirSync(dir), ["sessions.db"]);
});

test("a database of another program is refused and not touched", async (t) => {
  const dir = tempDir(t);
  const other = open(t, { ...specOf(dir), kind: "board", name: "other" });
  await other.ready();
  await other.close();
  await assert.rejects(open(t, specOf(dir)).ready(), refusedBecause("foreign"));
});

test("an older file is copied before it is brought up to date, and everything in it stays", async (t) => {
  const { dir, spec } = await stored(t);
  const next: Migration[] = [
    ...sessionMigrations,
    {
      to: NEXT,
      statements: ["CREATE TABLE later (id INTEGER PRIMARY KEY, n INTEGER)"],
      apply: async (tx) => {
        await tx.run("INSERT INTO later (id, n) SELECT 1, count(*) FROM messages");
      },
    },
  ];
  await assert.rejects(open(t, specOf(dir, next), { readonly: true }).ready(), refusedBecause("readonly"));
  const store = open(t, { ...spec, migrations: next });
  assert.deepEqual(await store.read((q) => q.get("SELECT n FROM later")), { n: 50 });
  const [copy] = readdirSync(join(dir, "state-snapshots"));
  const old = open(t, { ...spec, path: join(dir, "state-snapshots", copy ?? "") }, { readonly: true });
  assert.deepEqual(await old.check(), []);
  assert.equal((await old.read((q) => q.all(readAll))).length, 50);
});

test("of the copies from before upgrades the newest five are kept, and those of other stores stay", async (t) => {
  const { dir, spec } = await stored(t);
  const snapshots = join(dir, "state-snapshots");
  mkdirSync(snapshots);
  for (let n = 1; n <= 7; n++) {
    writeFileSync(join(snapshots, `sessions.db.schema-${n}.${1_000 + n}`), "old");
    writeFileSync(join(snapshots, `sessions.db.schema-${n}.${1_000 + n}-wal`), "old");
  }
  writeFileSync(join(snapshots, "state.db.schema-1.1"), "of another store");
  const next: Migration[] = [...sessionMigrations, { to: NEXT, statements: ["CREATE TABLE later (id INTEGER)"] }];
  await open(t, { ...spec, migrations: next }).ready();
  const left = readdirSync(snapshots).toSorted();
  const kept = [4, 5, 6, 7].flatMap((n) => [
    `sessions.db.schema-${n}.${1_000 + n}`,
    `sessions.db.schema-${n}.${1_000 + n}-wal`,
  ]);
  assert.deepEqual(
    left.filter((name) => /\.100\d/.test(name)),
    kept,
  );
  assert.ok(left.includes("state.db.schema-1.1"));
  assert.equal(left.filter((name) => name.startsWith("sessions.db") && !/\.100\d/.test(name)).length, 1);
});

test("a migration that fails leaves the older file as it was", async (t) => {
  const { dir, spec } = await stored(t);
  const bad: Migration[] = [
    ...sessionMigrations,
    { to: NEXT, statements: ["CREATE TABLE later (id INTEGER)", "CREATE TABLE later (id INTEGER)"] },
  ];
  await assert.rejects(open(t, specOf(dir, bad)).ready());
  const store = open(t, spec);
  assert.equal((await store.read((q) => q.all(readAll))).length, 50);
  assert.equal(existsSync(spec.path), true);
});
