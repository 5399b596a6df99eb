import assert from "node:assert/strict";
import { test } from "node:test";
import { homeOf, openOwner } from "../../../fixtures/dashboard/owners.js";
import { openSocket, type TestSocket } from "../../../fixtures/dashboard/socket.js";
import { openStream, type TestStream } from "../../../fixtures/dashboard/stream.js";
import { dashboardWorld } from "../../../fixtures/dashboard/world.js";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import type { Host } from "../../app/owner-process.js";

const PATH = "/api/plugins/kanban/events";

test("who comes back after each lost connection and each restart of the owner has every event once and in order", async (t) => {
  const home = homeOf(t);
  const seen: number[] = [];
  let made = 0;
  for (let owners = 0; owners < 3; owners++) {
    const owner = await openOwner(home);
    for (let visits = 0; visits < 3; visits++) {
      await make(owner.host, 7); // while no one watches
      const socket = await openSocket(owner, PATH, { since: String(seen.at(-1) ?? 0) });
      const making = make(owner.host, 20); // while it is told
      made += 27;
      const enough = visits === 1 ? made : made - 15; // it goes away in the middle
      while ((seen.at(-1) ?? 0) < enough) seen.push(...idsOf(await socket.next()));
      socket.ws.terminate();
      await making;
    }
    await owner.stop();
  }
  const last = await openOwner(home);
  const socket = await openSocket(last, PATH, { since: String(seen.at(-1)) });
  while ((seen.at(-1) ?? 0) < made) seen.push(...idsOf(await socket.next()));
  socket.ws.terminate();
  await last.stop();
  assert.deepEqual(
    seen,
    Array.from({ length: made }, (_, at) => at + 1),
  );
});

test("a watcher that reads nothing keeps no one waiting, is closed with 1013, and has everything when it comes back", async (t) => {
  const world = await dashboardWorld(t);
  const store = await world.app.stores.board(DEFAULT, true);
  const slow = await openSocket(world, PATH, { since: "0" });
  const quick = await openSocket(world, PATH, { since: "0" });
  for (const { ws } of [slow, quick]) t.after(() => ws.terminate());
  await slow.next();
  reading(slow).pause();
  const events = 120;
  const payload = { text: "x".repeat(100_000) };
  const seen: number[] = [];
  // Step by step: much at once would be read at each one's own pace.
  for (let n = 0; n < events; n += 5) {
    await store?.write("test", async (tx) => {
      for (let each = 0; each < 5; each++) tx.emit({ kind: "noted", at: 0, payload });
    });
    while (seen.length < n + 5) seen.push(...idsOf(await quick.next()));
  }
  reading(slow).resume();
  const late: number[] = [];
  const closed = await readToTheEnd(slow, late);
  assert.equal(closed, 1013);
  const again = await openSocket(world, PATH, { since: String(late.at(-1)) });
  t.after(() => again.ws.terminate());
  while (late.length < events) late.push(...idsOf(await again.next()));
  assert.deepEqual(late, seen);
});

test("an event stream whose reader is too slow is cut off, and goes on behind the last id when it comes again", async (t) => {
  const world = await dashboardWorld(t);
  const store = await world.app.stores.board(DEFAULT, true);
  const events = 120;
  const payload = { text: "x".repeat(100_000) };
  const slow = await openStream(t, world, "?since=0");
  await slow.next();
  const quick = await openSocket(world, PATH, { since: "0" });
  t.after(() => quick.ws.terminate());
  for (let n = 0; n < events; n += 5) {
    await store?.write("test", async (tx) => {
      for (let each = 0; each < 5; each++) tx.emit({ kind: "noted", at: 0, payload });
    });
    for (let seen = 0; seen < n + 5; ) seen = idsOf(await quick.next()).at(-1) ?? 0;
  }
  const ids: string[] = [];
  const readAll = async (stream: TestStream) => {
    while (ids.at(-1) !== String(events)) ids.push(/^id: (\d+)\n/.exec(await stream.next())?.[1] ?? "");
  };
  await assert.rejects(readAll(slow));
  const last = ids.at(-1) ?? "0";
  const again = await openStream(t, world, "?since=0", { "last-event-id": last });
  assert.match(await again.next(), new RegExp(`"cursor":${last},`));
  await readAll(again);
  assert.deepEqual(ids, [...new Set(ids)]);
});

/** Read what is there until the socket closes; its status. */
async function readToTheEnd(socket: TestSocket, ids: number[]): Promise<number> {
  let over = false;
  const closed = socket.closed.then((code) => {
    over = true;
    return code;
  });
  while (!over) ids.push(...(await socket.next().then(idsOf, () => [])));
  return closed;
}

const reading = ({ ws }: TestSocket): { pause(): void; resume(): void } => {
  const { _socket: raw } = ws as unknown as { _socket: { pause(): void; resume(): void } }; // the library offers no other way to read nothing
  return raw;
};

async function make({ app }: Pick<Host, "app">, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await app.board.create(DEFAULT, { title: `task ${n}`, triage: true }, USER);
}

const idsOf = (frame: Readonly<Record<string, unknown>>): readonly number[] =>
  Array.isArray(frame["events"]) ? frame["events"].map((event: { id: number }) => event.id) : [];
