import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { recordingHost, runtimeParts, turnOf } from "../../../fixtures/agents/runtime-host.js";
import { type StubScript, stubAppServer } from "../../../fixtures/agents/stub-app-server.js";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { RuntimePlace } from "../../../lib/contracts/runtimes/runtime.js";
import { APP_SERVER } from "./app-server.js";

type Actions = readonly Record<string, unknown>[];

const never = new AbortController().signal;
const BEGUN = { result: { turn: { id: "$turn", status: "inProgress" } } };

interface Options {
  readonly clock?: Clock;
  readonly place?: Partial<RuntimePlace>;
  readonly command?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

async function world(t: TestContext, script: StubScript | readonly StubScript[] = {}, options: Options = {}) {
  const stub = await stubAppServer(t, script);
  const parts = runtimeParts(
    stub.dir,
    { "app_server.command": options.command ?? stub.program, ...options.settings },
    options.clock,
  );
  const env = { PATH: process.env["PATH"] ?? "", HOME: stub.dir, SECRET_TOKEN: "s", AGENT_KANBAN_CLAIM: "c" };
  const runtime = APP_SERVER.open(parts, { cwd: stub.dir, env, ...options.place });
  t.after(() => runtime.close());
  return { stub, runtime, host: recordingHost() };
}

const turns = (...lists: Actions[]): StubScript => ({ on: { "turn/start": lists } });

test("a turn is begun, answered and counted, and nothing is asked of the program beyond that", async (t) => {
  proves(t, "appserver.requests", "appserver.notifications", "appserver.turn-end");
  const { stub, runtime, host } = await world(t);
  const ending = await runtime.turn(turnOf("hi"), host, never);
  assert.deepEqual(ending, { status: "completed", answer: "echo: hi", began: true });
  assert.deepEqual(
    stub.received().map(({ method }) => method),
    ["initialize", "initialized", "thread/start", "turn/start"],
  );
  assert.deepEqual(stub.received("thread/start")[0]?.["params"], { cwd: stub.dir });
  assert.deepEqual([host.threads, host.turns], [["thread_1"], ["turn_0_0"]]);
  assert.deepEqual(
    host.items.flatMap(({ messages }) => messages),
    [{ role: "assistant", content: "echo: hi" }],
  );
  assert.equal(host.lives.map((event) => (event.kind === "text" ? event.delta : "")).join(""), "echo: hi");
  assert.deepEqual(host.used.at(-1), { input: 60, output: 20, cacheRead: 40, cacheWrite: 0, reasoning: 5 });
});

test("the program gets the listed environment alone, and its commands do not see the board's", async (t) => {
  const callback = { command: "/bin/agent", args: ["mcp-callback"], env: { AGENT_CALLBACK_SOCKET: "/s" } };
  const { stub, runtime, host } = await world(t, {}, { place: { callback, worker: { writable: ["/board"] } } });
  await runtime.turn(turnOf("hi"), host, never);
  const [start] = stub.starts();
  assert.deepEqual(
    Object.keys(start?.env ?? {})
      .filter((name) => /^(AGENT|SECRET|RUST)/.test(name))
      .toSorted((a, b) => a.localeCompare(b)),
    ["AGENT_CALLBACK_SOCKET", "AGENT_KANBAN_CLAIM", "RUST_LOG"],
  );
  const args = start?.args.join(" ") ?? "";
  assert.match(args, /shell_environment_policy\.exclude=\["AGENT_KANBAN_\*","AGENT_CALLBACK_\*"\]/);
  assert.match(args, /sandbox_workspace_write\.writable_roots=\["\/board"\]/);
  assert.match(args, /mcp_servers\.agent-tools\.command="\/bin\/agent"/);
});

test("keys of MCP servers reach the program where its settings name them, and its commands do not see them", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "app-server-keys-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "config.toml"), '[mcp_servers.hub]\ncommand = "hub"\nenv_vars = ["HUB_TOKEN"]\n');
  const env = { PATH: process.env["PATH"] ?? "", CODEX_HOME: dir };
  const settings = { mcp_servers: { hub: { command: "hub", env: { HUB_TOKEN: "of-hub", OTHER: "x" } } } };
  const { stub, runtime, host } = await world(t, {}, { place: { env }, settings });
  await runtime.turn(turnOf("hi"), host, never);
  const [start] = stub.starts();
  assert.deepEqual([start?.env["HUB_TOKEN"], start?.env["OTHER"]], ["of-hub", undefined]);
  assert.match(start?.args.join(" ") ?? "", /exclude=\["AGENT_KANBAN_\*","AGENT_CALLBACK_\*","HUB_TOKEN"\]/);
});

test("an unknown request of the program gets error -32601 and the turn goes on", async (t) => {
  proves(t, "appserver.unknown-request", "appserver.unknown-method");
  const { stub, runtime, host } = await world(
    t,
    turns([BEGUN, { ask: "attestation/generate" }, { say: "on" }, { end: "completed" }]),
  );
  const ending = await runtime.turn(turnOf("hi"), host, never);
  assert.equal(ending.answer, "on");
  assert.deepEqual(stub.answers(), [
    { id: 0, error: { code: -32601, message: "Unsupported method: attestation/generate" } },
  ]);
});

test("only finished items become messages: deltas, starts and garbage do not", async (t) => {
  proves(t, "appserver.completed-only");
  const { runtime, host } = await world(
    t,
    turns([
      BEGUN,
      { raw: "warning: this is no JSON" },
      { raw: "[1]" },
      { notify: "some/future", params: { x: 1 } },
      { notify: "item/agentMessage/delta", params: { threadId: "$thread", itemId: "m", delta: "half" } },
      { notify: "item/started", params: { threadId: "$thread", item: { type: "commandExecution", id: "c" } } },
      {
        notify: "item/completed",
        params: { threadId: "another", item: { type: "agentMessage", id: "x", text: "no" } },
      },
      { notify: "turn/completed", params: { threadId: "another", turn: { id: "y", status: "completed" } } },
      { say: "whole" },
      { end: "completed" },
    ]),
  );
  const ending = await runtime.turn(turnOf("hi"), host, never);
  assert.equal(ending.answer, "whole");
  assert.deepEqual(
    host.items.flatMap(({ messages }) => messages.map(({ content }) => content)),
    ["whole"],
  );
});

test("a turn that takes too long is interrupted, told, and the next one works", async (t) => {
  proves(t, "runtime.turn-timeout");
  const hang = turns([BEGUN, { await: "turn/interrupt" }], [BEGUN, { say: "again" }, { end: "completed" }]);
  const clock = manualClock();
  const { stub, runtime, host } = await world(t, hang, { clock });
  const going = runtime.turn(turnOf("hi", { timeoutMs: 3_500 }), host, never);
  await clock.waitsFor(3_500);
  clock.advance(3_500);
  const ending = await going;
  assert.equal(ending.status, "timed_out");
  assert.match(ending.error?.message ?? "", /within 4 s/);
  assert.match(ending.error?.hint ?? "", /\/vendor-runtime auto/);
  assert.equal(stub.received("turn/interrupt").length, 1);
  assert.equal((await runtime.turn(turnOf("more", { thread: "thread_1" }), host, never)).answer, "again");
  assert.equal(stub.starts().length, 1, "the program lived on");
});

test("a program that does not end an interrupted turn is ended, and its thread is resumed", async (t) => {
  const clock = manualClock();
  const deaf = {
    on: { "turn/start": [[BEGUN, { hang: true }]], "turn/interrupt": [[{ hang: true }]] },
    ignoreSignals: true,
    ignoreClose: true,
  };
  const { stub, runtime, host } = await world(t, [deaf, {}], { clock });
  const going = runtime.turn(turnOf("hi", { timeoutMs: 3_500 }), host, never);
  await clock.waitsFor(3_500);
  clock.advance(3_500);
  await clock.waitsFor(5_000); // for the answer to the interrupt
  clock.advance(5_000);
  await clock.waitsFor(3_000); // for the end of a program whose input is closed
  clock.advance(3_000);
  const ending = await going;
  assert.equal(ending.status, "timed_out");
  const [first] = stub.starts();
  assert.equal(systemSpawner.identify(first?.pid ?? 0), undefined);
  const next = await runtime.turn(turnOf("more", { thread: "thread_1" }), host, never);
  assert.equal(next.answer, "echo: more");
  assert.deepEqual(stub.received("thread/resume")[0]?.["params"], { threadId: "thread_1", excludeTurns: true });
});

test("an interrupt ends the turn, and the next one works on the same thread", async (t) => {
  const script = turns(
    [BEGUN, { say: "half" }, { await: "turn/interrupt" }],
    [BEGUN, { say: "on" }, { end: "completed" }],
  );
  const { stub, runtime, host } = await world(t, script);
  const stop = new AbortController();
  const going = runtime.turn(turnOf("hi"), host, stop.signal);
  await host.saw((event) => event.kind === "text");
  stop.abort();
  const ending = await going;
  assert.deepEqual([ending.status, ending.answer], ["interrupted", "half"]);
  assert.equal((await runtime.turn(turnOf("on", { thread: "thread_1" }), host, never)).answer, "on");
  assert.equal(stub.received("thread/resume").length, 0);
});

test("a command that runs when its turn is interrupted is ended, and stored as interrupted with its output so far", async (t) => {
  const item = {
    type: "commandExecution",
    id: "c1",
    command: "sleep 9",
    cwd: "/w",
    processId: "7",
    status: "inProgress",
  };
  const here = { threadId: "$thread", turnId: "$turn" };
  const begun = turns([
    BEGUN,
    { notify: "item/started", params: { ...here, item } },
    { notify: "item/commandExecution/outputDelta", params: { ...here, itemId: "c1", delta: "so far\n" } },
    { await: "turn/interrupt" },
  ]);
  for (const terminated of [true, false]) {
    const terminate = { "thread/backgroundTerminals/terminate": [[{ result: { terminated } }]] };
    const { stub, runtime, host } = await world(t, { on: { ...begun.on, ...terminate } });
    const stop = new AbortController();
    const going = runtime.turn(turnOf("hi"), host, stop.signal);
    await host.saw((event) => event.kind === "output");
    stop.abort();
    assert.equal((await going).status, "interrupted");
    assert.deepEqual(
      stub.received("thread/backgroundTerminals/terminate").map(({ params }) => params),
      [{ threadId: "thread_1", processId: "7" }],
    );
    assert.deepEqual(
      host.items.map(({ key, messages }) => [key, messages[1]?.status, messages[1]?.content]),
      [["c1", "interrupted", "[interrupted]\nso far"]],
    );
    const lives = systemSpawner.identify(stub.starts()[0]?.pid ?? 0) !== undefined;
    assert.equal(lives, terminated, "a program that does not end the command is ended");
  }
});

test("an interrupt withdraws an open question with cancel", async (t) => {
  const ask = { ask: "item/commandExecution/requestApproval", params: { itemId: "c1", command: "x", cwd: "/" } };
  const { stub, runtime } = await world(t, turns([BEGUN, ask]));
  const stop = new AbortController();
  const host = recordingHost(
    (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve("cancel"));
        stop.abort();
      }),
  );
  assert.equal((await runtime.turn(turnOf("hi"), host, stop.signal)).status, "interrupted");
  await eventually(() => stub.answers().length > 0); // the program may end the turn before it reads it
  assert.deepEqual(stub.answers(), [{ id: 0, result: { decision: "cancel" } }]);
});

test("words for the running turn reach it; without one they are given back", async (t) => {
  const script = turns([
    BEGUN,
    { echo: true },
    { say: "first" },
    { await: "turn/steer" },
    { say: "second" },
    { end: "completed" },
  ]);
  const { stub, runtime, host } = await world(t, script);
  assert.equal(await runtime.steer("early"), false);
  const going = runtime.turn(turnOf("hi"), host, never);
  await host.saw((event) => event.kind === "text");
  assert.equal(await runtime.steer("also this"), true);
  await going;
  assert.equal(await runtime.steer("late"), false);
  const input = [{ type: "text", text: "also this" }];
  const sent = { threadId: "thread_1", expectedTurnId: "turn_0_0", input };
  assert.deepEqual(stub.received("turn/steer")[0]?.["params"], sent);
  assert.equal(host.items.filter(({ messages }) => messages[0]?.role === "user").length, 1);
});

test("words that come while the program is started for a turn reach that turn; those for a turn that does not begin are given back", async (t) => {
  const started = { notify: "turn/started", params: { threadId: "$thread", turn: { id: "$turn" } } };
  const works = [BEGUN, started, { await: "turn/steer" }, { say: "heard" }, { end: "completed" }];
  const { stub, runtime, host } = await world(t, turns(works, [{ error: { code: 1, message: "no" } }]));
  const first = runtime.turn(turnOf("hi"), host, never);
  assert.equal(await runtime.steer("early"), true);
  assert.equal((await first).answer, "heard");
  const second = runtime.turn(turnOf("again"), host, never);
  assert.equal(await runtime.steer("in vain"), false);
  assert.equal((await second).status, "failed");
  assert.equal(stub.received("turn/steer").length, 1);
});

test("a thread that cannot be resumed begins again with what was said before", async (t) => {
  const { stub, runtime, host } = await world(t);
  const turn = turnOf("hi", { thread: "gone", history: async () => "[earlier]\nwords" });
  await runtime.turn(turn, host, never);
  assert.deepEqual(host.threads, ["thread_1"]);
  assert.match(host.notices.join(), /cannot continue its thread \(no rollout found/);
  assert.match(JSON.stringify(stub.received("turn/start")[0]), /\[earlier\]\\nwords\\n\\nhi/);
});

test("a thread is taken back to before a turn; where the program cannot, a new one begins", async (t) => {
  const cannot = { on: { "thread/revert": [[{ error: { code: -32600, message: "unknown variant" } }]] } };
  const { stub, runtime, host } = await world(t, [{}, cannot]);
  await runtime.turn(turnOf("one"), host, never);
  await runtime.turn(turnOf("two", { thread: "thread_1", revertTo: "turn_0_0" }), host, never);
  assert.deepEqual(stub.received("thread/revert")[0]?.["params"], { threadId: "thread_1", beforeTurnId: "turn_0_0" });
  assert.deepEqual(host.threads, ["thread_1", "thread_1"]);
  await runtime.close();
  await runtime.turn(turnOf("three", { thread: "thread_1", revertTo: "turn_0_1" }), host, never);
  assert.deepEqual(host.threads, ["thread_1", "thread_1", "thread_2"]);
});

test("a program that dies in mid-turn leaves what it did, its last words and the way back", async (t) => {
  proves(t, "runtime.turn-fails");
  const dies = turns([
    BEGUN,
    { say: "half" },
    { stderr: "panic: token sk-proj-abcdefghijklmnopqrstuvwx0123456789" },
    { exit: 7 },
  ]);
  const { runtime, host } = await world(t, [dies, {}]);
  const ending = await runtime.turn(turnOf("hi"), host, never);
  assert.deepEqual([ending.status, ending.answer, ending.began], ["failed", "half", true]);
  assert.match(ending.error?.message ?? "", /exit code 7[\s\S]*panic/);
  assert.doesNotMatch(ending.error?.message ?? "", /abcdefghijklmnop/);
  assert.match(ending.error?.hint ?? "", /\/vendor-runtime auto/);
  assert.equal((await runtime.turn(turnOf("more", { thread: "thread_1" }), host, never)).answer, "echo: more");
});

test("a killed program withdraws its open question, and nothing hangs", async (t) => {
  const ask = { ask: "item/commandExecution/requestApproval", params: { itemId: "c1", command: "x", cwd: "/" } };
  const { stub, runtime } = await world(t, turns([BEGUN, ask]));
  let withdrawn = false;
  const host = recordingHost(
    (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          withdrawn = true;
          resolve("cancel");
        });
        process.kill(stub.starts()[0]?.pid ?? 0, "SIGKILL");
      }),
  );
  const ending = await runtime.turn(turnOf("hi"), host, never);
  assert.match(ending.error?.message ?? "", /was ended by SIGKILL/);
  assert.equal(withdrawn, true);
});

test("a program that hangs, refuses, dies or is missing at its start fails the turn, which did not begin", async (t) => {
  const cases: readonly [script: StubScript, said: RegExp, hangsMs?: number][] = [
    [{ on: { initialize: [[{ hang: true }]] } }, /did not answer initialize within 10 s/, 10_000],
    [{ on: { initialize: [[{ stderr: "bad config" }, { exit: 1 }]] } }, /exit code 1[\s\S]*bad config/],
    [{ on: { "thread/start": [[{ hang: true }]] } }, /did not answer thread\/start within 15 s/, 15_000],
    [{ on: { "turn/start": [[{ error: { code: -32600, message: "no" } }]] } }, /refused: no/],
    [{ on: { initialize: [[{ result: { userAgent: "agent/0.124.9 (x)" } }]] } }, /0\.124\.9; 0\.125\.0 or newer/],
  ];
  for (const [script, said, hangsMs] of cases) {
    const clock = manualClock();
    const { runtime, host, stub } = await world(t, script, { clock });
    const going = runtime.turn(turnOf("hi"), host, never);
    if (hangsMs !== undefined) {
      await clock.waitsFor(hangsMs);
      clock.advance(hangsMs);
    }
    const ending = await going;
    assert.deepEqual([ending.status, ending.began], ["failed", false]);
    assert.match(ending.error?.message ?? "", said);
    assert.match(ending.error?.hint ?? "", /run \/vendor-runtime auto/);
    assert.equal(systemSpawner.identify(stub.starts()[0]?.pid ?? 0), undefined, "nothing of it is left");
  }
  const { runtime, host } = await world(t, {}, { command: "no-such-program" });
  const ending = await runtime.turn(turnOf("hi"), host, never);
  assert.match(ending.error?.message ?? "", /no program no-such-program on PATH/);
  assert.match(ending.error?.hint ?? "", /npm install -g @openai\/codex/);
});

test("an interrupt while the program does not answer ends the wait", async (t) => {
  const { stub, runtime, host } = await world(t, {
    on: { "thread/start": [[{ notify: "configWarning", params: { summary: "seen" } }, { hang: true }]] },
  });
  const stop = new AbortController();
  const notice = host.notice;
  const watching = { ...host, notice: (told: Parameters<typeof notice>[0]) => stop.abort(told) };
  assert.equal((await runtime.turn(turnOf("hi"), watching, stop.signal)).status, "interrupted");
  assert.equal(systemSpawner.identify(stub.starts()[0]?.pid ?? 0), undefined);
});

test("a warning of the settings is reported once, and quoted when the start fails", async (t) => {
  const warn = { notify: "configWarning", params: { summary: "unknown key", details: "line 3" } };
  const { runtime, host } = await world(t, turns([BEGUN, warn, warn, { end: "completed" }]));
  await runtime.turn(turnOf("hi"), host, never);
  await runtime.turn(turnOf("hi", { thread: "thread_1" }), host, never);
  assert.deepEqual(host.notices, ["app-server: unknown key: line 3"]);
  const failing = await world(t, { on: { "thread/start": [[warn, { exit: 1 }]] } });
  const ending = await failing.runtime.turn(turnOf("hi"), failing.host, never);
  assert.match(ending.error?.message ?? "", /warned before: unknown key: line 3/);
});

test("a failed turn tells what the server said, by its kind", async (t) => {
  const failed = (message: string, codexErrorInfo: unknown) => [
    BEGUN,
    { end: "failed", turnError: { message, codexErrorInfo } },
  ];
  const { runtime, host } = await world(
    t,
    turns(
      failed("bad body", "other"),
      failed("unexpected status 401", { httpConnectionFailed: { httpStatusCode: 401 } }),
      failed("limit; try again in 2 minutes", "usageLimitExceeded"),
      failed("exceeded retry limit", { responseTooManyFailedAttempts: { httpStatusCode: 429 } }),
      failed("the model is at capacity", "serverOverloaded"),
    ),
  );
  const classes: (string | undefined)[] = [];
  for (const thread of [undefined, "thread_1", "thread_1", "thread_1", "thread_1"]) {
    const ending = await runtime.turn(turnOf("hi", thread === undefined ? {} : { thread }), host, never);
    assert.deepEqual([ending.status, ending.began], ["failed", true]);
    assert.match(ending.error?.hint ?? "", /\/vendor-runtime auto/);
    classes.push(ending.error?.class);
  }
  assert.deepEqual(classes, ["app_server", "auth", "rate_limit", "rate_limit", "overloaded"]);
});

test("a goal that has come to a limit is reported once", async (t) => {
  const goal = (status: string) => ({
    notify: "thread/goal/updated",
    params: { threadId: "$thread", goal: { status, objective: "x", tokensUsed: 80, tokenBudget: 10 } },
  });
  const script = turns([
    BEGUN,
    goal("active"),
    goal("budgetLimited"),
    goal("budgetLimited"),
    goal("usageLimited"),
    { end: "completed" },
  ]);
  const { runtime, host } = await world(t, script);
  await runtime.turn(turnOf("hi"), host, never);
  assert.equal(host.notices.length, 2);
  assert.match(host.notices.join("\n"), /80 of 10 tokens[\s\S]*usage limit/);
});

test("a program without work for 15 minutes is ended, and the thread is resumed later", async (t) => {
  const clock = manualClock();
  const { stub, runtime, host } = await world(t, {}, { clock });
  await runtime.turn(turnOf("one"), host, never);
  clock.advance(15 * 60_000);
  await runtime.close();
  assert.equal(systemSpawner.identify(stub.starts()[0]?.pid ?? 0), undefined);
  await runtime.turn(turnOf("two", { thread: "thread_1" }), host, never);
  assert.equal(stub.received("thread/resume").length, 1);
});
