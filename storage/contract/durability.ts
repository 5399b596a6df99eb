import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ADD, add, type ContractCase, event, names, rejectsWith } from "./case.js";

/** Every file under a directory. */
function files(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true, recursive: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
}

export const durabilityCases: readonly ContractCase[] = [
  {
    name: "everything is there after a restart",
    run: async ({ open }) => {
      const first = await open();
      for (const name of ["a", "b"]) await add(first, name);
      await first.write("change", (tx) => tx.run("UPDATE things SET amount = ? WHERE name = ?", [5, "a"]));
      await first.write("gone", (tx) => tx.run("DELETE FROM things WHERE name = ?", ["b"]));
      await first.close();
      const store = await open();
      assert.deepEqual(await store.read((q) => q.all("SELECT id, name, amount FROM things")), [
        { id: 1, name: "a", amount: 5 },
      ]);
    },
  },
  {
    name: "two stores of one directory do not touch each other",
    run: async ({ open }) => {
      const a = await open({ name: "a.db" });
      const b = await open({ name: "b.db" });
      await add(a, "in a");
      await add(b, "in b");
      assert.deepEqual([await names(a), await names(b)], [["in a"], ["in b"]]);
    },
  },
  {
    name: "a newer schema arrives with the next start and keeps the rows",
    run: async ({ open }) => {
      const first = await open();
      await add(first, "a");
      await first.close();
      const store = await open({ schema: 2 });
      assert.deepEqual(await store.read((q) => q.all("SELECT name, added FROM things")), [{ name: "a", added: 7 }]);
      await store.write("new", (tx) => tx.run("INSERT INTO things (name, added) VALUES (?, ?)", ["b", 8]));
      await store.close();
      assert.deepEqual(await names(await open({ schema: 2 })), ["a", "b"]);
    },
  },
  {
    name: "an older program refuses a newer schema and changes nothing",
    run: async ({ open, dir }) => {
      const first = await open({ schema: 2 });
      await add(first, "a");
      await first.close();
      const before = files(dir).map((path) => [path, readFileSync(path).toString("base64")]);
      const error = await rejectsWith("E_STORE", async () => names(await open({ schema: 1 })));
      assert.equal(error.data["reason"], "newer");
      assert.deepEqual(
        files(dir).map((path) => [path, readFileSync(path).toString("base64")]),
        before,
      );
    },
  },
  {
    name: "a store opened for reading shows what is there and refuses to write",
    run: async ({ open }) => {
      const first = await open();
      await add(first, "a");
      await first.close();
      const store = await open({ readonly: true });
      assert.deepEqual(await names(store), ["a"]);
      await rejectsWith("E_STORE", () => add(store, "b"));
    },
  },
  {
    name: "a store that does not exist is empty for a reader, and no file is made",
    run: async ({ open, dir }) => {
      const store = await open({ readonly: true });
      assert.deepEqual(await names(store), []);
      assert.equal(await store.lastSeq(), 0);
      await store.close();
      assert.deepEqual(files(dir), []);
    },
  },
  {
    name: "reading writes no byte",
    run: async ({ open, dir }) => {
      const first = await open();
      await add(first, "a");
      await first.close();
      const stamp = () => files(dir).map((path) => [path, statSync(path).size, readFileSync(path).toString("base64")]);
      const before = stamp();
      const store = await open({ readonly: true });
      await names(store);
      await store.events(0, 10);
      await store.close();
      assert.deepEqual(stamp(), before);
    },
  },
  {
    name: "a copy is a plain SQLite file of one moment",
    run: async ({ open, dir }) => {
      const store = await open();
      await store.write("one", async (tx) => {
        await tx.run(ADD, ["a"]);
        tx.emit(event("added"));
      });
      const path = join(dir, "copy.sqlite");
      const copy = await store.copyTo(path);
      await add(store, "later");
      const bytes = readFileSync(path);
      assert.equal(bytes.subarray(0, 15).toString(), "SQLite format 3");
      assert.equal(copy.sha256, createHash("sha256").update(bytes).digest("hex"));
      assert.equal(copy.sequence, 1);
    },
  },
  {
    name: "a copy to a place that does not exist fails and hurts nothing",
    run: async ({ open, dir }) => {
      const store = await open();
      await add(store, "a");
      await assert.rejects(store.copyTo(join(dir, "missing", "copy.sqlite")));
      await add(store, "b");
      assert.deepEqual(await names(store), ["a", "b"]);
    },
  },
  {
    name: "after a purge no file of the store holds the deleted text",
    run: async ({ open, dir }) => {
      const canary = "CANARY-7f3e2a";
      const store = await open();
      await add(store, "stays");
      await store.write("note", (tx) =>
        tx.run("INSERT INTO things (name, note) VALUES (?, ?)", ["goes", `${canary} `.repeat(2_000)]),
      );
      await store.purge(async (tx) => {
        await tx.run("DELETE FROM things WHERE name = ?", ["goes"]);
      });
      const holding = files(dir).filter((path) => readFileSync(path).includes(canary));
      assert.deepEqual(holding, []);
      assert.deepEqual(await names(store), ["stays"]);
      await store.close();
      assert.deepEqual(await names(await open()), ["stays"]);
    },
  },
  {
    name: "a purge whose body throws changes nothing",
    run: async ({ open }) => {
      const store = await open();
      await add(store, "a");
      const failing = store.purge(async (tx) => {
        await tx.run("DELETE FROM things");
        throw new Error("stop");
      });
      await assert.rejects(failing, /stop/);
      assert.deepEqual(await names(store), ["a"]);
    },
  },
  {
    name: "close is harmless twice, and afterwards nothing works",
    run: async ({ open }) => {
      const store = await open();
      await add(store, "a");
      await store.close();
      await store.close();
      await rejectsWith("E_STORE", () => names(store));
      await rejectsWith("E_STORE", () => add(store, "b"));
    },
  },
  {
    name: "what was asked for before close is done",
    run: async ({ open }) => {
      const first = await open();
      const asked = Array.from({ length: 20 }, (_, at) => add(first, `n${at}`));
      await Promise.all([...asked, Promise.all(asked).then(() => first.close())]);
      assert.equal((await names(await open())).length, 20);
    },
  },
  {
    name: "the files are for this user alone",
    run: async ({ open, dir }) => {
      const store = await open();
      await add(store, "a");
      const loose = files(dir).filter((path) => (statSync(path).mode & 0o077) !== 0);
      assert.deepEqual(loose, []);
    },
  },
  {
    name: "a migration with a function sees the rows",
    run: async ({ open }) => {
      const first = await open();
      await add(first, "a");
      await first.close();
      const store = await open({ schema: 3 });
      assert.deepEqual(await store.read((q) => q.all("SELECT note FROM things")), [{ note: "migrated a" }]);
    },
  },
  {
    name: "the main file is there as soon as something was written and closed",
    run: async ({ open, dir }) => {
      const store = await open();
      await add(store, "a");
      await store.close();
      assert.ok(existsSync(join(dir, "store.db")));
    },
  },
];
