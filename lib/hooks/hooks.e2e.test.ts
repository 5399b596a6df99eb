import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type World, world } from "../../fixtures/e2e/world.js";
import { askedOf, roundOf, type ScriptProgram } from "../../fixtures/servers/model/script.js";
import { startMsgt } from "../../fixtures/servers/msgt/server.js";

const REMOVE = { tool_calls: [{ name: "terminal", arguments: { command: "rm q.txt" } }] };
const GUARD = "hooks:\n  pre_tool_call:\n    - command: ./guard.sh\n";
const BLOCKS = `#!/bin/sh\necho '{"decision":"block","reason":"not by this hook"}'\n`;

function put(made: World, path: string, text: string): void {
  writeFileSync(path.startsWith("/") ? path : join(made.home.dir, path), text, { mode: 0o755 });
}

/** What the model was told of its calls in its last request that has tools. */
function told(made: World): string {
  const last = made.model.chats().findLast(({ body }) => (body?.tools?.length ?? 0) > 0);
  return JSON.stringify((last?.body?.messages ?? []).filter(({ role }) => role === "tool"));
}

/** Indented examples of the help topic, without their indent. */
function examplesOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:^ {4}.*\n|^\n(?= {4}))+/gm)].map(([block]) => block.replace(/^ {4}/gm, "").trim());
}

test("the example of the help topic blocks rm once it is approved, and not before", async (t) => {
  const topic = readFileSync(join("lib", "help", "topics", "hooks.md"), "utf8");
  const [script = "", settings = ""] = examplesOf(topic);
  const made = await world(t, {
    model: { script: { replies: [REMOVE, { text: "done" }, REMOVE, { text: "done" }] } },
    name: "fake-1",
    config: `${settings.replaceAll("~/", "./")}\n`,
  });
  put(made, "no-rm.sh", `${script}\n`);
  writeFileSync(join(made.work, "q.txt"), "x");
  await made.run(["-z", "remove it", "--yolo"]);
  assert.match(told(made), /has not been approved. To approve it, run: agent hooks approve/);
  assert.equal((await made.run(["hooks", "approve", "./no-rm.sh"])).code, 0);
  writeFileSync(join(made.work, "call.json"), JSON.stringify({ tool_input: { command: "rm -rf x" } }));
  const trial = (...more: string[]) =>
    made.run(["hooks", "test", "pre_tool_call", "--for-tool", "terminal", "--payload-file", "call.json", ...more]);
  const blocked = await trial();
  assert.equal(blocked.code, 3);
  assert.match(blocked.out, /blocked: \.\/no-rm\.sh: rm is not allowed here/);
  writeFileSync(join(made.work, "call.json"), JSON.stringify({ tool_input: { command: "ls" } }));
  assert.equal((await trial()).code, 0);
  await made.run(["-z", "remove it", "--yolo"]);
  assert.match(told(made), /rm is not allowed here/);
  assert.equal(existsSync(join(made.work, "q.txt")), true);
});

test("--accept-hooks and its variable approve before any command; safe mode runs without hooks", async (t) => {
  for (const accept of [
    { args: ["--accept-hooks"], env: {} },
    { args: [], env: { AGENT_ACCEPT_HOOKS: "1" } },
  ]) {
    const made = await world(t, {
      model: { script: { replies: [REMOVE, { text: "done" }] } },
      name: "fake-1",
      config: GUARD,
    });
    put(made, "guard.sh", BLOCKS);
    await made.run(["-z", "remove it", "--yolo", ...accept.args], { env: accept.env });
    assert.match(told(made), /not by this hook/);
    assert.match((await made.run(["hooks", "list"])).out, /pre_tool_call: \.\/guard\.sh \(approved/);
    assert.equal((await made.run(["hooks", "revoke", "./guard.sh"])).code, 0);
    assert.equal((await made.run(["hooks", "doctor"])).code, 1);
    assert.match((await made.run(["--safe-mode", "hooks", "list"])).out, /no hooks configured/);
    assert.match((await made.run(["doctor"])).out, /guard\.sh' does not run/);
  }
});

test("an owner that runs takes --accept-hooks of a front end, and /reload a change of the settings", async (t) => {
  const made = await world(t, {
    model: { script: { replies: [REMOVE, { text: "done" }] } },
    name: "fake-1",
    config: GUARD,
  });
  put(made, "guard.sh", BLOCKS);
  await made.owner();
  assert.match((await made.run(["status"])).out, /problem: hooks\.pre_tool_call: '\.\/guard\.sh' does not run/);
  await made.run(["-z", "remove it", "--yolo", "--accept-hooks"]);
  assert.match(told(made), /not by this hook/);
  writeFileSync(made.home.config, readFileSync(made.home.config, "utf8").replace("guard.sh", "other.sh"));
  assert.match((await made.run(["-z", "/reload"])).out, /other\.sh \(program missing/);
});

test("a board worker asks the hooks of its home, and approves nothing by itself", async (t) => {
  const made = await world(t, {
    model: {},
    name: "script:worker",
    config: GUARD.replace("pre_tool_call:", "post_tool_call:"),
  });
  put(made, "guard.sh", `#!/bin/sh\ncat >> "$AGENT_HOME/told.jsonl"\n`);
  const { pid } = await made.owner();
  const work = async () => {
    const { id } = await made.json<{ id: string }>("kanban", "create", "write", "--assignee", "default");
    await made.settled(id);
    await made.alone([pid]); // a worker ends when its hooks have been told everything
    return id;
  };
  await work();
  assert.equal(existsSync(join(made.home.dir, "told.jsonl")), false, "nobody has approved it");
  assert.equal((await made.run(["hooks", "approve", "all"])).code, 0);
  const id = await work();
  const lines = readFileSync(join(made.home.dir, "told.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.ok(
    lines.some(({ tool_name, extra }) => tool_name === "write_file" && extra.task_id === id),
    JSON.stringify(lines),
  );
});

test("programs hear of a child that starts and stops, with what it was for and how it ended", async (t) => {
  const delegate = { name: "delegate_task", arguments: { goal: "count the stars" } };
  const script: ScriptProgram = (request) => {
    const child = askedOf(request).includes("count the stars");
    if (!child && roundOf(request) === 0) return { tool_calls: [delegate] };
    return { text: child ? "SEVEN" : "DONE" };
  };
  // Each call is a process of its own, and those of two events run side by side.
  const note = '#!/bin/sh\ncat > "note-$$.json"\n';
  const made = await world(t, {
    model: { script },
    name: "fake-1",
    config: "hooks:\n  subagent_start: [{command: ./note.sh}]\n  subagent_stop: [{command: ./note.sh}]\n",
  });
  put(made, "note.sh", note);
  const ran = await made.run(["-z", "look up", "--yolo", "--accept-hooks"]);
  assert.equal(ran.out.trim(), "DONE", ran.err);
  const told = readdirSync(made.home.dir)
    .filter((name) => name.startsWith("note-"))
    .map((name) => JSON.parse(readFileSync(join(made.home.dir, name), "utf8")));
  assert.equal(told.length, 2);
  const [start, stop] = ["subagent_start", "subagent_stop"].map((event) =>
    told.find(({ hook_event_name }) => hook_event_name === event),
  );
  assert.equal(start.extra.goal, "count the stars");
  assert.equal(
    stop.extra.child_session_id ?? stop.extra.child_id,
    start.extra.child_session_id ?? start.extra.child_id,
  );
  assert.match(stop.extra.summary, /SEVEN/);
  assert.equal(typeof stop.extra.duration_ms, "number");
});

test("a program decides about messages of chats before their senders are looked at; one that fails keeps them out, and the operator is shown it", async (t) => {
  const token = "4242:token-of-the-test-bot";
  const server = await startMsgt({ token });
  t.after(() => server.close());
  const made = await world(t, {
    model: { script: (request) => ({ text: `HEARD ${askedOf(request).split("\n").at(-1)}` }) },
    name: "any",
    config: "hooks:\n  pre_gateway_dispatch: [{command: ./gate.sh}]\n",
  });
  const gate = `#!/bin/sh
read -r told
case "$told" in
  *spam*) echo '{"decision":"block","reason":"spam"}' ;;
  *broken*) echo 'out of order' ;;
  *) echo '{}' ;;
esac
`;
  put(made, "gate.sh", gate);
  const env = { MSGT_BOT_TOKEN: token, MSGT_API_BASE: server.url, MSGT_ALLOWED_USERS: "7", AGENT_ACCEPT_HOOKS: "1" };
  const running = made.start(["gateway", "run"], { env });
  let sent = 10;
  const say = (text: string) => {
    sent += 1;
    const message = { message_id: sent, date: 1_760_000_000, text, chat: { id: 7, type: "private" } };
    server.update({ message: { ...message, from: { id: 7, first_name: "U" } } });
  };
  say("spam");
  say("hello");
  await server.until(() => server.shown.some(({ text }) => text.includes("HEARD hello")));
  say("broken");
  say("as it is");
  await server.until(() => server.shown.some(({ text }) => text.includes("HEARD as it is")));
  assert.equal(
    server.shown.some(({ text }) => /spam|broken/.test(text)),
    false,
  );
  const { out } = await made.run(["gateway", "status"]);
  assert.match(out, /a message was skipped, last at .*: policy hook '\.\/gate\.sh' failed: /);
  await running.end("SIGINT");
});
