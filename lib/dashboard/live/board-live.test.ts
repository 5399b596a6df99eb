import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  addressOf,
  type Frame,
  openSocket,
  refusalOf,
  socketAt,
  type TestSocket,
} from "../../../fixtures/dashboard/socket.js";
import { openStream } from "../../../fixtures/dashboard/stream.js";
import { type DashboardWorld, dashboardWorld } from "../../../fixtures/dashboard/world.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../base/units.js";
import type { BoardEvent } from "../../contracts/board/board.js";

const PATH = "/api/plugins/kanban/events";

test("a watcher of the newest is greeted, then told of a comment with its cursor (check 95)", async (t) => {
  const world = await dashboardWorld(t);
  const id = await make(world, "one");
  const socket = await watch(t, world, { since: "latest" });
  const hello = await socket.next();
  assert.deepEqual(hello, { type: "hello", cursor: 1, oldest: 1, board: "default" });
  assert.equal((await world.ask("POST", `/api/plugins/kanban/tasks/${id}/comments`, { text: "hi" })).status, 200);
  const { events, cursor } = await told(socket);
  assert.deepEqual(
    events.map(({ kind, task_id }) => [kind, task_id]),
    [["commented", id]],
  );
  assert.equal(cursor, 2);
});

test("a watcher without a ticket is closed with 1008 before any frame (check 96)", async (t) => {
  const world = await dashboardWorld(t);
  const socket = socketAt(addressOf(world, PATH, { since: "latest" }));
  assert.equal(await socket.closed, 1008);
  await assert.rejects(socket.next());
});

test("the deletion of a task reaches who watches (check 97)", async (t) => {
  const world = await dashboardWorld(t);
  const id = await make(world, "goes away");
  const socket = await watch(t, world);
  await socket.next();
  assert.equal((await world.ask("DELETE", `/api/plugins/kanban/tasks/${id}`)).status, 200);
  const { events } = await told(socket);
  assert.deepEqual(
    events.map(({ kind, payload }) => [kind, payload["task_id"] ?? payload["id"]]),
    [["deleted", id]],
  );
});

test("what happens to the board itself is reported", async (t) => {
  const world = await dashboardWorld(t);
  await make(world, "one");
  const socket = await watch(t, world);
  await socket.next();
  assert.equal((await world.ask("POST", "/api/plugins/kanban/boards/default/pause", {})).status, 200);
  const { events } = await told(socket);
  assert.deepEqual(
    events.map(({ kind, task_id }) => [kind, task_id]),
    [["board_paused", null]],
  );
});

const REFUSED: readonly {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  readonly status: number;
}[] = [
  { name: "a word as place", query: { since: "yesterday" }, status: 400 },
  { name: "a negative place", query: { since: "-1" }, status: 400 },
  { name: "a broken number as place", query: { since: "1.5" }, status: 400 },
  { name: "an empty place", query: { since: "" }, status: 400 },
  { name: "a malformed board", query: { board: "No Such" }, status: 400 },
  { name: "an unknown board", query: { board: "nowhere" }, status: 404 },
];
for (const { name, query, status } of REFUSED)
  test(`${name} is refused with ${status}, over WebSocket and as an event stream`, async (t) => {
    const world = await dashboardWorld(t);
    const ticket = world.open.access.socketTicket();
    assert.equal(await refusalOf(addressOf(world, PATH, { ...query, ticket })), status);
    assert.equal((await world.ask("GET", `${PATH}/stream?${new URLSearchParams(query)}`)).status, status);
  });

test("who was away gets each event once and in order, at most 200 in a frame", async (t) => {
  const world = await dashboardWorld(t);
  for (let n = 0; n < 230; n++) await make(world, `task ${n}`);
  const socket = await watch(t, world, { since: "0" });
  assert.equal((await socket.next())["cursor"], 0);
  const seen: number[] = [];
  while (seen.length < 230) {
    const { events, cursor } = await told(socket);
    assert.ok(events.length <= 200);
    assert.equal(events.at(-1)?.id, cursor);
    seen.push(...events.map(({ id }) => id));
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 230 }, (_, at) => at + 1),
  );
});

test("a place that was pruned or lies ahead is reset, and the stream goes on behind it", async (t) => {
  const world = await dashboardWorld(t);
  const id = await make(world, "first");
  await make(world, "second");
  await world.ask("DELETE", `/api/plugins/kanban/tasks/${id}`);
  for (const since of ["0", "99"]) {
    const socket = await watch(t, world, { since });
    assert.deepEqual(await socket.next(), { type: "hello", cursor: Number(since), oldest: 2, board: "default" });
    const reset = await socket.next();
    assert.equal(reset["type"], "reset");
    await make(world, "next");
    const { events, cursor } = await told(socket);
    assert.deepEqual([events.length, cursor], [1, Number(reset["cursor"]) + 1]);
  }
});

test("a task that went with its events leaves a gap that is no loss", async (t) => {
  const world = await dashboardWorld(t);
  await make(world, "stays");
  const id = await make(world, "goes");
  await make(world, "stays too");
  await world.ask("DELETE", `/api/plugins/kanban/tasks/${id}`);
  const socket = await watch(t, world, { since: "1" });
  await socket.next();
  const { events } = await told(socket);
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["created", "deleted"],
  );
});

test("a board that no one has written yet is watched from its first event, and watching leaves nothing behind", async (t) => {
  const world = await dashboardWorld(t);
  const socket = await watch(t, world, { since: "0" });
  assert.deepEqual(await socket.next(), { type: "hello", cursor: 0, oldest: 1, board: "default" });
  assert.deepEqual(world.app.bus.stores(), []);
  await make(world, "the first");
  assert.equal((await told(socket)).cursor, 1);
});

test("who watches a board that is removed is closed with 1001, and turned away when it comes again", async (t) => {
  const world = await dashboardWorld(t);
  await world.ask("POST", "/api/plugins/kanban/boards", { slug: "other" });
  const socket = await watch(t, world, { board: "other" });
  await socket.next();
  assert.equal((await world.ask("DELETE", "/api/plugins/kanban/boards/other?delete=true")).status, 200);
  assert.equal(await socket.closed, 1001);
  assert.equal(
    await refusalOf(addressOf(world, PATH, { board: "other", ticket: world.open.access.socketTicket() })),
    404,
  );
});

test("a watcher that sends too much, or too long a message, is closed", async (t) => {
  const world = await dashboardWorld(t);
  const long = await watch(t, world);
  long.ws.send("x".repeat(4097));
  assert.equal(await long.closed, 1009);
  const flood = await watch(t, world);
  for (let n = 0; n < 101; n++) flood.ws.send("{}");
  assert.equal(await flood.closed, 1008);
});

test("no more than the configured number of clients watch, event streams among them", async (t) => {
  const world = await dashboardWorld(t, { config: "dashboard:\n  max_clients: 2\n" });
  const first = await watch(t, world);
  await first.next();
  const second = await openStream(t, world, "");
  assert.equal(second.status, 200);
  assert.equal(await (await watch(t, world)).closed, 1013);
  assert.equal((await openStream(t, world, "")).status, 429);
  await first.close();
  assert.equal((await (await watch(t, world)).next())["type"], "hello");
});

test("an event stream tells the same, and goes on behind the id that a browser had last", async (t) => {
  const world = await dashboardWorld(t);
  await make(world, "one");
  const first = await openStream(t, world, "?since=0");
  assert.match(first.type, /^text\/event-stream/);
  assert.match(await first.next(), /^id: 0\ndata: {"type":"hello","cursor":0,"oldest":1,"board":"default"}$/);
  assert.match(await first.next(), /^id: 1\ndata: {"events":\[{"id":1,.*"cursor":1}$/);
  first.close();
  await make(world, "two");
  const again = await openStream(t, world, "?since=0", { "last-event-id": "1" });
  await again.next();
  assert.match(await again.next(), /^id: 2\ndata: {"events":\[{"id":2,/);
});

test("an event stream on which nothing happens is kept open by comments", async (t) => {
  const clock = manualClock();
  const world = await dashboardWorld(t, { clock });
  const events = await openStream(t, world, "");
  await events.next();
  clock.advance(25_000);
  assert.match(await events.next(), /^: /);
});

test("a dashboard that closes ends its sockets and streams at once", async (t) => {
  const world = await dashboardWorld(t);
  const socket = await watch(t, world);
  await socket.next();
  const events = await openStream(t, world, "");
  await events.next();
  await world.open.close(60_000);
  assert.equal(await socket.closed, 1001);
  await assert.rejects(events.next());
});

async function make({ app }: DashboardWorld, title: string): Promise<TaskId> {
  return (await app.board.create(DEFAULT, { title, triage: true }, USER)).task.id;
}

async function watch(
  t: TestContext,
  world: DashboardWorld,
  query: Readonly<Record<string, string>> = {},
): Promise<TestSocket> {
  const socket = await openSocket(world, PATH, query);
  t.after(() => socket.ws.terminate());
  return socket;
}

async function told(socket: TestSocket): Promise<{ events: readonly BoardEvent[]; cursor: number }> {
  const frame: Frame = await socket.next();
  assert.ok(Array.isArray(frame["events"]), JSON.stringify(frame));
  return frame as unknown as { events: readonly BoardEvent[]; cursor: number }; // the form of the stream
}
