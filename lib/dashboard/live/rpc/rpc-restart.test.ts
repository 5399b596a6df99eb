import assert from "node:assert/strict";
import { test } from "node:test";
import { homeOf, openOwner } from "../../../../fixtures/dashboard/owners.js";
import { rpcOf } from "../../../../fixtures/dashboard/rpc.js";
import { startModelServer } from "../../../../fixtures/servers/model/server.js";

test("a conversation that an earlier owner began goes on, each event once, with the environment of the new owner", async (t) => {
  const calls = [{ name: "terminal", arguments: { command: "echo found=$HOME" } }];
  const model = await startModelServer({ script: { replies: [{ text: "a" }, { tool_calls: calls }, { text: "b" }] } });
  t.after(() => model.close());
  const dir = homeOf(
    t,
    `model:\n  provider: custom\n  base_url: ${model.url}\n  default: fake-1\n  context_length: 128000\n`,
  );
  const first = await openOwner(dir);
  const before = await rpcOf(t, first);
  const { id } = await before.call("session.create", { cwd: dir });
  await before.call("events.subscribe", { topics: ["sessions"], after: 0 });
  await before.call("turn.submit", { session_id: id, text: "x" });
  const seen = (await before.until("turn.ended")).flatMap(({ seq }) => (seq === undefined ? [] : [Number(seq)]));
  await first.stop();
  assert.equal(await before.socket.closed, 1001);
  const second = await openOwner(dir);
  const after = await rpcOf(t, second);
  await after.call("events.subscribe", { topics: ["sessions"], after: seen.at(-1) });
  await after.call("session.attach", { session_id: id });
  await after.call("turn.submit", { session_id: id, text: "y" });
  const told = await after.until("turn.ended");
  assert.ok(told.some((event) => JSON.stringify(event).includes(`found=${dir}`)));
  const all = [...seen, ...told.flatMap(({ seq }) => (seq === undefined ? [] : [Number(seq)]))];
  assert.deepEqual(
    all,
    all.map((_, at) => at + 1),
  );
  await second.stop();
});
