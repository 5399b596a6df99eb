import assert from "node:assert/strict";
import type { StoredEvent } from "../store.js";
import { ADD, type ContractCase, event, rejectsWith } from "./case.js";

export const eventCases: readonly ContractCase[] = [
  {
    name: "an event comes back as it was written",
    run: async ({ open }) => {
      const store = await open();
      const full = event("full", {
        task: "t_1",
        run: 3,
        session: "s",
        turn: "s:1",
        actor: "user",
        payload: { text: "a\0\ud800", list: [1, null] },
      });
      await store.write("emit", async (tx) => {
        tx.emit(full);
        tx.emit(event("bare"));
      });
      const [first, second] = await store.events(0, 10);
      assert.deepEqual({ ...first }, { ...full, seq: 1, store: store.name });
      assert.deepEqual({ ...second }, { ...event("bare"), seq: 2, store: store.name });
    },
  },
  {
    name: "listeners hear every event once, in order, as it is stored",
    run: async ({ open }) => {
      const store = await open();
      const heard: StoredEvent[] = [];
      store.onEvents((events) => heard.push(...events));
      const emit = (at: number) =>
        store.write("emit", async (tx) => {
          await tx.run(ADD, [`n${at}`]);
          tx.emit(event("first", { payload: { at } }));
          tx.emit(event("second", { payload: { at } }));
        });
      await Promise.all(Array.from({ length: 25 }, (_, at) => emit(at)));
      assert.deepEqual(
        heard.map((one) => one.seq),
        Array.from({ length: 50 }, (_, at) => at + 1),
      );
      assert.deepEqual(heard, await store.events(0, 100));
    },
  },
  {
    name: "a listener hears before or with the answer, never without the rows",
    run: async ({ open }) => {
      const store = await open();
      const heard: number[] = [];
      store.onEvents((events) => heard.push(...events.map((one) => one.seq)));
      await store.write("emit", async (tx) => tx.emit(event("one")));
      assert.deepEqual(heard, [1]);
    },
  },
  {
    name: "a rolled back body leaves no event and no gap",
    run: async ({ open }) => {
      const store = await open();
      const heard: number[] = [];
      store.onEvents((events) => heard.push(...events.map((one) => one.seq)));
      await store.write("one", async (tx) => tx.emit(event("one")));
      const failing = store.write("lost", async (tx) => {
        tx.emit(event("lost"));
        throw new Error("stop");
      });
      await assert.rejects(failing);
      await store.write("two", async (tx) => tx.emit(event("two")));
      assert.deepEqual(heard, [1, 2]);
      assert.equal(await store.lastSeq(), 2);
    },
  },
  {
    name: "events are read from a cursor, at most so many",
    run: async ({ open }) => {
      const store = await open();
      await store.write("ten", async (tx) => {
        for (let at = 0; at < 10; at++) tx.emit(event("one"));
      });
      const seqs = async (after: number, limit: number) => (await store.events(after, limit)).map((one) => one.seq);
      assert.deepEqual(await seqs(0, 3), [1, 2, 3]);
      assert.deepEqual(await seqs(8, 100), [9, 10]);
      assert.deepEqual(await seqs(10, 100), []);
      assert.deepEqual(await seqs(99, 100), []);
    },
  },
  {
    name: "an event that a statement has stored counts for those that are emitted behind it",
    run: async ({ open }) => {
      const store = await open();
      const put = "INSERT INTO events (seq, kind, payload, created_at) VALUES (?, 'put', '{}', 1)";
      await store.write("emit and put", async (tx) => {
        tx.emit(event("first"));
        await tx.run(put, [7]);
        tx.emit(event("second"));
        await tx.all(`${put} RETURNING seq`, [11]);
        tx.emit(event("third"));
      });
      const undone = store.write("undone", async (tx) => {
        tx.emit(event("lost"));
        throw new Error("rolled back");
      });
      await assert.rejects(undone, /rolled back/);
      await store.write("after", async (tx) => tx.emit(event("fourth")));
      const stored = await store.events(0, 10);
      assert.deepEqual(
        stored.filter((one) => one.kind !== "put").map((one) => one.kind),
        ["first", "second", "third", "fourth"],
      );
      assert.deepEqual(
        stored.filter((one) => one.kind === "put").map((one) => one.seq),
        [7, 11],
      );
    },
  },
  {
    name: "seq goes on after a restart, also when the events are gone",
    run: async ({ open }) => {
      const first = await open();
      await first.write("two", async (tx) => {
        tx.emit(event("one"));
        tx.emit(event("two"));
      });
      await first.write("prune", (tx) => tx.run("DELETE FROM events"));
      await first.close();
      const store = await open();
      assert.equal(await store.lastSeq(), 2);
      await store.write("three", async (tx) => tx.emit(event("three")));
      assert.deepEqual(
        (await store.events(0, 10)).map((one) => one.seq),
        [3],
      );
    },
  },
  {
    name: "a removed listener hears nothing more",
    run: async ({ open }) => {
      const store = await open();
      let heard = 0;
      const remove = store.onEvents(() => {
        heard += 1;
      });
      await store.write("one", async (tx) => tx.emit(event("one")));
      remove();
      remove();
      await store.write("two", async (tx) => tx.emit(event("two")));
      assert.equal(heard, 1);
    },
  },
  {
    name: "a listener that throws does not keep the others from hearing",
    run: async ({ open }) => {
      const store = await open();
      let heard = 0;
      store.onEvents(() => {
        throw new Error("deaf");
      });
      store.onEvents(() => {
        heard += 1;
      });
      await store.write("one", async (tx) => tx.emit(event("one")));
      assert.equal(heard, 1);
    },
  },
  {
    name: "an event without a storable payload is refused and nothing is written",
    run: async ({ open }) => {
      const store = await open();
      const payload: Record<string, unknown> = {};
      payload["self"] = payload;
      await assert.rejects(store.write("loop", async (tx) => tx.emit(event("loop", { payload }))));
      await rejectsWith("E_INVALID", () =>
        store.write("time", async (tx) => tx.emit(event("time", { at: Number.NaN }))),
      );
      assert.equal(await store.lastSeq(), 0);
    },
  },
  {
    name: "lastSeq of a new store is zero",
    run: async ({ open }) => {
      assert.equal(await (await open()).lastSeq(), 0);
    },
  },
];
