import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { start } from "../../../fixtures/e2e/process.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";

const TOKEN = "4242:token-of-the-test-bot";
const FROM = { id: 7, first_name: "Uma" };

interface Served {
  readonly client: Client;
  /** The JSON of a tool's text; fails for an error. */
  call(name: string, args?: object): Promise<Record<string, unknown>>;
  /** What a failing tool says. */
  refused(name: string, args: object): Promise<string>;
}

/** `agent mcp serve` as the child of a real client. */
async function serve(t: TestContext, made: World, mode: "auto" | "legacy" = "auto"): Promise<Served> {
  const client = new Client(
    { name: "test", version: "1" },
    mode === "auto" ? { versionNegotiation: { mode: "auto" } } : {},
  );
  const command = { command: process.execPath, args: [made.program, "mcp", "serve"] };
  await client.connect(new StdioClientTransport({ ...command, env: { ...made.env }, cwd: made.work }));
  t.after(() => client.close());
  const ask = async (name: string, args: object) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...args } });
    const [first] = content;
    return { text: first?.type === "text" ? first.text : "", isError: isError === true };
  };
  return {
    client,
    call: async (name, args = {}) => {
      const { text, isError } = await ask(name, args);
      assert.equal(isError, false, `${name}: ${text}`);
      return JSON.parse(text);
    },
    refused: async (name, args) => {
      const { text, isError } = await ask(name, args);
      assert.equal(isError, true, `${name}: ${text}`);
      return text;
    },
  };
}

/** A gateway on a fake platform, with a model that says these things. */
async function gateway(t: TestContext, replies: readonly Reply[]) {
  const server = await startMsgt({ token: TOKEN });
  t.after(() => server.close());
  const made = await world(t, { model: { script: { replies } }, name: "any" });
  const running = made.start(["gateway", "run"], {
    env: {
      MSGT_BOT_TOKEN: TOKEN,
      MSGT_API_BASE: server.url,
      MSGT_ALLOWED_USERS: "7",
      MSGT_BATCH_DELAY_MS: "0",
      MSGT_GATEWAY_RESTART_NOTIFICATION: "no",
    },
  });
  await running.line((line) => line.includes("gateway of"));
  let id = 0;
  const say = (text: string) => {
    id += 1;
    const chat = { id: 7, type: "private", first_name: "Uma" };
    server.update({ message: { message_id: id, date: 1_760_000_000, text, chat, from: FROM } });
  };
  return { server, made, say };
}

type Event = { readonly kind: string; readonly cursor: number; readonly session_key: string; readonly data: unknown };

/** The next event, of whatever kind, after a cursor. */
async function nextEvent({ call }: Served, after_cursor: number): Promise<Event> {
  const { event } = await call("events_wait", { after_cursor, timeout_ms: 60_000 });
  return event as Event; // its members are compared by the tests
}

test("a client of either era reads a chat's conversation, hears of new messages at once, and sends one", async (t) => {
  const { server, made, say } = await gateway(t, [{ text: "PONG" }, { text: "PONG" }]);
  for (const mode of ["auto", "legacy"] as const) {
    const served = await serve(t, made, mode);
    const { call, refused } = served;
    const begin = Number((await call("events_poll"))["next_cursor"]);
    say("ping");
    const asked = await nextEvent(served, begin);
    assert.deepEqual([asked.kind, Object(asked.data).text], ["message", "ping"]);
    const answered = await nextEvent(served, asked.cursor);
    assert.deepEqual(
      [answered.kind, Object(answered.data).role, Object(answered.data).text],
      ["message", "assistant", "PONG"],
    );
    const { count, conversations } = await call("conversations_list", { platform: "msgt", search: "uma" });
    const [conversation] = conversations as { session_key: string; user_name: string }[];
    assert.deepEqual([count, conversation?.user_name, conversation?.session_key], [1, "Uma", asked.session_key]);
    const { session_key } = asked;
    assert.deepEqual(await call("conversation_get", { session_key }), conversation);
    const { messages } = await call("messages_read", { session_key, limit: 2 });
    assert.deepEqual(
      (messages as { role: string; text: string }[]).map(({ role, text }) => [role, text]),
      [
        ["user", "ping"],
        ["assistant", "PONG"],
      ],
    );
    const [first] = messages as { id: number }[];
    assert.deepEqual((await call("attachments_fetch", { session_key, message_id: first?.id }))["attachments"], []);
    assert.deepEqual((await call("events_poll", { after_cursor: answered.cursor }))["events"], []);
    assert.deepEqual(await call("events_wait", { after_cursor: answered.cursor, timeout_ms: 10 }), {
      event: null,
      reason: "timeout",
    });
    const sent = await call("messages_send", { target: "msgt:7", message: `from ${mode}` });
    assert.equal((sent["sent"] as { state: string }[])[0]?.state, "sent");
    assert.ok(server.shown.some(({ text }) => text === `from ${mode}`));
    const { channels } = await call("channels_list", { platform: "msgt" });
    assert.ok((channels as { target: string }[]).some(({ target }) => target === "msgt:7"));
    assert.match(await refused("messages_read", { session_key: "nowhere" }), /no conversation/);
    assert.match(await refused("messages_read", { session_key, limit: 201 }), /200/);
    assert.match(await refused("conversations_list", { limit: 0 }), /limit/);
    assert.match(await refused("messages_send", { target: "nowhere:1", message: "x" }), /nowhere/);
    await served.client.close();
  }
});

const remove = (name: string) => ({ tool_calls: [{ name: "terminal", arguments: { command: `rm -rf ${name}` } }] });

test("an open approval is listed and answered once, always or with no, by its id alone and only while it is open", async (t) => {
  const { made, say } = await gateway(t, [
    remove("one"),
    { text: "A" },
    remove("two"),
    { text: "B" },
    remove("three"),
    { text: "C" },
  ]);
  const served = await serve(t, made);
  const { call, refused } = served;
  let cursor = Number((await call("events_poll"))["next_cursor"]);
  const until = async (kind: string) => {
    for (;;) {
      const event = await nextEvent(served, cursor);
      cursor = event.cursor;
      if (event.kind === kind) return Object(event.data);
    }
  };
  for (const [decision, answer] of [
    ["deny", "deny"],
    ["allow-once", "once"],
    ["allow-always", "always"],
  ]) {
    say("do it");
    const { id, command } = await until("approval_requested");
    const { approvals } = await call("permissions_list_open");
    assert.deepEqual(
      (approvals as { id: string; command: string }[]).map((one) => [one.id, one.command]),
      [[id, command]],
    );
    assert.deepEqual(await call("permissions_respond", { id, decision }), { ok: true, id });
    const resolved = await until("approval_resolved");
    assert.deepEqual([resolved.id, resolved.answer, resolved.by], [id, answer, "mcp"]);
    assert.match(await refused("permissions_respond", { id, decision }), /already/);
    await until("message");
  }
  assert.match(await refused("permissions_respond", { id: "q_unknown", decision: "deny" }), /q_unknown/);
  assert.match(await refused("permissions_respond", { id: "q_unknown", decision: "maybe" }), /decision/);
  assert.deepEqual((await call("permissions_list_open"))["count"], 0);
});

test("nothing but the protocol is written to standard output, and the end of its input ends the process", async (t) => {
  const made = await world(t);
  await made.owner();
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const running = start(process.execPath, [made.program, "mcp", "serve", "-v"], {
    env: made.env,
    cwd: made.work,
    input: `${JSON.stringify(initialize)}\n`,
  });
  const { code, out, err } = await running.ended;
  assert.equal(code, 0, err);
  for (const line of out.split("\n").filter((one) => one !== "")) assert.equal(JSON.parse(line).jsonrpc, "2.0");
  assert.match(err, /mcp: serving on standard input and output/);
});

test("without an owner the tools are listed, and each call says that none is running; the server never becomes one", async (t) => {
  const made = await world(t);
  const { client, refused, call } = await serve(t, made);
  assert.equal((await client.listTools()).tools.length, 10);
  assert.match(await refused("conversations_list", {}), /no owner process is running/);
  assert.ok(!existsSync(made.home.socket));
  const owner = await made.owner();
  assert.deepEqual(await call("conversations_list"), { count: 0, conversations: [] });
  await owner.end();
});
