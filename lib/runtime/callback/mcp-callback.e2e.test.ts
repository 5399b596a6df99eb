import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { start } from "../../../fixtures/e2e/process.js";
import { distFile } from "../../base/fs/dist.js";
import { layOutHome } from "../../base/home.js";
import { silentLog } from "../../base/log/log.js";
import type { CallbackTools } from "../../contracts/runtimes/callback.js";
import { openCallback } from "./open-callback.js";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const EMPTY = { type: "object", properties: {} };

function scriptedTools() {
  const seen: { name: string; args: unknown; signal: AbortSignal }[] = [];
  const wakes: (() => void)[] = [];
  const tools: CallbackTools = {
    list: async () => [
      { name: "skill_view", description: "Show a skill.", schema: EMPTY, reads: true },
      { name: "browser_vision", description: "Look.", schema: EMPTY, reads: true },
      { name: "kanban_complete", description: "Complete.", schema: EMPTY, reads: false },
    ],
    call: async (name, args, signal) => {
      seen.push({ name, args, signal });
      for (const wake of wakes.splice(0)) wake();
      if (name === "kanban_complete")
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      if (name === "browser_vision")
        return { text: "a pixel", isError: false, images: [{ mime: "image/png", base64: PIXEL }] };
      return { text: JSON.stringify({ name, args }), isError: name === "nothing" };
    },
  };
  const called = async (count: number) => {
    while (seen.length < count) await new Promise<void>((resolve) => wakes.push(resolve));
  };
  return { tools, seen, called };
}

async function served(t: TestContext, mode: "auto" | "legacy" = "auto") {
  const dir = mkdtempSync(join(tmpdir(), "callback-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { tools, seen, called } = scriptedTools();
  const env = { AGENT_KANBAN_TASK: "t_1", AGENT_KANBAN_CLAIM: "/claim", SECRET_KEY: "s" };
  const { door, entry } = await openCallback({ home: layOutHome(dir), log: silentLog, tools, env });
  t.after(() => door.close());
  const client = new Client(
    { name: "test", version: "1" },
    mode === "auto" ? { versionNegotiation: { mode: "auto" } } : {},
  );
  const transport = new StdioClientTransport({
    command: entry.command,
    args: [...entry.args],
    env: { PATH: process.env["PATH"] ?? "", ...entry.env },
  });
  await client.connect(transport);
  t.after(() => client.close());
  return { client, transport, door, entry, seen, called, dir };
}

test("an MCP client of either era lists the tools with their annotations, and its calls run in the conversation", async (t) => {
  for (const mode of ["auto", "legacy"] as const) {
    const { client, seen, entry } = await served(t, mode);
    assert.deepEqual(
      Object.keys(entry.env).toSorted((a, b) => (a < b ? -1 : 1)),
      ["AGENT_CALLBACK_SOCKET", "AGENT_HOME", "AGENT_KANBAN_CLAIM", "AGENT_KANBAN_TASK"],
    );
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [
        ["skill_view", true],
        ["browser_vision", true],
        ["kanban_complete", false],
      ],
    );
    const result = await client.callTool({ name: "skill_view", arguments: { name: "x" } });
    assert.deepEqual(result.content, [{ type: "text", text: '{"name":"skill_view","args":{"name":"x"}}' }]);
    assert.deepEqual(seen[0]?.args, { name: "x" });
    const { content } = await client.callTool({ name: "browser_vision" });
    assert.deepEqual(content[1], { type: "image", mimeType: "image/png", data: PIXEL });
    assert.equal((await client.callTool({ name: "nothing" })).isError, true);
  }
});

test("twenty calls of one client run at once", async (t) => {
  const { client, called } = await served(t);
  const control = new AbortController();
  setMaxListeners(0, control.signal);
  const calls = Array.from({ length: 20 }, (_, n) =>
    client.callTool({ name: "kanban_complete", arguments: { n } }, { signal: control.signal }).catch(() => "cancelled"),
  );
  await called(20);
  control.abort();
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(["cancelled"]));
});

test("a callback server that is killed in a call stops that call in the conversation", async (t) => {
  const { client, transport, seen, called } = await served(t);
  const call = client.callTool({ name: "kanban_complete" }).catch(() => "lost");
  await called(1);
  process.kill(transport.pid ?? assert.fail("it runs"), "SIGKILL");
  assert.equal(await call, "lost");
  const signal = seen[0]?.signal;
  if (signal?.aborted === false)
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
});

test("a conversation that ends in a call answers it with an error that says so, and so does every later one", async (t) => {
  const { client, door, called } = await served(t);
  const call = client.callTool({ name: "kanban_complete" });
  await called(1);
  await door.close();
  for (const result of [await call, await client.callTool({ name: "skill_view" })]) {
    assert.equal(result.isError, true);
    assert.match(JSON.stringify(result.content), /the conversation that these tools belong to has ended/);
  }
});

test("an owner that is killed in a call is told as such, and the next one removes its socket", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "callback-owner-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const owner = start(process.execPath, [distFile("test/programs/callback-owner.cjs"), dir], {
    env: { PATH: process.env["PATH"] ?? "" },
    cwd: dir,
  });
  const socket = JSON.parse(await owner.line((line) => line.startsWith("{"))).socket;
  const { entry } = await served(t);
  const client = new Client({ name: "test", version: "1" });
  const env = { PATH: process.env["PATH"] ?? "", ...entry.env, AGENT_CALLBACK_SOCKET: socket };
  await client.connect(new StdioClientTransport({ command: entry.command, args: [...entry.args], env }));
  t.after(() => client.close());
  const call = client.callTool({ name: "hang" });
  await owner.line((line) => line === "called");
  await owner.end("SIGKILL");
  const result = await call;
  assert.equal(result.isError, true);
  assert.match(JSON.stringify(result.content), /the conversation that these tools belong to has ended/);
  assert.ok(existsSync(socket));
  const { door } = await openCallback({ home: layOutHome(dir), log: silentLog, tools: scriptedTools().tools, env: {} });
  assert.ok(!existsSync(socket));
  await door.close();
});

test("with --verbose standard output still carries the protocol alone", async (t) => {
  const { entry, dir } = await served(t);
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const running = start(entry.command, [...entry.args, "--verbose"], {
    env: { PATH: process.env["PATH"] ?? "", ...entry.env },
    cwd: dir,
    input: `${JSON.stringify(initialize)}\n${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list", params: {} })}\n`,
  });
  const { code, out, err } = await running.ended;
  assert.equal(code, 0, err);
  for (const line of out.split("\n").filter((one) => one !== "")) assert.equal(JSON.parse(line).jsonrpc, "2.0");
  assert.match(err, /mcp-callback: connected to the conversation/);
});

test("without a conversation it exits with 1 and says what to do", async (t) => {
  const { entry, dir } = await served(t);
  const env = { PATH: process.env["PATH"] ?? "", AGENT_HOME: join(dir, "other") };
  for (const [given, says] of [
    [env, /AGENT_CALLBACK_SOCKET is not set: .*\n.*\/vendor-runtime on/],
    [{ ...env, AGENT_CALLBACK_SOCKET: join(dir, "gone") }, /conversation .* has ended/],
  ] as const) {
    const { code, out, err } = await start(entry.command, entry.args, { env: given, cwd: dir, input: "" }).ended;
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, says);
  }
  const wrong = await start(entry.command, [...entry.args, "--loud"], { env, cwd: dir, input: "" }).ended;
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /unknown argument '--loud'/);
});

test("help and completions know the command that the app-server's settings name", async (t) => {
  const { entry, dir } = await served(t);
  const env = { PATH: process.env["PATH"] ?? "", AGENT_HOME: join(dir, "other"), HOME: dir };
  const say = async (...args: string[]) =>
    start(entry.command, [entry.args[0] ?? "", ...args], { env, cwd: dir, input: "" }).ended;
  const help = await say("mcp-callback", "--help");
  assert.equal(help.code, 0, help.err);
  assert.match(help.out, /agent mcp-callback[\s\S]*--verbose/);
  assert.match((await say("completion", "bash")).out, /mcp-callback/);
});
