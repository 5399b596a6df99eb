import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { silentLog } from "../../lib/base/log/log.js";
import type { Query } from "../store.js";
import { FileEngine } from "./engine.js";
import { FileHost } from "./host.js";
import { type AnswerOf, type Connection, inlineConnection, type Op } from "./ops.js";

const migrations = [{ to: 1, statements: ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"] }];
const INSERT = "INSERT INTO notes (id, text) VALUES (?, 'x')";

/** A store in memory, and what is sent to its engine. */
async function setup(t: TestContext) {
  const spec = { name: "sessions", kind: "sessions", path: "", migrations } as const;
  const inner = inlineConnection(new FileEngine({ spec, memory: true, readonly: false, cacheMb: 2, now: () => 0 }));
  const sent: string[] = [];
  const note = (op: Op) => sent.push("sql" in op ? op.sql : op.op);
  const connection: Connection = {
    ...inner,
    send: <O extends Op>(op: O): Promise<AnswerOf<O>> => {
      note(op);
      return inner.send(op);
    },
  };
  const facts = {
    ...spec,
    memory: true,
    readonly: false,
    rehearse: false,
    clock: manualClock(),
    log: silentLog,
    onFatal: () => undefined,
  };
  const store = new FileHost(connection, facts);
  t.after(() => store.close());
  await store.ready();
  sent.length = 0;
  return { store, sent };
}

const twice = (name: string) => async (q: Query) => {
  const first = await q.all(`SELECT id, '${name}' AS one FROM notes`);
  return [first.length, (await q.all(`SELECT id, '${name}' AS two FROM notes`)).length];
};

test("what only reads does not wait for the answers of what reads beside it", async (t) => {
  const { store, sent } = await setup(t);
  await Promise.all(["a", "b", "c"].map((name) => store.read(twice(name))));
  const firsts = sent.flatMap((sql, at) => (sql.endsWith("one FROM notes") ? [at] : []));
  const seconds = sent.flatMap((sql, at) => (sql.endsWith("two FROM notes") ? [at] : []));
  assert.deepEqual([firsts.length, seconds.length], [3, 3]);
  assert.ok(Math.max(...firsts) < Math.min(...seconds), sent.join("; "));
});

test("each read sees one state, that of its place between the changes", async (t) => {
  const { store } = await setup(t);
  const put = (id: number) => store.write("put", (tx) => tx.run(INSERT, [id]));
  const script = (id: number) => store.script("put", [{ sql: INSERT, args: [id] }]);
  const read = () => store.read(twice("r"));
  const all = await Promise.all([read(), read(), put(1), read(), script(2), read(), read(), put(3), script(4), read()]);
  assert.deepEqual(
    all.filter((one) => Array.isArray(one) && typeof one[0] === "number"),
    [0, 0, 1, 2, 2, 4].map((n) => [n, n]),
  );
});

test("a read that fails harms nothing beside it", async (t) => {
  const { store } = await setup(t);
  const bad = store.read((q) => q.all("SELECT nothing FROM nowhere"));
  const own = store.read(() => Promise.reject(new Error("mine")));
  const results = await Promise.allSettled([
    store.read(twice("a")),
    bad,
    own,
    store.write("put", (tx) => tx.run(INSERT, [1])),
    store.read(twice("b")),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected", "fulfilled", "fulfilled"],
  );
  assert.deepEqual(await store.read(twice("c")), [1, 1]);
});
