import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { quietPort } from "../../../fixtures/e2e/port.js";
import { world } from "../../../fixtures/e2e/world.js";
import { fixture } from "../../../fixtures/mcp/world.js";
import { askedOf, roundOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";

const TOKEN = "4242:token-of-the-test-bot";
const DASHBOARD = "token-of-the-tests-0123456789-abcdefghij";

/** Calls the tool that asks first; what the server says later comes as a message and is repeated. */
const script: ScriptProgram = (request) => {
  const asked = askedOf(request);
  if (asked.includes("was answered")) return { text: `HEARD ${/\w+: \w+ wants tea/.exec(asked)?.[0]}` };
  if (roundOf(request) === 0 && asked.includes("order"))
    return { tool_calls: [{ name: "mcp_newer_ask", arguments: { what: "tea" } }] };
  return { text: "OK" };
};

/** A chat, a server that asks, and a dashboard. */
async function chatWorld(t: TestContext) {
  const chat = await startMsgt({ token: TOKEN });
  t.after(() => chat.close());
  const noted = mkdtempSync(join(tmpdir(), "agent-parked-form-"));
  const counter = join(noted, "starts");
  writeFileSync(counter, "");
  const servers = { newer: fixture("newer.mjs", "--ttl=60000", `--counter=${counter}`) };
  const port = await quietPort();
  const made = await world(t, {
    model: { script },
    name: "any",
    config: `  context_length: 128000
mcp_servers: ${JSON.stringify(servers)}
mcp: {initial_wait_seconds: 60}
gateway: {members: {7: {tier: owner}}}
dashboard: {autostart: true, port: ${port}}
`,
  });
  t.after(() => rmSync(noted, { recursive: true, force: true }));
  const env = {
    MSGT_BOT_TOKEN: TOKEN,
    MSGT_API_BASE: chat.url,
    MSGT_ALLOWED_USERS: "7",
    AGENT_DASHBOARD_SESSION_TOKEN: DASHBOARD,
  };
  let message = 10;
  const say = (text: string) => {
    message += 1;
    const from = { id: 7, first_name: "U" };
    chat.update({
      message: { message_id: message, date: 1_760_000_000, text, chat: { id: 7, type: "private" }, from },
    });
  };
  const shown = (part: string) => chat.until(() => chat.shown.some(({ text }) => text.includes(part)));
  return { chat, counter, made, env, port, say, shown };
}

test("MC11: a question of a server in a chat is asked again there and on the dashboard after its owner was killed; the answer reaches the server once, and the chat is told", async (t) => {
  const { chat, counter, made, env, port, say, shown } = await chatWorld(t);
  const first = made.start(["gateway", "run"], { env });
  say("order");
  await shown("Who wants tea?");
  await first.end("SIGKILL");
  const before = chat.shown.length;

  const second = made.start(["gateway", "run"], { env });
  await chat.until(() => chat.shown.slice(before).some(({ text }) => text.includes("Who wants tea?")));
  await shown("It stays open: /approve answers it here");
  const [question] = await questionsOfThePage(port);
  assert.equal(question?.data.message, "Who wants tea?");
  say("/approve");
  await chat.until(() => chat.shown.slice(before).filter(({ text }) => text.includes("Name")).length > 1);
  say("Ada");
  await shown("HEARD accept: Ada wants tea");
  assert.equal(readFileSync(counter, "utf8").match(/asked/g)?.length, 1);
  assert.deepEqual(await questionsOfThePage(port), []);
  await second.end("SIGINT");
});

interface Shown {
  readonly request: string;
  readonly data: { readonly message: string };
}

/** Open questions as the page reads them. */
const questionsOfThePage = (port: number): Promise<readonly Shown[]> => ofThePage(port, "question.list", {});

/** A request as the page makes it. */
async function ofThePage<T>(port: number, method: string, params: object): Promise<T> {
  const url = `http://127.0.0.1:${port}/api`;
  let ticket: string | undefined;
  await eventually(async () => {
    const headers = { authorization: `Bearer ${DASHBOARD}` };
    const answer = await fetch(`${url}/auth/ws-ticket`, { method: "POST", headers }).catch(() => undefined); // it opens beside the gateway
    ticket = ((await answer?.json()) as { ticket?: string } | undefined)?.ticket;
    return ticket !== undefined;
  });
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws?ticket=${ticket}`);
  const answered = new Promise<T>((resolve, reject) => {
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString("utf8")) as { id?: number; result?: T; error?: unknown }; // the protocol says so
      if (frame.id !== 1) return;
      if (frame.error === undefined) resolve(frame.result as T);
      else reject(new Error(JSON.stringify(frame.error)));
    });
  });
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  const result = await answered;
  socket.close();
  return result;
}

test("MC11: a question of a server that is asked in the turn of a chat is answered on the dashboard, and the turn goes on", async (t) => {
  const { made, env, port, say, shown } = await chatWorld(t);
  const gateway = made.start(["gateway", "run"], { env });
  say("order");
  await shown("Who wants tea?");
  const [question] = await questionsOfThePage(port);
  assert.equal(question?.data.message, "Who wants tea?");
  await ofThePage(port, "form.respond", { request: question?.request, action: "accept", content: { name: "Ada" } });
  await shown("OK");
  assert.match(JSON.stringify(made.model.chats().at(-1)), /accept: Ada wants tea/);
  await gateway.end("SIGINT");
});
