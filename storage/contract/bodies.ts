import assert from "node:assert/strict";
import type { Query, Tx } from "../store.js";
import { ADD, add, type ContractCase, names, rejectsWith } from "./case.js";

export const bodyCases: readonly ContractCase[] = [
  {
    name: "a body that throws changes nothing and gives its own error",
    run: async ({ open }) => {
      const store = await open();
      const stop = new Error("stop");
      const failing = store.write("stop", async (tx) => {
        await tx.run(ADD, ["a"]);
        throw stop;
      });
      await assert.rejects(failing, (error) => error === stop);
      assert.deepEqual(await names(store), []);
    },
  },
  {
    name: "a statement that fails can be caught and the body goes on",
    run: async ({ open }) => {
      const store = await open();
      await add(store, "a");
      await store.write("again", async (tx) => {
        await rejectsWith("E_CONFLICT", () => tx.run(ADD, ["a"]));
        await tx.run(ADD, ["b"]);
      });
      assert.deepEqual(await names(store), ["a", "b"]);
    },
  },
  {
    name: "a body sees what it wrote, and nobody else does before its end",
    run: async ({ open }) => {
      const store = await open();
      let early: Promise<unknown[]> | undefined;
      await store.write("own", async (tx) => {
        await tx.run(ADD, ["a"]);
        early = names(store);
        assert.deepEqual(await tx.all("SELECT name FROM things"), [{ name: "a" }]);
        await tx.run("UPDATE things SET name = ?", ["b"]);
      });
      assert.deepEqual(await early, ["b"]);
    },
  },
  {
    name: "bodies that were begun together do not mix",
    run: async ({ open }) => {
      const store = await open();
      await store.write("zero", (tx) => tx.run("INSERT INTO things (name, amount) VALUES (?, ?)", ["sum", 0]));
      const raise = async (tx: Tx) => {
        const row = await tx.get<{ amount: number }>("SELECT amount FROM things WHERE name = ?", ["sum"]);
        await tx.get("SELECT 1 AS pause");
        return tx.run("UPDATE things SET amount = ? WHERE name = ?", [(row?.amount ?? 0) + 1, "sum"]);
      };
      await Promise.all(Array.from({ length: 40 }, () => store.write("raise", raise)));
      assert.deepEqual(await store.read((q) => q.get("SELECT amount FROM things")), { amount: 40 });
    },
  },
  {
    name: "a read sees one state from its first statement to its last",
    run: async ({ open }) => {
      const store = await open();
      await add(store, "a");
      const look = async (q: Query) => {
        const before = await q.all("SELECT name FROM things");
        return [before.length, (await q.all("SELECT name FROM things")).length];
      };
      const [seen] = await Promise.all([store.read(look), add(store, "b"), add(store, "c")]);
      assert.equal(seen[0], seen[1]);
    },
  },
  {
    name: "writes take effect in the order in which they were asked for",
    run: async ({ open }) => {
      const store = await open();
      const wanted = Array.from({ length: 30 }, (_, index) => `n${index}`);
      await Promise.all(wanted.map((name) => add(store, name)));
      assert.deepEqual(await names(store), wanted);
    },
  },
  {
    name: "a write that was answered is seen by the next read",
    run: async ({ open }) => {
      const store = await open();
      for (let count = 1; count <= 10; count++) {
        await add(store, `n${count}`);
        assert.equal((await names(store)).length, count);
      }
    },
  },
  {
    name: "the transaction is of no use after its end",
    run: async ({ open }) => {
      const store = await open();
      let kept: Tx | undefined;
      await store.write("keep", async (tx) => {
        kept = tx;
        await tx.run(ADD, ["a"]);
      });
      await assert.rejects(async () => kept?.run(ADD, ["late"]));
      await assert.rejects(async () => kept?.all("SELECT 1 AS late"));
      await assert.rejects(async () => kept?.emit({ kind: "late", at: 1, payload: {} }));
      assert.deepEqual(await names(store), ["a"]);
    },
  },
  {
    name: "an empty body is fine and its value comes back",
    run: async ({ open }) => {
      const store = await open();
      assert.equal(await store.write("nothing", async () => "value"), "value");
      assert.equal(await store.read(async () => 0), 0);
    },
  },
  {
    name: "a failing body holds nobody up",
    run: async ({ open }) => {
      const store = await open();
      const bad = Array.from({ length: 10 }, () =>
        rejectsWith("E_INVALID", () => store.write("bad", (tx) => tx.run("nonsense"))),
      );
      const good = Array.from({ length: 10 }, (_, index) => add(store, `n${index}`));
      await Promise.all([...bad, ...good]);
      assert.equal((await names(store)).length, 10);
    },
  },
  {
    name: "bodies run twice give the same, and leave one effect",
    run: async ({ open }) => {
      const store = await open({ rehearse: true });
      const id = await store.write("twice", async (tx) => {
        const row = await tx.get<{ id: number }>(`${ADD} RETURNING id`, ["a"]);
        tx.emit({ kind: "added", at: 1, payload: { id: row?.id } });
        return row?.id;
      });
      assert.equal(id, 1);
      assert.deepEqual(await names(store), ["a"]);
      assert.equal((await store.events(0, 10)).length, 1);
    },
  },
  {
    name: "a body with an effect outside its transaction is found when it runs twice",
    run: async ({ open }) => {
      const store = await open({ rehearse: true });
      let outside = 0;
      const impure = (tx: Tx) => {
        outside += 1;
        return tx.run(ADD, [`n${outside}`]);
      };
      await assert.rejects(store.write("impure", impure), /twice/);
      assert.deepEqual(await names(store), []);
    },
  },
  {
    name: "a thousand rows come back whole and in order",
    run: async ({ open }) => {
      const store = await open();
      await store.write("many", async (tx) => {
        for (let at = 0; at < 1_000; at++) await tx.run(ADD, [`n${at}`]);
      });
      const found = await names(store);
      assert.equal(found.length, 1_000);
      assert.equal(found[999], "n999");
    },
  },
];
