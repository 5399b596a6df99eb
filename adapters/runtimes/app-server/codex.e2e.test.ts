import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { withoutPrograms } from "../../../fixtures/agents/agents.js";
import { type CodexHomeOptions, codexHome } from "../../../fixtures/agents/codex-home.js";
import { recordingHost, runtimeParts, turnOf } from "../../../fixtures/agents/runtime-host.js";
import type { Reply, ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import { APP_SERVER } from "./app-server.js";

const skip = withoutPrograms();
const never = new AbortController().signal;

async function world(t: TestContext, replies: readonly Reply[], options: CodexHomeOptions = {}) {
  const codex = await codexHome(t, { script: { replies }, ...options });
  const parts = runtimeParts(codex.home, { "app_server.command": codex.program });
  const open = () => {
    const runtime = APP_SERVER.open(parts, { cwd: codex.cwd, env: codex.env });
    t.after(() => runtime.close());
    return runtime;
  };
  return { codex, open, host: recordingHost() };
}

const command = (cmd: string, more: object = {}): Reply => ({
  tool_calls: [{ name: "exec_command", arguments: { cmd, ...more } }],
});

const texts = (host: ReturnType<typeof recordingHost>) =>
  host.items.flatMap(({ messages }) => messages.map(({ role, content }) => [role, content]));

test("the real program works a turn: a text, its tokens, and the thread goes on after a restart", {
  skip,
}, async (t) => {
  const { codex, open, host } = await world(t, [{ text: "hello" }, { text: "again" }, { text: "resumed" }]);
  const runtime = open();
  const first = await runtime.turn(turnOf("one"), host, never);
  assert.deepEqual(first, { status: "completed", answer: "hello", began: true });
  assert.deepEqual(texts(host), [["assistant", "hello"]]);
  assert.deepEqual(host.used.at(-1), { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
  const thread = host.threads[0] ?? "";
  await runtime.turn(turnOf("two", { thread }), host, never);
  await runtime.close();
  const resumed = await open().turn(turnOf("three", { thread }), host, never);
  assert.equal(resumed.answer, "resumed");
  const raw = codex.server.chats().at(-1)?.raw ?? "";
  for (const said of ["one", "hello", "two", "again", "three"]) assert.match(raw, new RegExp(`"${said}"`));
  assert.deepEqual([...new Set(host.threads)], [thread]);
});

test("the real program is taken back to before a turn, also after a restart", { skip }, async (t) => {
  const { codex, open, host } = await world(t, [{ text: "a" }, { text: "b" }, { text: "c" }]);
  const runtime = open();
  await runtime.turn(turnOf("first words"), host, never);
  const thread = host.threads[0] ?? "";
  await runtime.turn(turnOf("second words", { thread }), host, never);
  await runtime.close();
  const turn = turnOf("third words", { thread, revertTo: host.turns[1] ?? "" });
  assert.equal((await open().turn(turn, host, never)).answer, "c");
  const raw = codex.server.chats().at(-1)?.raw ?? "";
  assert.match(raw, /first words/);
  assert.doesNotMatch(raw, /second words/);
  assert.deepEqual(host.notices, []);
});

test("commands and file changes of the real program are in the transcript, and are asked for", { skip }, async (t) => {
  const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\nEOF";
  const { codex, open, host } = await world(t, [command("echo hi; exit 3"), command(patch), { text: "done" }]);
  const ending = await open().turn(turnOf("work"), host, never);
  assert.deepEqual([ending.status, ending.answer], ["completed", "done"]);
  assert.equal(existsSync(join(codex.cwd, "new.txt")), true);
  assert.deepEqual(
    texts(host).filter(([role]) => role === "tool"),
    [
      ["tool", "[exit code 3]\nhi\n"],
      ["tool", "completed: 1 file"],
    ],
  );
  assert.match(host.asked.map(({ tool, callId }) => `${tool} ${callId}`).join(), /apply_patch as_apply_patch_call_/);
});

test("a declined command of the real program does not run, and the turn goes on", { skip }, async (t) => {
  const escalated = { sandbox_permissions: "require_escalated", justification: "need it" };
  const { codex, open } = await world(t, [command("touch made.txt", escalated), { text: "done" }]);
  const host = recordingHost(async () => "deny");
  const ending = await open().turn(turnOf("work"), host, never);
  assert.deepEqual([ending.status, ending.answer], ["completed", "done"]);
  assert.equal(host.asked.length, 1);
  assert.equal(existsSync(join(codex.cwd, "made.txt")), false);
  assert.match(JSON.stringify(texts(host)), /\[declined by user\]/);
});

test("the real program is interrupted, and the next turn works on the same thread", { skip }, async (t) => {
  const { codex, open, host } = await world(t, [{ text: "slow", hold: "never" }, { text: "next" }]);
  const runtime = open();
  const stop = new AbortController();
  const going = runtime.turn(turnOf("one"), host, stop.signal);
  await codex.server.arrived(1);
  stop.abort();
  assert.equal((await going).status, "interrupted");
  const thread = host.threads[0] ?? "";
  assert.equal((await runtime.turn(turnOf("two", { thread }), host, never)).answer, "next");
});

test("a turn of the real program that hangs is interrupted by its time, and the next one works", {
  skip,
}, async (t) => {
  // By its words, not by its place: on a busy machine the time may be up before the first request has come.
  const script: ScriptProgram = ({ messages }) =>
    JSON.stringify(messages).includes('"two"') ? { text: "next" } : { text: "slow", hold: "never" };
  const { open, host } = await world(t, [], { script });
  const runtime = open();
  const ending = await runtime.turn(turnOf("one", { timeoutMs: 3_000 }), host, never);
  assert.equal(ending.status, "timed_out");
  const thread = host.threads[0] ?? "";
  assert.equal((await runtime.turn(turnOf("two", { thread }), host, never)).answer, "next");
});

test("words for the running turn reach the model of the real program in the same turn", { skip }, async (t) => {
  const { codex, open, host } = await world(t, [{ ...command("true"), hold: "go" }, { text: "done" }]);
  const runtime = open();
  const going = runtime.turn(turnOf("one"), host, never);
  await codex.server.arrived(1);
  assert.equal(await runtime.steer("and also this"), true);
  codex.server.release("go");
  assert.equal((await going).answer, "done");
  assert.match(codex.server.chats()[1]?.raw ?? "", /and also this/);
  assert.deepEqual(
    texts(host).filter(([role]) => role === "user"),
    [["user", "and also this"]],
  );
});

test("the real program that is killed in mid-turn fails it, and the thread is resumed", { skip }, async (t) => {
  const { codex, open, host } = await world(t, [{ text: "slow", hold: "never" }, { text: "next" }]);
  const runtime = open();
  const going = runtime.turn(turnOf("one"), host, never);
  await codex.server.arrived(1);
  const [own] = systemSpawner.marked("CODEX_HOME", codex.codexHome);
  process.kill(own ?? 0, "SIGKILL");
  const ending = await going;
  assert.equal(ending.status, "failed");
  assert.match(ending.error?.message ?? "", /the app-server (was ended by SIGKILL|ended with exit code)/);
  assert.match(ending.error?.hint ?? "", /\/vendor-runtime auto/);
  const thread = host.threads[0] ?? "";
  assert.equal((await runtime.turn(turnOf("two", { thread }), host, never)).answer, "next");
});

test("failed turns of the real program tell a bad request, a login and a limit apart", { skip }, async (t) => {
  const limit = {
    error: { type: "usage_limit_reached", message: "limit", plan_type: "pro", resets_in_seconds: 3_600 },
  };
  const unauthorized = Array.from({ length: 6 }, () => ({ status: 401, body: { error: { message: "no key" } } }));
  const { open, host } = await world(t, [
    { status: 400, body: { error: { message: "bad thing" } } },
    { status: 429, body: limit },
    ...unauthorized,
  ]);
  const runtime = open();
  const bad = await runtime.turn(turnOf("one"), host, never);
  assert.deepEqual([bad.status, bad.error?.class], ["failed", "app_server"]);
  assert.match(bad.error?.message ?? "", /bad thing/);
  const thread = host.threads[0] ?? "";
  const limited = await runtime.turn(turnOf("two", { thread }), host, never);
  assert.equal(limited.error?.class, "rate_limit");
  const refused = await runtime.turn(turnOf("three", { thread }), host, never);
  assert.equal(refused.error?.class, "auth");
  assert.match(refused.error?.hint ?? "", /codex login/);
  const retries = host.lives.filter((event) => event.kind === "status" && /Reconnecting/.test(event.text));
  assert.equal(retries.length, 5);
});

test("a goal of the real program that has used its budget is reported", { skip }, async (t) => {
  const goal = { name: "create_goal", arguments: { objective: "count", token_budget: 10 } };
  const { open, host } = await world(t, [{ tool_calls: [goal] }, { text: "done" }, { text: "over" }]);
  const runtime = open();
  await runtime.turn(turnOf("one"), host, never);
  const thread = host.threads[0] ?? "";
  await runtime.turn(turnOf("two", { thread }), host, never);
  assert.match(host.notices.join("\n"), /goal of the app-server has used its budget/);
});

test("a turn that the real program begins by itself for a goal is interrupted and told, and the next turn of the user works", {
  skip,
}, async (t) => {
  const goal = { name: "create_goal", arguments: { objective: "count" } };
  const { open } = await world(t, [{ tool_calls: [goal] }, { text: "done" }, { text: "yours" }]);
  let tell: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const host = recordingHost();
  const watched = {
    ...host,
    notice: (notice: Parameters<typeof host.notice>[0]) => {
      host.notice(notice);
      if (/a turn of its own for its goal/.test(notice.text)) tell();
    },
  };
  const runtime = open();
  await runtime.turn(turnOf("one"), watched, never);
  await told;
  const thread = host.threads[0] ?? "";
  const ending = await runtime.turn(turnOf("two", { thread }), watched, never);
  assert.deepEqual([ending.status, ending.answer], ["completed", "yours"]);
  assert.equal(host.notices.filter((text) => /of its own/.test(text)).length, 1);
});
