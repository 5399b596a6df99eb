import assert from "node:assert/strict";
import { appendFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { withoutPrograms } from "../../../../fixtures/agents/agents.js";
import { codexHome } from "../../../../fixtures/agents/codex-home.js";
import { recordingHost, runtimeParts, turnOf } from "../../../../fixtures/agents/runtime-host.js";
import { proves } from "../../../../fixtures/requirements.js";
import type { Reply } from "../../../../fixtures/servers/model/script.js";
import type { RuntimeAnswer } from "../../../../lib/contracts/runtimes/runtime.js";
import { APP_SERVER } from "../app-server.js";

const skip = withoutPrograms();
const FILES = resolve("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

/** The real program with a real third-party server of files under this name, works one turn. */
async function work(t: TestContext, replies: (cwd: string) => readonly Reply[], given: Given = {}) {
  const { answer = "once", server = "filesystem" } = given;
  const made: Reply[] = [];
  const codex = await codexHome(t, { script: { replies: made } });
  made.push(...replies(codex.cwd), { text: "done" });
  const parts = runtimeParts(codex.home, { "app_server.command": codex.program });
  const callback = { command: process.execPath, args: [FILES, codex.cwd], env: {} };
  if (server === "filesystem")
    appendFileSync(
      join(codex.codexHome, "config.toml"),
      `[mcp_servers.filesystem]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([FILES, codex.cwd])}\nstartup_timeout_sec = 120\n`,
    );
  const place = { cwd: codex.cwd, env: codex.env, ...(server === "agent-tools" ? { callback } : {}) };
  const runtime = APP_SERVER.open(parts, place);
  t.after(() => runtime.close());
  const host = recordingHost(async () => answer);
  const ending = await runtime.turn(turnOf("work"), host, new AbortController().signal);
  assert.deepEqual([ending.status, ending.answer], ["completed", "done"], JSON.stringify(ending));
  return { codex, host };
}

interface Given {
  readonly answer?: RuntimeAnswer;
  readonly server?: "filesystem" | "agent-tools";
}

const write = (server: string, cwd: string, name: string): Reply => ({
  tool_calls: [
    {
      name: "write_file",
      arguments: { path: join(cwd, name), content: "x" },
      extra: { namespace: `mcp__${server}` },
    },
  ],
});

const escalated = (cwd: string): Reply => ({
  tool_calls: [
    {
      name: "exec_command",
      arguments: {
        cmd: `touch ${join(cwd, "made.txt")}`,
        sandbox_permissions: "require_escalated",
        justification: "need it",
      },
    },
  ],
});

test("AS3: an escalated command of the real program runs when it is allowed once, and an identical one is not asked again after a session answer", {
  skip,
}, async (t) => {
  proves(t, "appserver.replies", "appserver.approval-mapping");
  const { codex, host } = await work(t, (cwd) => [escalated(cwd)]);
  assert.equal(existsSync(join(codex.cwd, "made.txt")), true);
  assert.match(host.asked[0]?.command ?? "", /touch .*made\.txt/);
  assert.match(host.asked[0]?.reason ?? "", /need it/);
  const session = await work(t, (cwd) => [escalated(cwd), escalated(cwd)], { answer: "session" });
  assert.equal(session.host.asked.length, 1);
});

test("AS4: the question about a file change of the real program lists its paths; a denied one changes nothing", {
  skip,
}, async (t) => {
  const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\nEOF";
  const { codex, host } = await work(t, () => [{ tool_calls: [{ name: "exec_command", arguments: { cmd: patch } }] }], {
    answer: "deny",
  });
  const path = join(codex.cwd, "new.txt");
  assert.deepEqual(
    host.asked.map(({ command, paths }) => [command, paths]),
    [[`1 add: ${path}`, [path]]],
  );
  assert.equal(existsSync(path), false);
});

test("AS5: a tool of a third-party MCP server is asked about, and runs when it is allowed", { skip }, async (t) => {
  proves(t, "appserver.server-requests");
  const { codex, host } = await work(t, (cwd) => [write("filesystem", cwd, "w.txt")]);
  assert.deepEqual(
    host.asked.map(({ tool, args }) => [tool, args]),
    [["mcp.filesystem.write_file", { path: join(codex.cwd, "w.txt"), content: "x" }]],
  );
  assert.equal(existsSync(join(codex.cwd, "w.txt")), true);
  const denied = await work(t, (cwd) => [write("filesystem", cwd, "w.txt")], { answer: "deny" });
  assert.equal(existsSync(join(denied.codex.cwd, "w.txt")), false);
});

test("AS5: always is remembered by the real program in its own settings, session for its session", {
  skip,
}, async (t) => {
  const twice = (cwd: string) => [write("filesystem", cwd, "a.txt"), write("filesystem", cwd, "b.txt")];
  const always = await work(t, twice, { answer: "always" });
  assert.equal(always.host.asked.length, 1);
  assert.match(always.codex.config(), /\[mcp_servers\.filesystem\.tools\.write_file\]\s+approval_mode = "approve"/);
  const session = await work(t, twice, { answer: "session" });
  assert.equal(session.host.asked.length, 1);
  assert.doesNotMatch(session.codex.config(), /approval_mode/);
  assert.equal(existsSync(join(session.codex.cwd, "b.txt")), true);
});

test("AS6: the product's own callback tools run without a question", { skip }, async (t) => {
  proves(t, "appserver.elicitation");
  const { codex, host } = await work(t, (cwd) => [write("agent_tools", cwd, "own.txt")], {
    answer: "deny",
    server: "agent-tools",
  });
  assert.deepEqual(host.asked, []);
  assert.equal(existsSync(join(codex.cwd, "own.txt")), true);
});
