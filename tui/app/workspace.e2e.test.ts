import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { ownerStatus } from "../../fixtures/e2e/owner-status.js";
import { noTmux, openTerminal, type Terminal } from "../../fixtures/e2e/tmux.js";
import { type World, type WorldOptions, world } from "../../fixtures/e2e/world.js";
import { proves } from "../../fixtures/requirements.js";

const skip = noTmux() ?? false;

test("the workspace opens, works a turn, shows a task made elsewhere, and leaves the terminal as it was", {
  skip,
}, async (t) => {
  proves(t, "tui.exists", "agent.tool-using");
  const { made, terminal } = await setup(t);
  const before = await modes(terminal, made);
  await open(terminal);
  assert.equal(await terminal.value("alternate_on"), "1");
  await terminal.type("good morning");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("You said: good morning") && screen.includes("idle")); // while a turn runs, leaving asks
  await terminal.press("F3");
  await terminal.until((screen) => screen.includes("No tasks"));
  await made.json("kanban", "create", "made elsewhere", "--external");
  await terminal.until((screen) => screen.includes("made elsewhere"));
  await leave(terminal);
  assert.equal(await modes(terminal, made), before);
});

test("what the command line denies, a workspace denies, also behind an owner that took over", { skip }, async (t) => {
  const call = { tool_calls: [{ name: "terminal", arguments: { command: "touch made-it" } }] };
  const { made, terminal } = await setup(t, {
    model: { script: { replies: [call, { text: "first" }, call, { text: "second" }] } },
    name: "any",
  });
  const owner = await made.owner();
  await open(terminal, " --deny 'touch *'");
  for (const answer of ["first", "second"]) {
    await terminal.type("go");
    await terminal.press("Enter");
    await terminal.until((screen) => screen.includes(answer) && screen.includes("idle"));
    assert.equal(existsSync(join(made.work, "made-it")), false);
    if (answer === "first") {
      await owner.end("SIGKILL"); // the workspace takes over
    }
  }
});

test("a second workspace attaches, and sees what the first one's home holds", { skip }, async (t) => {
  const { made, terminal } = await setup(t);
  await made.owner();
  await made.json("kanban", "create", "already here", "--external");
  await open(terminal);
  await terminal.until((screen) => screen.includes("attached"));
  await terminal.press("F3");
  await terminal.until((screen) => screen.includes("already here"));
  await leave(terminal);
  assert.equal((await made.json<{ running: boolean }>("owner", "status")).running, true);
});

test("a gateway that replaces a workspace gets the home: the screen goes on as its client, and has the home again after its end", {
  skip,
}, async (t) => {
  const { made, terminal } = await setup(t);
  await open(terminal);
  await terminal.type("good morning");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("You said: good morning") && screen.includes("idle"));
  assert.match((await made.run(["gateway", "run"])).err, /\(workspace\) owns .*--replace takes it over/s);
  const gateway = made.start(["gateway", "run", "--replace"]);
  await gateway.line((line) => line.includes("gateway of"));
  const { pid, role } = await made.json<{ pid: number; role: string }>("gateway", "status");
  assert.deepEqual({ pid, role }, { pid: gateway.pid, role: "gateway" });
  await terminal.until((screen) => screen.includes("attached"));
  await terminal.type("and again");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("You said: and again") && screen.includes("idle"));
  assert.equal((await gateway.end("SIGINT")).code, 0);
  await terminal.until(
    (screen) => !screen.includes("attached") && screen.includes("and again") && screen.includes("idle"),
  );
  assert.equal((await made.json<{ role: string }>("gateway", "status")).role, "workspace");
  await terminal.press("C-d");
  await terminal.until((screen) => screen.includes("ready>"));
});

test("a command in the input line answers beside a running turn, and the model never sees it", { skip }, async (t) => {
  const model = { script: { replies: [{ hold: "asked", text: "here I am" }] } };
  const { made, terminal } = await setup(t, { model, name: "any" });
  await open(terminal);
  await terminal.type("good morning");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("good morning"));
  await terminal.type('/kanban create "from the chat" --external');
  await terminal.press("Enter");
  await terminal.until((screen) => /Created t_[0-9a-f]{8} {2}\(ready/.test(screen));
  await terminal.type("/kanbam list");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("did you mean /kanban?"));
  made.model.release("asked");
  await terminal.until((screen) => screen.includes("here I am") && screen.includes("idle")); // while a turn runs, leaving asks
  assert.doesNotMatch(JSON.stringify(made.model.requests), /from the chat|kanbam/);
  await terminal.press("C-d");
  await terminal.until((screen) => screen.includes("ready>"));
});

test("a command that follows shows what happens as it happens, until Ctrl+C", { skip }, async (t) => {
  const { made, terminal } = await setup(t);
  await open(terminal);
  const { id } = await made.json<{ id: string }>("kanban", "create", "watched", "--external");
  await terminal.type(`/kanban tail ${id}`);
  await terminal.press("Enter");
  await terminal.until((screen) => /\] created/.test(screen));
  await made.json("kanban", "comment", id, "look");
  await terminal.until((screen) => /\] commented/.test(screen));
  await terminal.press("C-c");
  await terminal.until((screen) => screen.includes("(stopped)"));
  await terminal.press("C-d");
  await terminal.until((screen) => screen.includes("ready>"));
});

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`a workspace ended by ${signal} leaves the terminal as it was`, { skip }, async (t) => {
    const { made, terminal } = await setup(t);
    const before = await modes(terminal, made);
    await open(terminal);
    process.kill((await ownerStatus(made)).pid, signal);
    await eventually(async () => (await terminal.value("alternate_on")) === "0");
    await terminal.press("Enter"); // the shell may have shown its prompt on the screen that was given up
    await terminal.until((screen) => screen.includes("ready>"));
    assert.equal(await modes(terminal, made), before);
  });
}

async function setup(
  t: TestContext,
  options: WorldOptions = { model: {} },
): Promise<{ made: World; terminal: Terminal }> {
  const made = await world(t, options);
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  return { made, terminal: await openTerminal(t, env, made.work) };
}

async function open(terminal: Terminal, more = ""): Promise<void> {
  await terminal.type(`clear; "$NODE" "$AGENT"${more}`);
  await terminal.press("Enter");
  await eventually(async () => (await terminal.value("alternate_on")) === "1");
  await terminal.until((screen) => screen.trim() !== "" && !screen.includes("ready>"));
}

async function leave(terminal: Terminal): Promise<void> {
  await terminal.press("i"); // the board's Ctrl+D turns its pages
  await terminal.press("C-d");
  await terminal.until((screen) => screen.includes("ready>"));
  assert.equal(await terminal.value("alternate_on"), "0");
}

/** Modes of the terminal as the shell's own commands find them. */
async function modes(terminal: Terminal, { work }: World): Promise<string> {
  const file = join(work, "modes");
  await terminal.type(`stty -g > ${file}; echo told`);
  await terminal.press("Enter");
  await terminal.until((screen) => /^told$/m.test(screen));
  await terminal.type("clear");
  await terminal.press("Enter");
  await terminal.until((screen) => !screen.includes("told"));
  return readFileSync(file, "utf8");
}
