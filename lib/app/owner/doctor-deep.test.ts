import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";

test("agent doctor --deep reaches every board: both copies are compared, and the whole history is read", async (t) => {
  const { app } = await chatOwner(t, { script: [] });
  await app.board.create(DEFAULT, { title: "one" }, USER);
  const store = await app.stores.board(DEFAULT, true);
  assert.ok(store);
  await store.write("test.break", async (tx) => {
    await tx.run(`UPDATE events SET payload = '{"from":null,"to":"done"}' WHERE kind = 'created'`);
    await tx.run(`INSERT INTO events (kind, task_id, payload, created_at) SELECT 'heartbeat', (SELECT id FROM tasks), '{}', 1
      FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n) AS many`);
  });
  const look = async (deep: boolean) => {
    const checks = await app.owner.doctor({ deep, fix: false });
    return new Map(checks.map((check) => [check.name, check] as const));
  };
  const plain = await look(false);
  const deep = await look(true);
  assert.deepEqual(
    [plain.get("board default")?.status, plain.has("board default, deep")],
    ["ok", false],
    "without --deep the newest events are read",
  );
  assert.match(deep.get("board default")?.detail ?? "", /history: /);
  assert.deepEqual(
    [deep.get("board default")?.status, deep.get("board default, deep")?.status, deep.get("sessions, deep")?.status],
    ["fail", "ok", "ok"],
  );
});
