import assert from "node:assert/strict";
import { autocommit } from "../alone.js";
import { ADD, add, type ContractCase, event, names, rejectsWith } from "./case.js";

export const scriptCases: readonly ContractCase[] = [
  {
    name: "statements alone give rows and counts",
    run: async ({ open }) => {
      const store = await open();
      const single = autocommit(store, "single");
      assert.equal(await single.run(ADD, ["a"]), 1);
      assert.equal(await single.run("UPDATE things SET amount = 3 WHERE name = ?", ["z"]), 0);
      assert.deepEqual(await single.get("UPDATE things SET amount = 3 WHERE name = ? RETURNING amount", ["a"]), {
        amount: 3,
      });
      assert.deepEqual(await single.all("SELECT name, amount FROM things"), [{ name: "a", amount: 3 }]);
      assert.equal(await single.get("SELECT name FROM things WHERE name = ?", ["z"]), undefined);
    },
  },
  {
    name: "a script gives the rows of each step",
    run: async ({ open }) => {
      const store = await open();
      const rows = await store.script("two", [
        { sql: `${ADD} RETURNING id`, args: ["a"] },
        { sql: "UPDATE things SET amount = ? WHERE name = ?", args: [3, "a"], expect: 1 },
        { sql: "SELECT name, amount FROM things", args: [] },
      ]);
      assert.deepEqual(rows, [[{ id: 1 }], [], [{ name: "a", amount: 3 }]]);
    },
  },
  {
    name: "a step takes a value from an earlier one",
    run: async ({ open }) => {
      const store = await open();
      await add(store, "first");
      await store.script("chain", [
        { sql: `${ADD} RETURNING id`, args: ["a"] },
        {
          sql: "UPDATE things SET amount = ? WHERE id = ?",
          args: [
            { from: 0, column: "id" },
            { from: 0, column: "id" },
          ],
          expect: 1,
        },
      ]);
      assert.deepEqual(await store.read((q) => q.get("SELECT amount FROM things WHERE name = ?", ["a"])), {
        amount: 2,
      });
    },
  },
  {
    name: "a step that meets another number of rows undoes the script and is a conflict",
    run: async ({ open }) => {
      const store = await open();
      const error = await rejectsWith("E_CONFLICT", () =>
        store.script("wrong", [
          { sql: ADD, args: ["a"], expect: 1 },
          { sql: "UPDATE things SET amount = 1 WHERE name = ?", args: ["z"], expect: 1 },
        ]),
      );
      assert.equal(error.data["step"], 1);
      assert.deepEqual(await names(store), []);
    },
  },
  {
    name: "of scripts that are sent together, the one that fails is undone alone, and the others are numbered without a gap",
    run: async ({ open }) => {
      const store = await open();
      const send = (name: string, amount: number) =>
        store.script(
          "together",
          [
            { sql: `${ADD} RETURNING id`, args: [name] },
            { sql: "UPDATE things SET amount = 1 WHERE name = ?", args: [name], expect: amount },
          ],
          [event(name)],
        );
      const sent = ["a", "b", "wrong", "c"].map((name) => send(name, name === "wrong" ? 2 : 1));
      const reading = store.script("look", [{ sql: "SELECT count(*) AS count FROM things", args: [] }]);
      const ends = await Promise.allSettled(sent);
      assert.deepEqual(
        ends.map((end) => (end.status === "fulfilled" ? end.value[0]?.[0]?.["id"] : end.reason.code)),
        [1, 2, "E_CONFLICT", 3],
      );
      assert.deepEqual(await reading, [[{ count: 3 }]]);
      assert.deepEqual(await names(store), ["a", "b", "c"]);
      const events = await store.events(0, 10);
      assert.deepEqual(
        events.map(({ seq, kind }) => [seq, kind]),
        [
          [1, "a"],
          [2, "b"],
          [3, "c"],
        ],
      );
    },
  },
  {
    name: "expect counts the rows of a step with RETURNING",
    run: async ({ open }) => {
      const store = await open();
      const none = { sql: "UPDATE things SET amount = 1 WHERE name = ? RETURNING id", args: ["z"], expect: 1 };
      await rejectsWith("E_CONFLICT", () => store.script("none", [none]));
      await store.script("zero", [{ ...none, expect: 0 }]);
    },
  },
  {
    name: "a value from a step without rows is a conflict",
    run: async ({ open }) => {
      const store = await open();
      const steps = [
        { sql: "UPDATE things SET amount = 1 WHERE name = ? RETURNING id", args: ["z"] },
        { sql: "DELETE FROM things WHERE id = ?", args: [{ from: 0, column: "id" }] },
      ];
      await rejectsWith("E_CONFLICT", () => store.script("none", steps));
    },
  },
  {
    name: "a failing step undoes the earlier ones and the events",
    run: async ({ open }) => {
      const store = await open();
      const steps = [
        { sql: ADD, args: ["a"] },
        { sql: ADD, args: ["a"] },
      ];
      await rejectsWith("E_CONFLICT", () => store.script("twice", steps, [event("never")]));
      assert.deepEqual(await names(store), []);
      assert.equal(await store.lastSeq(), 0);
    },
  },
  {
    name: "a script writes its events",
    run: async ({ open }) => {
      const store = await open();
      await store.script("told", [{ sql: ADD, args: ["a"] }], [event("one"), event("two")]);
      const kinds = (await store.events(0, 10)).map((one) => one.kind);
      assert.deepEqual(kinds, ["one", "two"]);
    },
  },
  {
    name: "values of a script are normalised and checked like those of a body",
    run: async ({ open }) => {
      const store = await open();
      await store.script("nul", [{ sql: ADD, args: ["a\0"] }]);
      assert.deepEqual(await names(store), ["a\ufffd"]);
      await rejectsWith("E_INVALID", () => store.script("few", [{ sql: ADD, args: [] }]));
    },
  },
  {
    name: "a script cannot change the schema",
    run: async ({ open }) => {
      const store = await open();
      await rejectsWith("E_INVALID", () => store.script("ddl", [{ sql: "DROP TABLE things", args: [] }]));
      assert.deepEqual(await names(store), []);
    },
  },
  {
    name: "two hundred scripts at once all take effect",
    run: async ({ open }) => {
      const store = await open();
      await Promise.all(
        Array.from({ length: 200 }, (_, at) =>
          store.script("many", [{ sql: ADD, args: [`n${at}`] }], [event("added")]),
        ),
      );
      assert.equal((await names(store)).length, 200);
      assert.equal(await store.lastSeq(), 200);
    },
  },
];
