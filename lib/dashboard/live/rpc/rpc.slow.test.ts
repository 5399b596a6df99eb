import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Rpc, rpcOf } from "../../../../fixtures/dashboard/rpc.js";
import { addressOf, type Frame, openSocket, refusalOf } from "../../../../fixtures/dashboard/socket.js";
import {
  type DashboardWorld,
  type DashboardWorldOptions,
  dashboardWorld,
} from "../../../../fixtures/dashboard/world.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { SessionId } from "../../../base/units.js";
import { COMMANDS } from "../../../commands/index.gen.js";
import { logTopic } from "../../../contracts/ui/log-lines.js";
import { ownerMethods } from "../../../rpc/owner-methods.js";

test("a conversation is begun, followed, answered and read by calls alone", async (t) => {
  const { rpc, world } = await setup(t, { script: [{ text: "hello back" }] });
  const session = await rpc.call("session.create", { title: "from a browser" });
  const id = String(session["id"]);
  const { session: shown, seq } = await rpc.call("session.attach", { session_id: id });
  assert.equal((shown as Frame)["title"], "from a browser");
  const { sub, cursors } = await rpc.call("events.subscribe", { topics: [`session:${id}`], after: seq });
  assert.deepEqual(cursors, { sessions: seq });
  await rpc.call("turn.submit", { session_id: id, text: "hello" });
  const told = await rpc.until("turn.ended");
  const durable = told.filter((event) => event["seq"] !== undefined);
  assert.ok(told.every((event) => event["sub"] === sub && event["session_id"] === id));
  assert.deepEqual(
    durable
      .map(({ event }) => event)
      .filter((event) => event === "turn.started" || event === "message.added" || event === "turn.ended"),
    ["turn.started", "message.added", "message.added", "turn.ended"],
  );
  assert.ok(
    told.some(({ event, topic }) => event === "text.delta" && topic === `session:${id}`),
    "what streams is told",
  );
  const { messages } = (await rpc.call("session.page", { session_id: id })) as { messages: readonly Frame[] };
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content]),
    [
      ["user", "hello"],
      ["assistant", "hello back"],
    ],
  );
  const listed = (await rpc.call("session.list", {})) as unknown as readonly Frame[];
  assert.deepEqual(
    listed.map((row) => row["id"]),
    [id],
  );
  assert.equal(world.model.chats().length, 1);
});

test("an approval is asked for over events and given by a call", async (t) => {
  const { rpc } = await setup(t, {
    script: [{ tool_calls: [{ name: "terminal", arguments: { command: "rm -rf ./build" } }] }, { text: "done" }],
  });
  const { id } = await rpc.call("session.create", {});
  await rpc.call("session.attach", { session_id: id });
  await rpc.call("events.subscribe", { topics: [`session:${String(id)}`] });
  await rpc.call("turn.submit", { session_id: id, text: "clean up" });
  const asked = (await rpc.until("approval.requested")).at(-1)?.["data"] as Frame;
  const open = (await rpc.call("question.list", { session_id: id })) as unknown as readonly Frame[];
  assert.equal(open.length, 1);
  assert.deepEqual(await rpc.call("approval.respond", { request: asked["request"], answer: "deny" }), { ok: true });
  assert.match(JSON.stringify((await rpc.until("turn.ended")).at(-1)), /"final_response":"done"/);
});

test("who follows one conversation hears nothing of another, and who follows all hears both", async (t) => {
  const { rpc: one, world } = await setup(t, { script: [{ text: "a" }, { text: "b" }] });
  const all = await rpcOf(t, world);
  const first = String((await one.call("session.create", {}))["id"]);
  const second = String((await one.call("session.create", {}))["id"]);
  await one.call("events.subscribe", { topics: [`session:${second}`] });
  await all.call("events.subscribe", { topics: ["sessions"] });
  await world.app.chat.submit({ session: first as SessionId, text: "x" });
  await world.app.chat.submit({ session: second as SessionId, text: "y" });
  assert.deepEqual(new Set((await one.until("turn.ended")).map((event) => event["session_id"])), new Set([second]));
  const both = [...(await all.until("turn.ended")), ...(await all.until("turn.ended"))];
  assert.deepEqual(new Set(both.map((event) => event["session_id"])), new Set([first, second]));
});

test("events after a cursor come once and in order, also to who comes back", async (t) => {
  const { rpc, world } = await setup(t, { script: [{ text: "a" }, { text: "b" }] });
  const id = String((await rpc.call("session.create", {}))["id"]) as SessionId;
  await world.app.chat.submit({ session: id, text: "x" });
  await rpc.call("events.subscribe", { topics: ["sessions"], after: 0 });
  const first = (await rpc.until("turn.ended")).map((event) => Number(event["seq"]));
  assert.deepEqual(
    first,
    first.map((_, at) => at + 1),
  );
  rpc.socket.ws.terminate();
  await world.app.chat.submit({ session: id, text: "y" });
  const again = await rpcOf(t, world);
  await again.call("events.subscribe", { topics: ["sessions"], after: first.at(-1) });
  const second = (await again.until("turn.ended")).map((event) => Number(event["seq"]));
  assert.deepEqual(
    second,
    second.map((_, at) => first.length + at + 1),
  );
});

test("events of boards, of what works, and lines of logs are followed as well", async (t) => {
  const { rpc, world } = await setup(t);
  await world.app.board.create(DEFAULT, { title: "one", triage: true }, USER);
  const logs = logTopic("test", { source: "owner" });
  const { cursors, sub } = await rpc.call("events.subscribe", {
    topics: ["board:default", "runs", "boards", logs],
    after: { "board:default": 0 },
  });
  assert.deepEqual(cursors, { "board:default": 0 });
  const created = await rpc.find("created");
  assert.deepEqual([created?.["seq"], created?.["store"], created?.["sub"]], [1, "board:default", sub]);
  await rpc.find("log.begin");
  world.app.options.log.warning("a line for the browser");
  assert.match(JSON.stringify(await rpc.find("log.lines")), /a line for the browser/);
  assert.deepEqual(await rpc.call("events.unsubscribe", { sub }), { ok: true });
  assert.deepEqual(await rpc.call("events.unsubscribe", { sub }), { ok: false });
  const { lines } = await rpc.call("log.page", { filter: { source: "owner" } });
  assert.ok(JSON.stringify(lines).includes("a line for the browser"));
  assert.ok(Array.isArray((await rpc.call("runs.list", {}))["runs"]));
});

test("commands are called by their names, slash commands as text", async (t) => {
  const { rpc } = await setup(t);
  const made = await rpc.call("kanban.create", { title: "by a browser", triage: true });
  assert.match(String(made["id"]), /^t_/);
  const listed = (await rpc.call("command.list", { surface: "rpc" })) as unknown as readonly Frame[];
  assert.ok(listed.some(({ path }) => path === "kanban create"));
  assert.match(String((await rpc.call("command.run", { text: "/kanban list" }))["text"]), /by a browser/);
});

test("no method that is for workers can be called, nor one that makes the caller another", async (t) => {
  const { rpc, world } = await setup(t);
  const methods = ownerMethods(world.app, COMMANDS);
  const forWorkers = [...methods].filter(([, method]) => method.workers === true).map(([name]) => name);
  assert.ok(forWorkers.length > 15);
  const codes = new Set<unknown>();
  for (const name of forWorkers) {
    const refused = await rpc.call(name, {}).then(
      () => undefined,
      (error: unknown) => error,
    );
    codes.add(((refused as Frame | undefined)?.["data"] as Frame | undefined)?.["code"]);
  }
  assert.deepEqual(codes, new Set(["E_INVALID_PARAMS", "E_NOT_OWNER"]));
  const claim = { board: "default", task: "t_00000001", run: 1, token: "x" };
  const others = {
    hello: { claim },
    run: { argv: ["status"], cwd: "/" },
    "run.signal": { run: 1, signal: "SIGINT" },
    "topics.follow": { topics: ["owner"] },
  };
  for (const [name, params] of Object.entries(others))
    await assert.rejects(rpc.call(name, params), { code: -32_601 }, name);
});

test("a change with a key happens once, whoever repeats it", async (t) => {
  const { rpc, world } = await setup(t);
  const first = await rpc.call("kanban.create", { title: "once", triage: true }, { key: "k1" });
  const again = await (await rpcOf(t, world)).call(
    "kanban.create",
    { title: "once", triage: true },
    { key: "k1", again: true },
  );
  assert.equal(again["id"], first["id"]);
});

test("a client that sends broken messages without end is closed with 1008", async (t) => {
  const { rpc } = await setup(t);
  for (let n = 0; n < 16; n++) rpc.socket.ws.send("{");
  assert.equal(await rpc.socket.closed, 1008);
});

test("a flood of calls is answered call by call: those beyond 64 at once are told to wait", async (t) => {
  const { rpc } = await setup(t);
  for (let id = 0; id < 2_000; id++) rpc.socket.send({ jsonrpc: "2.0", id, method: "session.list" });
  const answered = new Set<unknown>();
  let busy = 0;
  while (answered.size < 2_000) {
    const frame = await rpc.socket.next();
    if ("id" in frame) answered.add(frame["id"]);
    if ("error" in frame) busy += 1;
    if ("error" in frame) assert.equal(((frame["error"] as Frame)["data"] as Frame)["code"], "E_BUSY");
  }
  assert.ok(busy < 2_000);
});

test("a browser that goes away leaves nothing behind in the owner", async (t) => {
  const { rpc, world } = await setup(t);
  await rpc.call("events.subscribe", { topics: ["sessions", "runs"] });
  const clients = async () => (await world.app.owner.status()).clients;
  assert.equal(await clients(), 1);
  await rpc.socket.close();
  while ((await clients()) > 0) await new Promise(setImmediate);
});

test("the one-way socket tells the events after a cursor and answers nothing", async (t) => {
  const { rpc, world } = await setup(t, { script: [{ text: "a" }] });
  const id = String((await rpc.call("session.create", {}))["id"]) as SessionId;
  await world.app.chat.submit({ session: id, text: "x" });
  const socket = await openSocket(world, "/api/events", { after: "0" });
  t.after(() => socket.ws.terminate());
  assert.deepEqual(await socket.next(), { event: "hello", data: { cursors: { sessions: 0 } } });
  socket.ws.send("{}");
  for (let seq = 1, ended = false; !ended; seq++) {
    const event = await socket.next();
    assert.equal(event["seq"], seq);
    ended = event["event"] === "turn.ended";
  }
  const ticket = world.open.access.socketTicket();
  assert.equal(await refusalOf(addressOf(world, "/api/events", { after: "x", ticket })), 400);
});

async function setup(
  t: TestContext,
  options: Partial<DashboardWorldOptions> = {},
): Promise<{ rpc: Rpc; world: DashboardWorld }> {
  const world = await dashboardWorld(t, options);
  return { world, rpc: await rpcOf(t, world) };
}
