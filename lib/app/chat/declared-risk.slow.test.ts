import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { DONE, type Given, questionWorld } from "../../../fixtures/sim/question-world.js";
import { entryOf, jsonTool } from "../../tools/core/json-tool.js";
import type { ToolSource } from "../../tools/core/tool-source.js";

const ADD: Reply = { tool_calls: [{ name: "mcp_tracker_add", arguments: { title: "one" } }] };

/** A server's tool that is declared risky, and what ran of it. */
function tracker(): { readonly source: ToolSource; readonly ran: string[]; changed(pin: string): void } {
  const ran: string[] = [];
  let pin = "aaaa1111";
  const tool = jsonTool({
    name: "mcp_tracker_add",
    toolset: "mcp-tracker",
    description: "Adds an issue.",
    schema: { type: "object", properties: { title: { type: "string" } } },
    risk: "external",
    effects: () => ({ reads: [], writes: ["world"] }),
    limits: { ms: 10_000, chars: 1_000 },
    preview: ({ title }) => String(title),
    declares: () => ({ class: "tool-risk", text: "changes what lies on tracker", pin }),
    run: async ({ title }) => {
      ran.push(String(title));
      return { text: "added" };
    },
  });
  return {
    ran,
    source: { entries: () => [entryOf(tool, { kind: "mcp", name: "tracker" })] },
    changed: (to) => {
      pin = to;
    },
  };
}

async function setup(t: TestContext, replies: readonly Reply[], more: Partial<Given> = {}) {
  const server = tracker();
  return { server, ...(await questionWorld(t, { ...more, replies, toolSources: [server.source] })) };
}

test("a call of a tool that is declared risky is asked about with its reason and all of its arguments", async (t) => {
  const { server, chat, say, asked } = await setup(t, [ADD, DONE]);
  const turn = say();
  const { request, command, reasons, options, rules } = await asked();
  assert.equal(command, 'mcp_tracker_add {"title":"one"}');
  assert.deepEqual(reasons, [{ class: "tool-risk", text: "changes what lies on tracker" }]);
  assert.deepEqual(options, ["once", "session", "project", "always", "deny"]);
  assert.deepEqual(rules["session"], ["{tool: mcp_tracker_add, schema: aaaa1111}"]);
  assert.deepEqual(server.ran, []);
  await chat.answerApproval(request, { answer: "once" }, "test");
  await turn;
  assert.deepEqual(server.ran, ["one"]);
});

test("an answer for the session holds until the schema of the tool is another", async (t) => {
  const { server, chat, say, asked } = await setup(t, [ADD, DONE, ADD, DONE, ADD, DONE]);
  const first = say();
  await chat.answerApproval((await asked()).request, { answer: "session" }, "test");
  await first;
  await say();
  assert.equal(server.ran.length, 2, "not asked again");
  server.changed("bbbb2222");
  const third = say();
  await chat.answerApproval((await asked()).request, { answer: "deny" }, "test");
  await third;
  assert.equal(server.ran.length, 2);
});

test("an answer for good is a rule of the user, bound to the schema", async (t) => {
  const { server, chat, say, asked, world } = await setup(t, [ADD, DONE, ADD, DONE, ADD, DONE]);
  const turn = say();
  await chat.answerApproval((await asked()).request, { answer: "always" }, "test");
  await turn;
  assert.match(
    readFileSync(join(world.home.dir, "permissions.yaml"), "utf8"),
    /\{tool: mcp_tracker_add, schema: aaaa1111\}/,
  );
  await say();
  assert.equal(server.ran.length, 2);
  server.changed("bbbb2222");
  const again = say();
  await chat.answerApproval((await asked()).request, { answer: "deny" }, "test");
  await again;
  assert.equal(server.ran.length, 2);
});

for (const rule of ["tool:mcp_tracker_*", "tool:mcp_tracker_add", "{tool: mcp_tracker_add, args: {title: one}}"])
  test(`the rule ${rule} allows it without a question`, async (t) => {
    const { server, say } = await setup(t, [ADD, DONE], { open: { source: "cli", allow: [rule] } });
    await say();
    assert.deepEqual(server.ran, ["one"]);
  });

test("rules that deny or ask are stronger, and the class can be allowed everywhere", async (t) => {
  const denied = await setup(t, [ADD, DONE], { open: { source: "cli", yolo: true, deny: ["tool:mcp_tracker_add"] } });
  await denied.say();
  assert.deepEqual(denied.server.ran, []);
  const asking = await setup(t, [ADD, DONE]);
  writeFileSync(
    join(asking.world.home.dir, "permissions.yaml"),
    "ask: ['tool:mcp_*']\nallow: ['tool:mcp_tracker_add']\n",
  );
  const turn = asking.say();
  const { request, reasons, options } = await asking.asked();
  assert.deepEqual(
    [reasons.map((reason) => reason.class), options],
    [
      ["rule", "tool-risk"],
      ["once", "session", "deny"],
    ],
  );
  await asking.chat.answerApproval(request, { answer: "session" }, "test");
  await turn;
  assert.deepEqual(asking.server.ran, ["one"]);
  const allowed = await setup(t, [ADD, DONE], { open: { source: "cli" }, config: "command_allowlist: [tool-risk]\n" });
  await allowed.say();
  assert.deepEqual(allowed.server.ran, ["one"]);
});

test("where no one can be asked it is denied with the rule that would allow it; yolo allows it", async (t) => {
  const { server, say, results } = await setup(t, [ADD, DONE], { open: { source: "cli" } });
  const result = await say();
  const rule = "{tool: mcp_tracker_add, schema: aaaa1111}";
  assert.deepEqual(result.denied, [{ tool: "mcp_tracker_add", preview: "one", rule_to_allow: rule }]);
  assert.match((await results(result))[0]?.content ?? "", /tool-risk: changes what lies on tracker/);
  assert.deepEqual(server.ran, []);
  const open = await setup(t, [ADD, DONE], { open: { source: "cli", allow: [rule] } });
  await open.say();
  const yolo = await setup(t, [ADD, DONE], { open: { source: "cli", yolo: true } });
  await yolo.say();
  assert.deepEqual([open.server.ran, yolo.server.ran], [["one"], ["one"]]);
});

for (const [mode, runs] of [
  ["deny", false],
  ["approve", true],
] as const)
  test(`a scheduled conversation with approvals.cron_mode ${mode} ${runs ? "runs" : "denies"} what is declared risky, and programs of execute_code`, async (t) => {
    const code = 'import { write_file } from "agent-tools"; await write_file({ path: "made.txt", content: "x" });';
    const script: Reply = { tool_calls: [{ name: "execute_code", arguments: { code } }] };
    const { server, say, results } = await setup(t, [ADD, script, DONE], {
      config: `approvals:\n  cron_mode: ${mode}\n`,
      open: { source: "cron" },
    });
    const all = await results(await say());
    assert.equal(server.ran.length, runs ? 1 : 0);
    assert.deepEqual(
      all.map(({ status }) => status),
      runs ? ["ok", "ok"] : ["denied", "denied"],
    );
  });

test("in a chat a program of execute_code is asked about once, whatever its calls do", async (t) => {
  const code =
    'import { write_file } from "agent-tools"; for (const n of [1, 2]) await write_file({ path: "made" + n + ".txt", content: "x" });';
  const { chat, world, session, say, asked, front } = await setup(
    t,
    [{ tool_calls: [{ name: "execute_code", arguments: { code } }] }, DONE],
    {
      open: { source: "msgt", origin: { platform: "msgt", chat_id: "1" } },
      config: "gateway:\n  members_run_programs: true\n",
    },
  );
  const looking = new AbortController();
  t.after(() => looking.abort());
  await chat.attach(session.id, looking.signal);
  const turn = say();
  const { request, command } = await asked();
  assert.match(command, /made/);
  await chat.answerApproval(request, { answer: "once" }, "test");
  await turn;
  assert.equal(front.heard.filter(({ event }) => event === "approval.requested").length, 1);
  assert.equal(readFileSync(join(world.work, "made2.txt"), "utf8"), "x");
});
