import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { acpRuntime } from "../../../fixtures/agents/acp-world.js";
import { ACP_AGENT, APP_SERVER, withoutPrograms } from "../../../fixtures/agents/agents.js";
import { codexHome } from "../../../fixtures/agents/codex-home.js";
import { type HostAnswers, recordingHost, turnOf } from "../../../fixtures/agents/recording-host.js";
import type { ScriptedCall, ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import type { CallbackEntry, RuntimeTurn } from "../../../lib/contracts/runtimes/runtime.js";

const skip = withoutPrograms();
const never = new AbortController().signal;

type Replies = readonly {
  readonly text?: string;
  readonly tool_calls?: readonly ScriptedCall[];
  readonly hold?: string;
}[];

const outside = (command: string): ScriptedCall => ({
  name: "exec_command",
  arguments: { cmd: command, sandbox_permissions: "require_escalated", justification: "need it" },
});

/** The real program over the real app-server and a scripted model. */
async function world(
  t: TestContext,
  replies: Replies | ScriptProgram,
  answers: HostAnswers = {},
  callback?: CallbackEntry,
) {
  const codex = await codexHome(t, { script: typeof replies === "function" ? replies : { replies } });
  const { OPENAI_API_KEY: key, ...env } = codex.env;
  // What a person writes into worker.command: the key is not among the variables that a program gets, and by default a model of its own
  // answers its requests for approval.
  const variables = [`CODEX_PATH=${APP_SERVER}`, `OPENAI_API_KEY=${key}`, "INITIAL_AGENT_MODE=workspace-write"];
  const command = ["env", ...variables, process.execPath, ACP_AGENT];
  const runtime = acpRuntime(t, { command, cwd: codex.cwd, env, ...(callback === undefined ? {} : { callback }) });
  const host = recordingHost(answers);
  const turn = (text: string, more: Partial<RuntimeTurn> = {}, signal = never) =>
    runtime.turn(turnOf(text, more), host, signal);
  return { codex, runtime, host, turn };
}

const contents = (host: ReturnType<typeof recordingHost>) =>
  host.items.flatMap(({ messages }) => messages.map(({ role, content }) => `${role}: ${content}`));

test("codex-acp works a turn, and a later process goes on with its session", { skip }, async (t) => {
  const { codex, runtime, host, turn } = await world(t, [{ text: "hello" }, { text: "again" }]);
  const ending = await turn("hi");
  assert.deepEqual(ending, { status: "completed", answer: "hello", began: true });
  assert.deepEqual(contents(host), ["assistant: hello"]);
  assert.deepEqual(host.usages.at(-1)?.usage.output, 20);
  await runtime.close();
  const [thread = ""] = host.threads;
  assert.equal((await turn("more", { thread })).answer, "again");
  assert.deepEqual(contents(host), ["assistant: hello", "assistant: again"]);
  assert.deepEqual(host.threads, [thread, thread]);
  assert.match(codex.server.chats().at(-1)?.raw ?? "", /hello/);
});

test("a command of codex-acp that is approved runs, and one that is declined does not", { skip }, async (t) => {
  const { codex, host, turn } = await world(
    t,
    [
      { tool_calls: [outside("echo one > approved.txt && echo did")] },
      { tool_calls: [outside("echo two > declined.txt")] },
    ],
    { permit: async ({ command }) => (command.includes("approved") ? "once" : "deny") },
  );
  assert.equal((await turn("do it")).status, "completed");
  assert.deepEqual(
    host.items.map(({ messages }) => messages[1]?.status),
    ["ok", "denied"],
  );
  assert.equal(host.items[0]?.messages[1]?.content, "did\n");
  assert.ok(existsSync(join(codex.cwd, "approved.txt")));
  assert.ok(!existsSync(join(codex.cwd, "declined.txt")));
  assert.deepEqual(
    host.asked.map(({ tool, kind, command }) => ({ tool, kind, command })),
    [
      { tool: "exec_command", kind: "command", command: "echo one > approved.txt && echo did" },
      { tool: "exec_command", kind: "command", command: "echo two > declined.txt" },
    ],
  );
});

test("a file that codex-acp changes is reported with its path", { skip }, async (t) => {
  const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\nEOF";
  const { codex, host, turn } = await world(t, [
    { tool_calls: [{ name: "exec_command", arguments: { cmd: patch } }] },
    { text: "done" },
  ]);
  assert.equal((await turn("write")).status, "completed");
  assert.equal(readFileSync(join(codex.cwd, "new.txt"), "utf8"), "hello\n");
  assert.deepEqual(
    host.items.flatMap(({ changed = [] }) => changed),
    [join(codex.cwd, "new.txt")],
  );
});

test("codex-acp calls our tools without a question", { skip }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "callback-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const server = join(dir, "server.mjs");
  // Without the hint that it only reads, codex asks before every call.
  const small = readFileSync(resolve("fixtures/mcp/small.mjs"), "utf8");
  writeFileSync(server, small.replace(/annotations: .*\n/, ""));
  const calls: ScriptProgram = ({ tools = [] }, turn) => {
    if (turn > 0) return { text: "done" };
    const namespace = /mcp__agent[\w-]*/.exec(JSON.stringify(tools))?.[0] ?? "no such tool";
    return { tool_calls: [{ name: "echo", arguments: { text: "hi" }, extra: { namespace } }] };
  };
  const { host, turn } = await world(t, calls, {}, { command: process.execPath, args: [server], env: {} });
  assert.equal((await turn("call it")).answer, "done");
  assert.deepEqual(host.asked, []);
  const call = host.items.find(({ messages }) => messages[1]?.toolName === "mcp.agent-tools.echo");
  assert.match(call?.messages[1]?.content ?? "", /Echo: hi/);
  assert.equal(call?.messages[1]?.status, "ok");
});

test("codex-acp is interrupted and steered, and its whole group ends with it", { skip }, async (t) => {
  const { codex, runtime, host, turn } = await world(t, [{ hold: "first" }, { text: "after" }]);
  const stop = new AbortController();
  const working = turn("hi", {}, stop.signal);
  await codex.server.arrived(1);
  assert.equal(await runtime.steer("also this"), true);
  stop.abort();
  assert.equal((await working).status, "interrupted");
  codex.server.release("first");
  assert.equal((await turn("go on", { thread: host.threads[0] ?? "" })).answer, "after");
  const running = () => systemSpawner.marked("CODEX_HOME", codex.codexHome);
  assert.notEqual(running().length, 0);
  await runtime.close();
  assert.deepEqual(running(), []);
});

test("codex-acp without a login says to log in with it", { skip }, async (t) => {
  const codex = await codexHome(t, {});
  writeFileSync(join(codex.codexHome, "config.toml"), 'model = "fake-1"\n');
  const { OPENAI_API_KEY: _, ...env } = codex.env;
  const command = ["env", `CODEX_PATH=${APP_SERVER}`, process.execPath, ACP_AGENT];
  const runtime = acpRuntime(t, { command, cwd: codex.cwd, env });
  const ending = await runtime.turn(turnOf("hi"), recordingHost(), never);
  assert.equal(ending.error?.class, "auth");
  assert.match(ending.error?.hint ?? "", /log in with .*codex-acp itself/);
});
