import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { methods } from "@agentclientprotocol/sdk";
import { allow, editor } from "../../fixtures/e2e/acp-editor.js";
import { world } from "../../fixtures/e2e/world.js";
import type { Reply } from "../../fixtures/servers/model/script.js";

const scripted = (t: TestContext, replies: readonly Reply[]) =>
  world(t, { model: { script: { replies } }, name: "any" });
const write = (path: string, content: string): Reply => ({
  tool_calls: [{ name: "write_file", arguments: { path, content } }],
});
const remove = (name: string): Reply => ({
  tool_calls: [{ name: "terminal", arguments: { command: `rm -rf ${name}` } }],
});

test("an editor opens a session, and sees the answer, the call, its difference and the plan; the workspace lists the session", async (t) => {
  const todos = [{ id: "1", content: "write", status: "in_progress" }];
  const made = await scripted(t, [
    write("a.txt", "one\n"),
    { tool_calls: [{ name: "todo", arguments: { todos } }] },
    { text: "All done.", reasoning: "Think." },
  ]);
  const used = await editor(t, made);
  assert.equal(used.welcome.protocolVersion, 1);
  assert.equal(used.welcome.agentInfo?.name, "agent");
  assert.equal(used.welcome.agentCapabilities?.loadSession, true);
  const id = await used.open();
  assert.equal(await used.prompt(id, "do it"), "end_turn");
  assert.equal(used.said(), "All done.");
  const [call] = used.of("tool_call");
  assert.deepEqual(
    [call?.kind, call?.locations?.[0]?.path, call?.status],
    ["edit", join(made.work, "a.txt"), "in_progress"],
  );
  const [done] = used.of("tool_call_update").filter((one) => one.status === "completed");
  assert.deepEqual(done?.content, [{ type: "diff", path: join(made.work, "a.txt"), oldText: null, newText: "one" }]);
  assert.deepEqual(used.of("plan").at(-1)?.entries, [{ content: "write", priority: "medium", status: "in_progress" }]);
  assert.ok(used.of("agent_thought_chunk").some(({ content }) => content.type === "text" && content.text === "Think."));
  assert.equal(readFileSync(join(made.work, "a.txt"), "utf8"), "one\n");
  await used.until(() => used.of("available_commands_update").length > 0);
  const names = used
    .of("available_commands_update")
    .at(-1)
    ?.availableCommands.map(({ name }) => name);
  assert.ok(names?.includes("cost") && !names.includes("quit"));
  const { sessions } = await used.agent.request(methods.agent.session.list, { cwd: made.work });
  assert.equal(sessions[0]?.sessionId, id);
  assert.deepEqual((await made.run(["sessions", "list", "--json"])).out.includes(id), true);
});

test("a command that needs approval is asked about with the answers that the question offers: once runs it, deny does not", async (t) => {
  const made = await scripted(t, [remove("one"), { text: "A" }, remove("two"), { text: "B" }]);
  for (const name of ["one", "two"]) mkdirSync(join(made.work, name));
  const answers = ["once", "deny"];
  const used = await editor(t, made, { permit: (asked) => allow(asked, answers.shift() ?? "deny") });
  const id = await used.open();
  assert.equal(await used.prompt(id, "remove one"), "end_turn");
  assert.equal(existsSync(join(made.work, "one")), false);
  assert.equal(await used.prompt(id, "remove two"), "end_turn");
  assert.equal(existsSync(join(made.work, "two")), true);
  const [first] = used.asked;
  assert.equal(first?.toolCall.title, "rm -rf one");
  assert.ok(
    first?.options.some(({ kind }) => kind === "allow_once") &&
      first.options.some(({ kind }) => kind === "reject_once"),
  );
  assert.equal(used.of("tool_call_update").at(-1)?.status, "failed");
});

test("a question that the editor answers with an error is denied, and the turn goes on", async (t) => {
  const made = await scripted(t, [remove("kept"), { text: "I did not." }]);
  mkdirSync(join(made.work, "kept"));
  const used = await editor(t, made, { permit: () => Promise.reject(new Error("the dialog is gone")) });
  assert.equal(await used.prompt(await used.open(), "remove it"), "end_turn");
  assert.deepEqual([used.said(), existsSync(join(made.work, "kept"))], ["I did not.", true]);
});

test("a question that another front end answers is closed in the editor, and the turn goes on", async (t) => {
  const made = await scripted(t, [remove("one"), { text: "A" }]);
  const owner = made.client();
  const used = await editor(t, made, { permit: () => new Promise(() => undefined) });
  const id = await used.open();
  const prompt = used.prompt(id, "remove one");
  await used.until(() => used.asked.length > 0);
  const [open] = await owner.call<{ request: string }[]>("question.list", { session_id: id });
  await owner.call("approval.respond", { request: open?.request, answer: "once" });
  assert.equal(await prompt, "end_turn");
});

test("a turn that the editor cancels ends with that reason, also while it waits for an approval", async (t) => {
  const made = await scripted(t, [{ text: "never", hold: "held" }, remove("one")]);
  mkdirSync(join(made.work, "one"));
  const used = await editor(t, made, { permit: () => new Promise(() => undefined) });
  const id = await used.open();
  const prompt = used.prompt(id, "wait");
  await made.model.arrived(1);
  await used.agent.notify(methods.agent.session.cancel, { sessionId: id });
  assert.equal(await prompt, "cancelled");
  made.model.release("held");
  const asking = used.prompt(id, "remove one");
  await used.until(() => used.asked.length > 0);
  await used.agent.notify(methods.agent.session.cancel, { sessionId: id });
  assert.equal(await asking, "cancelled");
  assert.equal(existsSync(join(made.work, "one")), true);
});

test("a loaded session is replayed whole; one that is resumed is not, and goes on", async (t) => {
  const made = await scripted(t, [write("a.txt", "one\n"), { text: "First." }, { text: "Second." }]);
  const before = await editor(t, made);
  const id = await before.open();
  await before.prompt(id, "do it");
  before.child.stdin.end();
  assert.equal(await before.ended, 0);
  const used = await editor(t, made);
  await used.agent.request(methods.agent.session.load, { sessionId: id, cwd: made.work, mcpServers: [] });
  assert.deepEqual(
    used.updates.slice(0, 4).map(({ sessionUpdate }) => sessionUpdate),
    ["user_message_chunk", "tool_call", "tool_call_update", "agent_message_chunk"],
  );
  assert.equal(used.said(), "First.");
  await used.agent.request(methods.agent.session.close, { sessionId: id });
  used.updates.length = 0;
  await used.agent.request(methods.agent.session.resume, { sessionId: id, cwd: made.work });
  assert.equal(await used.prompt(id, "go on"), "end_turn");
  assert.equal(used.said(), "Second.");
});

test("what an editor gets wrong is refused with what is wrong, and it goes on being served", async (t) => {
  const made = await scripted(t, [{ text: "One.", hold: "held" }, { text: "Two." }]);
  const used = await editor(t, made);
  await assert.rejects(used.open("relative"), /not an absolute path/);
  await assert.rejects(used.open(join(made.work, "nowhere")), /does not exist/);
  await assert.rejects(used.open(made.home.config), /is not a directory/);
  await assert.rejects(used.prompt("nobody", "hi"), /not open here/);
  await assert.rejects(used.agent.request("session/nothing", {}), /not found/i);
  used.child.stdin.write("garbage\n");
  used.child.stdin.write(`{"jsonrpc":"2.0","id":"x","method":"session/new","params":{"cwd":7}}\n`);
  const id = await used.open();
  await assert.rejects(used.prompt(id, " "), /empty prompt/);
  const first = used.prompt(id, "one");
  const second = used.prompt(id, "two");
  await used.until(() => used.of("session_info_update").length > 0);
  made.model.release("held");
  assert.deepEqual(await Promise.all([first, second]), ["end_turn", "end_turn"]);
  assert.equal(used.said(), "One.Two.");
  assert.equal(used.errors(), "");
});

test("a message that is too large is answered with an error, and the next one is served", async (t) => {
  const made = await scripted(t, [{ text: "Fine." }]);
  const used = await editor(t, made);
  const id = await used.open();
  await assert.rejects(used.prompt(id, "x".repeat(64 << 20)), /exceeds 64 MiB and was dropped/);
  assert.equal(await used.prompt(id, "short"), "end_turn");
  assert.equal(used.said(), "Fine.");
});

test("mode and model are set in the session; a mode that there is not is refused", async (t) => {
  const made = await scripted(t, [remove("one"), { text: "A" }]);
  mkdirSync(join(made.work, "one"));
  const used = await editor(t, made);
  const id = await used.open();
  await assert.rejects(used.agent.request(methods.agent.session.setMode, { sessionId: id, modeId: "no" }), /no option/);
  await used.agent.request(methods.agent.session.setMode, { sessionId: id, modeId: "yolo" });
  assert.equal(used.of("current_mode_update").at(-1)?.currentModeId, "yolo");
  assert.equal(await used.prompt(id, "remove one"), "end_turn");
  assert.equal(used.asked.length, 0);
  assert.equal(existsSync(join(made.work, "one")), false);
  const { configOptions } = await used.agent.request(methods.agent.session.setConfigOption, {
    sessionId: id,
    configId: "mode",
    value: "ask",
  });
  assert.ok(configOptions.some((option) => option.id === "mode" && option.currentValue === "ask"));
});

test("the agent serves beside an owner that is there, and takes its place when that one is killed", async (t) => {
  const made = await scripted(t, [{ text: "One." }, { text: "Two." }]);
  const owner = await made.owner();
  const used = await editor(t, made);
  const id = await used.open();
  assert.equal(await used.prompt(id, "one"), "end_turn");
  process.kill(owner.pid, "SIGKILL");
  await owner.ended;
  assert.equal(await used.prompt(id, "two"), "end_turn");
  assert.equal(used.said(), "One.Two.");
});
