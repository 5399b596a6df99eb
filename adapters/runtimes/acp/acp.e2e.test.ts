import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { acpRuntime } from "../../../fixtures/agents/acp-world.js";
import { type HostAnswers, recordingHost, turnOf } from "../../../fixtures/agents/recording-host.js";
import { type AcpScript, stubAcpAgent } from "../../../fixtures/agents/stub-acp-agent.js";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import type { RuntimePlace, RuntimeTurn } from "../../../lib/contracts/runtimes/runtime.js";

const never = new AbortController().signal;
const END = { result: { stopReason: "end_turn" } };

async function world(
  t: TestContext,
  script: AcpScript | readonly AcpScript[],
  more: { readonly answers?: HostAnswers; readonly place?: Partial<RuntimePlace> } = {},
) {
  const stub = await stubAcpAgent(t, script);
  const clock = manualClock();
  const runtime = acpRuntime(t, { command: stub.command, cwd: stub.dir, clock, ...more.place });
  const host = recordingHost(more.answers);
  const turn = (text: string, rest: Partial<RuntimeTurn> = {}, signal = never) =>
    runtime.turn(turnOf(text, rest), host, signal);
  return { stub, clock, runtime, host, turn };
}

const prompts = (...lists: readonly (readonly Readonly<Record<string, unknown>>[])[]) => ({
  on: { "session/prompt": lists },
});

const texts = (items: readonly { readonly messages: readonly { readonly content: string }[] }[]) =>
  items.map(({ messages }) => messages.map(({ content }) => content).join("|"));

test("a turn is worked on a session whose id is told before the prompt is sent", async (t) => {
  const { stub, host, turn } = await world(t, prompts([{ say: "hel" }, { say: "lo" }, END]));
  const ending = await turn("hi");
  assert.deepEqual(ending, { status: "completed", answer: "hello", began: true });
  assert.deepEqual(host.threads, ["s1"]);
  assert.deepEqual(texts(host.items), ["hello"]);
  const [initialize] = stub.received("initialize");
  assert.deepEqual(initialize?.["params"], {
    protocolVersion: 1,
    clientInfo: { name: "agent", title: "Agent", version: "1.0.0" },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: false,
      session: { notices: {}, compaction: {} },
    },
  });
});

test("the program gets no secret of the owner; what the callback server needs is in its entry alone", async (t) => {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: "/nowhere",
    LC_ALL: "C",
    https_proxy: "http://p",
    OPENAI_API_KEY: "k",
    AGENT_KANBAN_CLAIM: "c",
    AGENT_CALLBACK_SOCKET: "/s",
    AGENT_WORKER_MARK: "m",
  };
  const callback = { command: "/bin/node", args: ["agent.cjs", "mcp-callback"], env: { AGENT_CALLBACK_SOCKET: "/s" } };
  const { stub, turn } = await world(t, {}, { place: { env, callback } });
  await turn("hi");
  const names = Object.keys(stub.starts()[0]?.env ?? {}).filter((name) => !["PWD", "SHLVL", "_"].includes(name));
  assert.deepEqual(
    names.toSorted((a, b) => (a < b ? -1 : 1)),
    ["AGENT_WORKER_MARK", "HOME", "LC_ALL", "PATH", "https_proxy"],
  );
  assert.deepEqual(stub.received("session/new")[0]?.["params"], {
    cwd: stub.dir,
    mcpServers: [
      {
        name: "agent-tools",
        command: "/bin/node",
        args: ["agent.cjs", "mcp-callback"],
        env: [{ name: "AGENT_CALLBACK_SOCKET", value: "/s" }],
      },
    ],
  });
});

test("a second turn works on the session that runs; a new process loads it, and its replay adds nothing", async (t) => {
  const load = {
    on: { "session/load": [[{ say: "old words" }, { result: {} }]], "session/prompt": [[{ say: "new" }, END]] },
  };
  const { stub, host, runtime, turn } = await world(t, [prompts([{ say: "one" }, END], [{ say: "two" }, END]), load]);
  await turn("a");
  await turn("b", { thread: "s1" });
  assert.equal(stub.received("session/new").length, 1);
  await runtime.close();
  await turn("c", { thread: "s1" });
  assert.equal(stub.received("session/load").length, 1);
  assert.deepEqual(texts(host.items), ["one", "two", "new"]);
});

test("a session that is lost, or should be taken back, begins again with what was said", async (t) => {
  const refused = { on: { "session/load": [[{ error: { code: -32_002, message: "no such session" } }]] } };
  const { stub, host, turn } = await world(t, refused);
  const history = async () => "BEFORE";
  await turn("now", { thread: "gone", history });
  const said = (at: number) => JSON.stringify(stub.received("session/prompt")[at]?.["params"]);
  assert.match(said(0), /"text":"BEFORE"},\{"type":"text","text":"now"/);
  assert.match(host.notices[0] ?? "", /could not load its session gone/);
  await turn("again", { thread: "s1", revertTo: "t", history });
  assert.match(said(1), /BEFORE/);
  assert.equal(stub.received("session/new").length, 2);
});

test("pictures are sent to a program that sees them, and named to one that does not", async (t) => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const blind = { initialize: { agentCapabilities: {} } };
  const { stub, runtime, turn } = await world(t, [{}, blind]);
  const picture = join(stub.dir, "a.png");
  writeFileSync(picture, png);
  await turn("see", { pictures: [picture] });
  await runtime.close();
  await turn("see", { pictures: [picture] });
  const kinds = stub
    .received("session/prompt")
    .map(({ params }) => JSON.stringify(params).match(/"type":"(image|resource_link)"/)?.[1]);
  assert.deepEqual(kinds, ["image", "resource_link"]);
});

test("a program is answered what a person decides, and reads and writes through the tools of the conversation", async (t) => {
  const options = [
    { optionId: "y", name: "Yes", kind: "allow_once" },
    { optionId: "n", name: "No", kind: "reject_once" },
  ];
  const toolCall = { toolCallId: "c", title: "rm x", kind: "execute", rawInput: { command: "rm x" } };
  const ask = (method: string, params: object) => ({ ask: method, params });
  const { stub, host, turn } = await world(
    t,
    prompts([
      ask("session/request_permission", { toolCall, options }),
      ask("fs/read_text_file", { path: "/ws/a" }),
      ask("fs/read_text_file", { path: "/ws/none" }),
      ask("fs/read_text_file", { path: "/ws/secret" }),
      ask("fs/read_text_file", { path: "rel" }),
      ask("fs/write_text_file", { path: "/ws/b", content: "B" }),
      ask("fs/write_text_file", { path: "/ws/secret", content: "B" }),
      ask("terminal/create", { command: "ls" }),
      ask("fs/read_text_file", { sessionId: "another", path: "/ws/a" }),
      END,
    ]),
    { answers: { permit: "deny", files: { "/ws/a": "A" } } },
  );
  assert.equal((await turn("hi")).status, "completed");
  const codes = stub.answers().map(({ result, error }) => (error as { code?: number } | undefined)?.code ?? result);
  assert.deepEqual(codes, [
    { outcome: { outcome: "selected", optionId: "n" } },
    { content: "A" },
    -32_002,
    -32_600,
    -32_602,
    {},
    -32_600,
    -32_601,
    -32_600,
  ]);
  assert.equal(host.files.get("/ws/b"), "B");
});

test("an interruption withdraws the open question, cancels the turn, and the session goes on", async (t) => {
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  const asks = { ask: "session/request_permission", params: { toolCall: { toolCallId: "c", title: "x" }, options } };
  const { stub, host, turn } = await world(
    t,
    prompts([{ say: "part" }, asks, { result: { stopReason: "cancelled" } }], [{ say: "next" }, END]),
    {
      answers: {
        permit: async (_, signal) => {
          await once(signal, "abort");
          return "cancel";
        },
      },
    },
  );
  const stop = new AbortController();
  const working = turn("hi", {}, stop.signal);
  await host.permits(1);
  stop.abort();
  assert.deepEqual(await working, { status: "interrupted", answer: "part", began: true });
  assert.deepEqual(stub.answers()[0]?.["result"], { outcome: { outcome: "cancelled" } });
  assert.equal(stub.received("session/cancel").length, 1);
  assert.equal((await turn("more", { thread: "s1" })).answer, "next");
  assert.equal(stub.starts().length, 1);
});

test("a command that a program lets run on after an interruption ends with the program, and the next turn loads the session", async (t) => {
  const call = { sessionUpdate: "tool_call", toolCallId: "c", title: "sleep", kind: "execute", status: "in_progress" };
  const cancelled = [{ update: call }, { await: "session/cancel" }, { result: { stopReason: "cancelled" } }];
  const { stub, host, turn } = await world(t, [prompts(cancelled), prompts([END])]);
  const stop = new AbortController();
  const working = turn("hi", {}, stop.signal);
  await host.lived(({ kind }) => kind === "call");
  stop.abort();
  assert.equal((await working).status, "interrupted");
  assert.equal(host.items[0]?.messages[1]?.status, "interrupted");
  assert.equal(systemSpawner.identify(stub.starts()[0]?.pid ?? 0), undefined);
  assert.equal((await turn("more", { thread: "s1" })).status, "completed");
  assert.equal(stub.received("session/load").length, 1);
});

test("a turn that takes too long is cancelled, and a program that does not obey is ended with its group", async (t) => {
  const { stub, host, clock, turn } = await world(t, [
    { ...prompts([{ say: "working" }, { hang: true }]), ignoreSignals: true, ignoreClose: true },
    prompts([{ say: "again" }, END]),
  ]);
  const working = turn("hi", { timeoutMs: 60_000 });
  await host.lived(({ kind }) => kind === "text");
  clock.advance(60_000);
  await clock.waitsFor(10_000);
  clock.advance(10_000);
  await clock.waitsFor(3_000);
  clock.advance(3_000);
  const ending = await working;
  assert.equal(ending.status, "timed_out");
  assert.equal(ending.error?.class, "timeout");
  assert.match(ending.error?.message ?? "", /did not finish the turn within 60 s/);
  assert.match(ending.error?.hint ?? "", /worker.program native/);
  assert.equal(ending.answer, "working");
  assert.deepEqual(systemSpawner.members(stub.starts()[0]?.pid ?? 0), []);
  assert.equal((await turn("more", { thread: "s1" })).answer, "again");
});

test("a program that dies in mid-turn: its status, its last words, what it did, and the next turn starts it again", async (t) => {
  const call = { sessionUpdate: "tool_call", toolCallId: "c", title: "ls", kind: "execute", status: "in_progress" };
  const { stub, host, turn } = await world(t, [
    prompts([
      { say: "begun" },
      { update: call },
      { stderr: "boom: key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD\n" },
      { exit: 3 },
    ]),
    prompts([{ say: "again" }, END]),
  ]);
  const ending = await turn("hi");
  assert.equal(ending.status, "failed");
  assert.equal(ending.began, true);
  assert.match(ending.error?.message ?? "", /exited with code 3; its last output on standard error:\nboom/);
  assert.doesNotMatch(ending.error?.message ?? "", /abcdefghijklmnop/);
  assert.deepEqual(texts(host.items), ["begun", "|[interrupted]"]);
  assert.equal((await turn("more", { thread: "s1" })).answer, "again");
  assert.equal(stub.received("session/load").length, 1);
});

test("text that is not the protocol is skipped; a program that prints nothing else is named", async (t) => {
  const noise = [
    { raw: "Welcome!" },
    { raw: "[1,2]" },
    { raw: '{"jsonrpc":"2.0","id":99,"result":{}}' },
    { raw: '{"x":1}' },
  ];
  const { turn } = await world(t, prompts([...noise, { say: "fine" }, END]));
  assert.equal((await turn("hi")).answer, "fine");
  const chatty = await world(t, { on: { initialize: [[{ raw: "usage: prog [options]" }, { exit: 2 }]] } });
  const ending = await chatty.turn("hi");
  assert.equal(ending.began, false);
  assert.match(ending.error?.message ?? "", /exited with code 2[\s\S]*not the protocol: usage: prog/);
});

test("a program that never answers fails the turn after its deadline", async (t) => {
  const { clock, turn } = await world(t, { on: { initialize: [[{ hang: true }]] } });
  const working = turn("hi");
  await clock.waitsFor(60_000);
  clock.advance(60_000);
  const ending = await working;
  assert.equal(ending.status, "failed");
  assert.match(ending.error?.message ?? "", /did not answer within 60 s when asked to initialize/);
});

test("another version of the protocol, and a missing login, say what to do", async (t) => {
  const newer = await world(t, { initialize: { protocolVersion: 2 } });
  assert.match((await newer.turn("hi")).error?.message ?? "", /speaks version 2 of the Agent Client Protocol/);
  const login = await world(t, {
    initialize: { authMethods: [{ id: "a", name: "Acme account" }] },
    on: { "session/new": [[{ error: { code: -32_000, message: "Authentication required" } }]] },
  });
  const ending = await login.turn("hi");
  assert.equal(ending.error?.class, "auth");
  assert.match(ending.error?.hint ?? "", /log in with stub itself, in a terminal \(it offers: Acme account\)/);
});

test("a program that is missing, or not configured, is named with the setting", async (t) => {
  const missing = acpRuntime(t, { command: ["no-such-agent"], cwd: "/" });
  const ending = await missing.turn(turnOf("hi"), recordingHost(), never);
  assert.match(ending.error?.message ?? "", /no-such-agent is not installed or not on PATH/);
  const none = acpRuntime(t, { command: [], cwd: "/" });
  assert.match((await none.turn(turnOf("hi"), recordingHost(), never)).error?.message ?? "", /worker.command is empty/);
});

test("every reason to stop is an ending that says why", async (t) => {
  const reasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];
  const { turn } = await world(t, prompts(...reasons.map((stopReason) => [{ result: { stopReason } }])));
  const endings: string[] = [];
  for (const _ of reasons) {
    const { status, error } = await turn("hi", { thread: "s1" });
    endings.push(error === undefined ? status : `${status}: ${error.message}`);
  }
  assert.deepEqual(endings, [
    "completed",
    "failed: stub stopped: the model's output limit was reached",
    "failed: stub stopped: its limit of model requests per turn was reached",
    "failed: stub stopped: the model refused to continue",
    "interrupted",
  ]);
});

test("tokens are counted once, whether the cached ones are part of the input or not", async (t) => {
  const usage = (totalTokens: number) => ({ totalTokens, inputTokens: 100, cachedReadTokens: 40, outputTokens: 20 });
  const size = { update: { sessionUpdate: "usage_update", used: 1, size: 1000 } };
  const answer = (total: number) => [size, { result: { stopReason: "end_turn", usage: usage(total) } }];
  const { host, turn } = await world(t, prompts(answer(120), answer(160)));
  await turn("a");
  await turn("b", { thread: "s1" });
  assert.deepEqual(
    host.usages.map(({ usage: { input }, window }) => [input, window]),
    [
      [60, 1000],
      [100, 1000],
    ],
  );
});

test("words are put into a turn where the program offers that, and are refused where it does not", async (t) => {
  const steering = { _meta: { steering: { supported: true } } };
  const on = {
    "session/prompt": [[{ say: "a" }, { await: "_session/steering" }, { say: "b" }, END]],
    "_session/steering": [[{ result: { outcome: "injected" } }]],
  };
  const { host, runtime, turn } = await world(t, { initialize: steering, on });
  assert.equal(await runtime.steer("too early"), false);
  const working = turn("hi");
  await host.lived(({ kind }) => kind === "text");
  assert.equal(await runtime.steer("also this"), true);
  await working;
  assert.equal(texts(host.items).includes("also this"), true);
  const plain = await world(t, prompts([{ say: "a" }, { await: "session/cancel" }, END]));
  const stop = new AbortController();
  const other = plain.turn("hi", {}, stop.signal);
  await plain.host.lived(({ kind }) => kind === "text");
  assert.equal(await plain.runtime.steer("no"), false);
  stop.abort();
  await other;
});

test("a program without work is ended after 15 minutes", async (t) => {
  const { stub, clock, turn } = await world(t, {});
  await turn("hi");
  const { pid } = stub.starts()[0] ?? { pid: 0 };
  clock.advance(15 * 60_000);
  await turn("again", { thread: "s1" });
  assert.equal(stub.starts().length, 2);
  await eventually(() => systemSpawner.members(pid).length === 0);
});

test("a flood of updates is stored, and a message that is too large ends the program", async (t) => {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x".repeat(1000) } };
  const { turn } = await world(t, prompts([{ update, times: 3000 }, END]));
  const { answer } = await turn("hi");
  assert.ok(answer.length > 1_000_000 && answer.length < 1_100_000);
  const huge = await world(t, prompts([{ bytes: 33 << 20 }, { hang: true }]));
  assert.match((await huge.turn("hi")).error?.message ?? "", /sent a message of more than 32 MB/);
});
