import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { quietPort } from "../../fixtures/e2e/port.js";
import { everythingListens, listens } from "../../fixtures/mcp/listening.js";
import { fixture, installed, known, mcpWorld } from "../../fixtures/mcp/world.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import type { SessionId } from "../base/units.js";
import type { SideUse } from "../contracts/chat/compact.js";
import type { FormAsked, ParkTicket } from "../contracts/chat/form.js";
import type { ToolContext } from "../tools/core/define.js";

const WAIT = { config: { "mcp.initial_wait_seconds": 60 } };
const hostile = (...modes: readonly string[]) => fixture("hostile.mjs", ...modes);

test("MC3: a server that comes late has its tools in a later turn, and turns do not wait for it", async (t) => {
  const port = await quietPort();
  const world = await mcpWorld(
    t,
    { late: { url: `http://127.0.0.1:${port}/mcp` } },
    { config: { "mcp.initial_wait_seconds": 1 } },
  );
  await known(world);
  assert.deepEqual(world.names(), []);
  await everythingListens(t, "http", port);
  await eventually(() => world.names().length > 0);
  assert.deepEqual(await world.json("mcp_late_echo", { message: "here" }), { result: "Echo: here" });
});

test("MC9: 20 known servers start no process; the first call starts one", async (t) => {
  const servers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`s${n}`, hostile()]));
  const first = await mcpWorld(t, servers, WAIT);
  await known(first);
  assert.equal(first.started.length, 20);
  const names = first.names();
  await first.pool.stop();
  const second = await first.again(servers);
  await known(second);
  assert.deepEqual(second.names(), names);
  assert.deepEqual(
    second.pool.status().map(({ state }) => state),
    Array.from({ length: 20 }, () => "idle"),
  );
  assert.deepEqual(second.started, []);
  assert.deepEqual(await second.json("mcp_s7_fine"), { result: "fine" });
  assert.equal(second.started.length, 1);
});

test("MC10: eight sessions call one server at once, and there is one process", async (t) => {
  const world = await mcpWorld(t, {}, WAIT);
  const counter = join(world.bench.root, "counter");
  await world.configure({ one: hostile(`--counter=${counter}`) });
  const callers = Array.from({ length: 8 }, (_, n) => `20260329_003000_00000${n}` as SessionId); // the format is what the brand stands for
  await known(world);
  const results = await Promise.all(callers.map((session) => world.json("mcp_one_fine", {}, { session })));
  assert.deepEqual(
    results,
    callers.map(() => ({ result: "fine" })),
  );
  assert.equal(readFileSync(counter, "utf8").trim().split("\n").length, 1);
});

test("a server with shared: false has a process for each session that calls it", async (t) => {
  const world = await mcpWorld(t, { own: { ...hostile(), shared: false } }, WAIT);
  await known(world);
  const before = world.started.length;
  for (const session of ["a", "b", "a"] as SessionId[]) await world.json("mcp_own_fine", {}, { session });
  assert.equal(world.started.length, before + 2);
  await world.pool.stop();
  for (const pid of world.started) assert.deepEqual(systemSpawner.members(pid), []);
});

test("a program that no one has called for idle_minutes is stopped, and starts again with the next call", async (t) => {
  const world = await mcpWorld(t, { one: { ...hostile(), idle_minutes: 0.005 } }, WAIT);
  await known(world);
  await eventually(() => world.pool.status()[0]?.state === "idle");
  const [pid = 0] = world.started;
  await eventually(() => systemSpawner.members(pid).length === 0);
  assert.deepEqual(systemSpawner.members(pid), []);
  assert.deepEqual(await world.json("mcp_one_fine"), { result: "fine" });
  assert.equal(world.started.length, 2);
});

test("settings that are read again start what is new, end what is gone, and touch nothing else", async (t) => {
  const world = await mcpWorld(t, { kept: hostile(), gone: hostile(), other: hostile() }, WAIT);
  await known(world);
  const kept = world.pool.status().find(({ name }) => name === "kept")?.pid;
  const changed = {
    kept: hostile(),
    other: { ...hostile(), tools: { include: ["fine"], resources: false } },
    fresh: hostile(),
  };
  assert.deepEqual(await world.configure(changed), { added: ["fresh"], removed: ["gone"], changed: ["other"] });
  await known(world);
  assert.equal(world.pool.status().find(({ name }) => name === "kept")?.pid, kept);
  assert.deepEqual(
    world.names().filter((name) => name.startsWith("mcp_other")),
    ["mcp_other_fine"],
  );
  assert.equal(
    world.names().some((name) => name.startsWith("mcp_gone")),
    false,
  );
});

test("a server that ended is connected again by itself", async (t) => {
  const world = await mcpWorld(t, { one: { ...hostile(), start: "eager" } }, WAIT);
  await known(world);
  process.kill(world.started[0] ?? 0, "SIGKILL");
  await eventually(() => world.started.length === 2 && world.pool.status()[0]?.state === "ready");
  assert.equal(world.pool.status()[0]?.state, "ready");
});

for (const way of ["stdio", "http"] as const)
  test(`MC11: a server of revision 2026-07-28 over ${way} asks before it answers, and tells of changed tools`, async (t) => {
    const port = await quietPort();
    const program = fixture("newer.mjs", "--ttl=60000");
    if (way === "http") await listens(t, [resolve("fixtures/mcp/newer.mjs")], port);
    const world = await mcpWorld(
      t,
      { newer: way === "http" ? { url: `http://127.0.0.1:${port}/mcp` } : program },
      WAIT,
    );
    await known(world);
    const [status] = await world.api.status("newer");
    assert.equal(status?.era, "2026-07-28");
    const askForm = async () => ({ action: "accept" as const, content: { name: "Ada" } });
    const answer = await world.json("mcp_newer_ask", { what: "tea" }, { askForm });
    assert.deepEqual(answer, { result: "accept: Ada wants tea (state-of-tea)" });
    assert.deepEqual(await world.json("mcp_newer_ask", { what: "tea" }), {
      result: "decline: nobody wants tea (state-of-tea)",
    });
    await world.json("mcp_newer_grow");
    await eventually(() => world.names().includes("mcp_newer_grown"));
    assert.deepEqual(await world.json("mcp_newer_grown"), { result: "new" });
    await world.json("mcp_newer_rename");
    const changed = /changed what they do or take.* tools=mcp_newer_echo/;
    await eventually(() => world.warnings.some((line) => changed.test(line)));
  });

test("MC11: a question that no one answers during the call is answered after a restart of the owner, and the call is sent again", async (t) => {
  const first = await mcpWorld(t, {}, WAIT);
  const counter = join(first.bench.root, "counter");
  const servers = { newer: fixture("newer.mjs", "--ttl=60000", `--counter=${counter}`) };
  await first.configure(servers);
  await known(first);
  const tickets: ParkTicket[] = [];
  const askForm: ToolContext["askForm"] = async (form, ticket) => {
    assert.equal(form.park, true);
    if (ticket !== undefined) tickets.push(ticket);
    return { action: "cancel", content: {}, why: "parked" };
  };
  const { text } = await first.call("mcp_newer_ask", { what: "tea" }, { askForm });
  assert.match(text, /waits for an answer of the user/);
  assert.equal(text.includes("state-of-tea"), false, "the model does not see the state");
  await first.pool.stop();
  const second = await first.again(servers);
  const stored: unknown = JSON.parse(JSON.stringify(tickets[0]?.data)); // as a row of the store keeps it
  const answer = { action: "accept" as const, content: { name: "Ada" } };
  const said = await second.pool.resumed({ ticket: stored, answer, again: false });
  assert.match(said, /^newer ask was answered \(accept\):[\s\S]*accept: Ada wants tea \(state-of-tea\)/);
  assert.match(await second.pool.resumed({ ticket: stored, answer, again: true }), /may or may not have run/);
  assert.equal(readFileSync(counter, "utf8").match(/asked/g)?.length, 1);
});

test("two questions of one result are one form, whose answer reaches the server whole, also after a restart of the owner", async (t) => {
  const servers = { newer: fixture("newer.mjs", "--ttl=60000") };
  const first = await mcpWorld(t, servers, WAIT);
  await known(first);
  const asked: FormAsked[] = [];
  const tickets: ParkTicket[] = [];
  const content = { "0.value": "blue", "1.value": 2 };
  const now = await first.json(
    "mcp_newer_pair",
    {},
    {
      askForm: async (form) => {
        asked.push(form);
        return { action: "accept", content };
      },
    },
  );
  assert.deepEqual(now, { result: "accept blue, accept 2" });
  assert.equal(asked.length, 1);
  assert.equal(asked[0]?.message, "1. Which cup?\n2. Which spoons?");
  assert.deepEqual(
    asked[0]?.fields.map(({ name, label, type }) => [name, label, type]),
    [
      ["0.value", "1. Value", "text"],
      ["1.value", "2. Value", "integer"],
    ],
  );
  assert.deepEqual(await first.json("mcp_newer_pair"), { result: "decline undefined, decline undefined" });
  const askForm: ToolContext["askForm"] = async (_form, ticket) => {
    if (ticket !== undefined) tickets.push(ticket);
    return { action: "cancel", content: {}, why: "parked" };
  };
  await first.call("mcp_newer_pair", {}, { askForm });
  await first.pool.stop();
  const second = await first.again(servers);
  const ticket: unknown = JSON.parse(JSON.stringify(tickets[0]?.data)); // as a row of the store keeps it
  const said = await second.pool.resumed({ ticket, answer: { action: "accept", content }, again: false });
  assert.match(said, /accept blue, accept 2/);
});

test("a server that wants an address opened first is called again once the user has agreed", async (t) => {
  const world = await mcpWorld(t, { opens: fixture("opens.mjs") }, WAIT);
  await known(world);
  assert.match(
    JSON.stringify(
      await world.json("mcp_opens_open", {}, { askForm: async () => ({ action: "decline", content: {} }) }),
    ),
    /wants https:\/\/login\.example\/start opened first; the user did not agree/,
  );
  await world.api.reconnect("opens", new AbortController().signal);
  const asked: FormAsked[] = [];
  const answer = await world.json(
    "mcp_opens_open",
    {},
    {
      askForm: async (form) => {
        asked.push(form);
        return { action: "accept", content: {} };
      },
    },
  );
  assert.deepEqual(answer, { result: "opened after 2 calls" });
  assert.equal(asked[0]?.url, "https://login.example/start");
  assert.match(asked[0]?.message ?? "", /^Log in at the example\./);
});

test("a server is told which log messages are wanted, and they reach the log", async (t) => {
  const entry = { ...fixture("opens.mjs"), sampling: { log_level: "warning" } };
  const world = await mcpWorld(t, { opens: entry }, WAIT);
  await known(world);
  assert.deepEqual(await world.json("mcp_opens_level"), { result: "warning" });
  await eventually(() => world.warnings.some((line) => line.includes("opens: a warning of it")));
});

test("a request of a server to a model is counted, follows its hints among the models that are allowed, and has no tools", async (t) => {
  const models: (string | undefined)[] = [];
  const uses: SideUse[] = [];
  const used = { provider: "p", usage: { input: 3, output: 4, cacheRead: 0, cacheWrite: 0, reasoning: 0 } };
  const world = await mcpWorld(
    t,
    { opens: { ...fixture("opens.mjs"), sampling: { allowed_models: ["large-1", "small-1"] } } },
    {
      ...WAIT,
      aux: {
        state: async () => "usable",
        ask: async ({ model = "main" }) => {
          models.push(model);
          return { ok: true, text: "hi", used: { model, ...used } };
        },
      },
    },
  );
  await known(world);
  const addSideUse = async (use: SideUse) => {
    uses.push(use);
  };
  const answer = await world.json("mcp_opens_hint", {}, { addSideUse });
  assert.match(String(answer["result"]), /"model":"small-1"/);
  assert.deepEqual(models, ["small-1"]);
  assert.deepEqual(uses, [{ slot: "mcp", model: "small-1", ...used }]);
  assert.match(String((await world.json("mcp_opens_tools"))["result"]), /requests with tools are not offered/);
});

test("a session is told once which tools have changed when it next calls their server", async (t) => {
  const world = await mcpWorld(t, { newer: fixture("newer.mjs", "--ttl=60000") }, WAIT);
  await known(world);
  const lines: string[] = [];
  const more = { progress: (line: string) => void lines.push(line) };
  await world.json("mcp_newer_rename", {}, more);
  await eventually(() => world.warnings.some((line) => line.includes("tools=mcp_newer_echo")));
  for (let n = 0; n < 2; n++) await world.json("mcp_newer_echo", { message: "x" }, more);
  assert.equal(lines.filter((line) => line.includes("asked again: mcp_newer_echo")).length, 1);
});

test("the manifest of a server holds as long as the server says", async (t) => {
  const servers = { newer: fixture("newer.mjs", "--ttl=1") };
  const first = await mcpWorld(t, servers, WAIT);
  await known(first);
  await first.pool.stop();
  const second = await first.again(servers);
  await known(second);
  await eventually(() => second.started.length > 0);
  assert.equal(second.started.length, 1, "connected in the background");
  assert.ok(existsSync(join(first.bench.root, "home", "cache", "mcp", "newer.json")));
});

test("a tool that the entry wants asked about says why, and is another one when its server changes it", async (t) => {
  const servers = {
    every: { ...installed("everything", "stdio"), approve: "destructive" },
    one: { ...hostile(), approve: "destructive" },
  };
  const world = await mcpWorld(t, servers, WAIT);
  await known(world);
  const declares = async (name: string) => {
    const tool = await world.pool
      .tools()
      .find((entry) => entry.name === name)
      ?.load();
    return tool?.declares?.({});
  };
  assert.equal(await declares("mcp_one_fine"), undefined);
  const risk = await declares("mcp_one_die");
  assert.match(risk?.text ?? "", /^die of MCP server one/);
  assert.match(risk?.pin ?? "", /^[0-9a-f]{64}$/);
});
