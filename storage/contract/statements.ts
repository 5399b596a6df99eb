import assert from "node:assert/strict";
import type { Store, Tx } from "../store.js";
import { ADD, add, type ContractCase, names, rejectsWith } from "./case.js";

const REFUSED_IN_WRITE: readonly { name: string; act: (tx: Tx) => Promise<unknown> }[] = [
  { name: "too few arguments are refused", act: (tx) => tx.run(ADD, []) },
  { name: "too many arguments are refused", act: (tx) => tx.run(ADD, ["a", "b"]) },
  { name: "run of a SELECT is refused", act: (tx) => tx.run("SELECT 1") },
  { name: "run with RETURNING is refused", act: (tx) => tx.run(`${ADD} RETURNING id`, ["a"]) },
  { name: "DDL in a transaction is refused", act: (tx) => tx.run("CREATE TABLE more (id INTEGER)") },
  { name: "PRAGMA in a transaction is refused", act: (tx) => tx.all("PRAGMA user_version = 3") },
  { name: "BEGIN and COMMIT in a transaction are refused", act: (tx) => tx.all("COMMIT") },
  { name: "two statements in one text are refused", act: (tx) => tx.all("SELECT 1; DELETE FROM things") },
  {
    name: "a write that begins with WITH is refused",
    act: (tx) => tx.all("WITH a AS (SELECT 1 AS id) DELETE FROM things WHERE id IN (SELECT id FROM a)"),
  },
  { name: "chance in SQL is refused", act: (tx) => tx.run("INSERT INTO things (amount) VALUES (random())") },
  { name: "time in SQL is refused", act: (tx) => tx.run("INSERT INTO things (note) VALUES (CURRENT_TIMESTAMP)") },
  {
    name: "dialect dates in SQL are refused",
    act: (tx) => tx.run("INSERT INTO things (note) VALUES (datetime('now'))"),
  },
  { name: "last_insert_rowid is refused", act: (tx) => tx.all("SELECT last_insert_rowid()") },
  {
    name: "a LIMIT without ORDER BY in a write is refused",
    act: (tx) => tx.run("DELETE FROM things WHERE id IN (1) LIMIT 1"),
  },
  { name: "named placeholders are refused", act: (tx) => tx.run("INSERT INTO things (name) VALUES (:name)", []) },
];

const REFUSED_IN_READ: readonly { name: string; sql: string }[] = [
  { name: "a read cannot insert", sql: "INSERT INTO things (name) VALUES ('x') RETURNING id" },
  { name: "a read cannot update", sql: "UPDATE things SET name = 'x' RETURNING id" },
  { name: "a read cannot delete", sql: "DELETE FROM things RETURNING id" },
];

export const statementCases: readonly ContractCase[] = [
  {
    name: "texts of a column come one behind the other as UTF-8, and none is an empty text",
    run: async ({ open }) => {
      const store = await open();
      const texts = ["\ufeffa", "", "ä", "漢".repeat(70_000), "😀\n"];
      for (const text of texts)
        await store.write("text", (tx) => tx.run("INSERT INTO things (note) VALUES (?)", [text]));
      const read = (sql: string, args: string[] = []) =>
        store.read(async (q) => Buffer.from(await q.text(sql, args)).toString("utf8"));
      assert.equal(await read("SELECT note FROM things ORDER BY id"), texts.join(""));
      assert.equal(await read("SELECT note FROM things ORDER BY id"), texts.join("")); // what was given away is not missed
      assert.equal(await read("SELECT note FROM things WHERE note = ?", ["ä"]), "ä");
      assert.equal(await read("SELECT note FROM things WHERE id < 0"), "");
      await rejectsWith("E_INVALID", () => read("DELETE FROM things RETURNING note"));
    },
  },
  {
    name: "a column without a text adds nothing to the texts of it",
    run: async ({ open }) => {
      const store = await open();
      assert.equal(
        Buffer.from(
          await store.read((q) => q.text("SELECT 'a' UNION ALL SELECT NULL UNION ALL SELECT 'b'")),
        ).toString(),
        "ab",
      );
    },
  },
  ...REFUSED_IN_WRITE.map(({ name, act }) => ({
    name,
    run: async ({ open }: Parameters<ContractCase["run"]>[0]) => {
      const store = await open();
      await add(store, "before");
      await rejectsWith("E_INVALID", () => store.write("refused", act));
      assert.deepEqual(await names(store), ["before"]);
    },
  })),
  ...REFUSED_IN_READ.map(({ name, sql }) => ({
    name,
    run: async ({ open }: Parameters<ContractCase["run"]>[0]) => {
      const store = await open();
      await add(store, "before");
      await rejectsWith("E_INVALID", () => store.read((q) => q.all(sql)));
      assert.deepEqual(await names(store), ["before"]);
    },
  })),
  {
    name: "run tells how many rows it changed",
    run: async ({ open }) => {
      const store = await open();
      for (const name of ["a", "b", "c"]) await add(store, name);
      assert.equal(await store.write("all", (tx) => tx.run("UPDATE things SET amount = 1")), 3);
      assert.equal(await store.write("none", (tx) => tx.run("UPDATE things SET amount = 1 WHERE name = ?", ["z"])), 0);
      assert.equal(await store.write("gone", (tx) => tx.run("DELETE FROM things")), 3);
    },
  },
  {
    name: "RETURNING gives the rows it wrote",
    run: async ({ open }) => {
      const store = await open();
      const sql = "INSERT INTO things (name, amount) VALUES (?, ?), (?, ?) RETURNING id, name";
      const rows = await store.write("two", (tx) => tx.all(sql, ["a", 1, "b", 2]));
      assert.deepEqual(rows, [
        { id: 1, name: "a" },
        { id: 2, name: "b" },
      ]);
    },
  },
  {
    name: "ON CONFLICT DO UPDATE works and ON CONFLICT DO NOTHING changes no row",
    run: async ({ open }) => {
      const store = await open();
      await add(store, "a");
      const upsert =
        "INSERT INTO things (name, amount) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET amount = excluded.amount";
      assert.equal(await store.write("upsert", (tx) => tx.run(upsert, ["a", 5])), 1);
      const ignore = "INSERT INTO things (name) VALUES (?) ON CONFLICT (name) DO NOTHING";
      assert.equal(await store.write("ignore", (tx) => tx.run(ignore, ["a"])), 0);
      assert.deepEqual(await amounts(store), [5]);
    },
  },
  {
    name: "a broken unique constraint is a conflict and changes nothing",
    run: async ({ open }) => {
      const store = await open();
      await add(store, "a");
      await rejectsWith("E_CONFLICT", () => add(store, "a"));
      assert.deepEqual(await names(store), ["a"]);
    },
  },
  {
    name: "foreign keys are enforced",
    run: async ({ open }) => {
      const store = await open();
      await rejectsWith("E_CONFLICT", () =>
        store.write("orphan", (tx) => tx.run("INSERT INTO children (parent_id) VALUES (?)", [9])),
      );
    },
  },
  {
    name: "deletes cascade",
    run: async ({ open }) => {
      const store = await open();
      await store.write("family", async (tx) => {
        await tx.run("INSERT INTO parents (id) VALUES (?)", [1]);
        await tx.run("INSERT INTO children (parent_id) VALUES (?), (?)", [1, 1]);
      });
      await store.write("end", (tx) => tx.run("DELETE FROM parents WHERE id = ?", [1]));
      assert.deepEqual(await store.read((q) => q.all("SELECT id FROM children")), []);
    },
  },
  {
    name: "get without a row is undefined",
    run: async ({ open }) => {
      const store = await open();
      assert.equal(await store.read((q) => q.get("SELECT id FROM things WHERE id = ?", [1])), undefined);
    },
  },
  {
    name: "get of many rows is the first",
    run: async ({ open }) => {
      const store = await open();
      for (const name of ["a", "b"]) await add(store, name);
      assert.deepEqual(await store.read((q) => q.get("SELECT name FROM things ORDER BY id")), { name: "a" });
      assert.equal(await add(store, "c"), 1);
    },
  },
  {
    name: "a question mark in a text or a comment is no placeholder",
    run: async ({ open }) => {
      const store = await open();
      const row = await store.read((q) => q.get(`SELECT 'why?' AS "a?", ? AS b -- really?\n/* ? */`, ["x"]));
      assert.deepEqual(row, { "a?": "why?", b: "x" });
    },
  },
  {
    name: "deleted ids are not given again",
    run: async ({ open }) => {
      const store = await open();
      await add(store, "a");
      await store.write("gone", (tx) => tx.run("DELETE FROM things"));
      await add(store, "b");
      assert.deepEqual(await store.read((q) => q.all("SELECT id FROM things")), [{ id: 2 }]);
    },
  },
];

async function amounts(store: Store): Promise<unknown[]> {
  return (await store.read((q) => q.all("SELECT amount FROM things ORDER BY id"))).map((row) => row["amount"]);
}
