import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withoutPrograms } from "../../../fixtures/agents/agents.js";
import { codexHome } from "../../../fixtures/agents/codex-home.js";
import { start } from "../../../fixtures/e2e/process.js";
import { layOutHome } from "../../base/home.js";
import { silentLog } from "../../base/log/log.js";
import type { CallbackTools } from "../../contracts/runtimes/callback.js";
import { openCallback } from "./open-callback.js";

const call = (name: string, args: Record<string, unknown>, namespace?: string) => ({
  tool_calls: [{ name, arguments: args, ...(namespace === undefined ? {} : { extra: { namespace } }) }],
});

test("the real app-server calls a tool of the conversation without a question, and its commands do not see the door", {
  skip: withoutPrograms(),
}, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "callback-codex-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const seen: unknown[] = [];
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const tools: CallbackTools = {
    list: async () => [
      { name: "skill_view", description: "Show a skill.", schema, reads: true },
      { name: "kanban_complete", description: "Complete the task.", schema: { type: "object" }, reads: false },
    ],
    call: async (name, args) => {
      seen.push([name, args]);
      return { text: `RESULT OF ${name}`, isError: false };
    },
  };
  const worker = { AGENT_KANBAN_TASK: "t_1", AGENT_KANBAN_CLAIM: join(dir, "claim") };
  const { door, entry } = await openCallback({ home: layOutHome(dir), log: silentLog, tools, env: worker });
  t.after(() => door.close());
  const made = await codexHome(t, {
    script: {
      replies: [
        call("skill_view", { name: "deploy" }, "mcp__agent_tools"),
        call("kanban_complete", {}, "mcp__agent_tools"),
        call("exec_command", { cmd: "env | grep -c -E '^AGENT_(KANBAN|CALLBACK)_'; echo counted" }),
        { text: "finished" },
      ],
    },
    root: `sandbox_mode = "danger-full-access"`,
    tables: `[mcp_servers.agent-tools]
command = ${JSON.stringify(entry.command)}
args = ${JSON.stringify(entry.args)}
env_vars = ${JSON.stringify(Object.keys(entry.env))}
default_tools_approval_mode = "approve"
startup_timeout_sec = 30
tool_timeout_sec = 600

[shell_environment_policy]
exclude = ["AGENT_KANBAN_*", "AGENT_CALLBACK_*"]
`,
  });
  const args = ["exec", "--skip-git-repo-check", "--json", "go"];
  const ran = await start(made.program, args, { env: { ...made.env, ...entry.env }, cwd: made.cwd, input: "" }).ended;
  const events = ran.out
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const done = events.filter(({ type }) => type === "item.completed").map(({ item }) => item);
  assert.deepEqual(
    seen,
    [
      ["skill_view", { name: "deploy" }],
      ["kanban_complete", {}],
    ],
    ran.out + ran.err,
  );
  const command = done.find(({ type }) => type === "command_execution");
  assert.match(command?.aggregated_output, /^0\ncounted/);
  assert.equal(done.at(-1)?.text, "finished");
});
