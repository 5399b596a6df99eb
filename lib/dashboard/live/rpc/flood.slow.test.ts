import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { rpcOf } from "../../../../fixtures/dashboard/rpc.js";
import { dashboardWorld } from "../../../../fixtures/dashboard/world.js";

const CALLS = 20_000;

/** What a client of the dashboard sends that does not wait for answers. */
const FLOODS = [
  { what: "single calls", message: (n: number) => call(n), count: CALLS },
  {
    what: "batches of calls",
    message: (n: number) => Array.from({ length: 64 }, (_, at) => call(n * 64 + at)),
    count: Math.ceil(CALLS / 64),
  },
] as const;

const call = (id: number) => ({ jsonrpc: "2.0", id, method: "session.list", params: {} });

for (const { what, message, count } of FLOODS)
  test(`a client that floods its socket with ${what} does not hold up another client`, async (t) => {
    const world = await dashboardWorld(t);
    const flooder = await rpcOf(t, world);
    const other = await rpcOf(t, world);
    await other.call("question.list", {});
    let answered = 0;
    const first = new Promise<void>((resolve) => {
      flooder.socket.ws.on("message", (text) => {
        if (!String(text).includes('"id":')) return;
        answered += 1;
        resolve();
      });
    });
    for (let n = 0; n < count; n++) flooder.socket.send(message(n));
    await first;
    await other.call("question.list", {});
    assert.ok(answered < count / 2, `${answered} of ${count} messages of the flood were answered first`);
    assert.equal((await world.ask("GET", "/api/status")).status, 200);
    assert.ok(answered < count / 2, `${answered} of ${count} messages of the flood were answered before /api/status`);
  });

test("a client that sends its requests without waiting for answers does not hold up another client", async (t) => {
  const world = await dashboardWorld(t);
  const { hostname, port, pathname } = new URL(world.url);
  const flooder = connect(Number(port), hostname);
  t.after(() => flooder.destroy());
  const request = `GET ${pathname}api/status HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${world.token}\r\n\r\n`;
  let answered = 0;
  flooder.on("data", (chunk) => {
    answered += String(chunk).split("HTTP/1.1 200").length - 1;
  });
  flooder.write(request.repeat(CALLS));
  await once(flooder, "data");
  const status = await world.ask("GET", "/api/status");
  assert.equal(status.status, 200);
  assert.ok(
    answered < CALLS / 10,
    `${answered} of ${CALLS} requests of the flood were answered before those of another client`,
  );
});
