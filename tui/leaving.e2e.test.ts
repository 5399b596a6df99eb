import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../fixtures/e2e/eventually.js";
import { ownerStatus } from "../fixtures/e2e/owner-status.js";
import { noTmux, openTerminal, type Terminal } from "../fixtures/e2e/tmux.js";
import { type World, type WorldOptions, world } from "../fixtures/e2e/world.js";

const skip = noTmux() ?? false;
const LINGER = "owner:\n  linger_seconds: 0\n";

/** Makes the process throw where no one catches it. */
const PLANTED = 'process.on("SIGUSR2", () => setImmediate(() => { throw new Error("planted"); }));\n';

test("W13: the terminal is as it was after every way out", { skip }, async (t) => {
  const { made, terminal } = await setup(t, { model: {}, config: `${LINGER}display:\n  mouse: true\n` });
  writeFileSync(join(made.work, "planted.cjs"), PLANTED);
  const before = await modes(terminal, made);
  const signalled = (name: NodeJS.Signals) => async () => process.kill((await ownerStatus(made)).pid, name);
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    SIGHUP: signalled("SIGHUP"),
    SIGTERM: signalled("SIGTERM"),
    SIGQUIT: signalled("SIGQUIT"),
    "SIGINT twice": async () => {
      const { pid } = await ownerStatus(made);
      await twice(terminal, async () => void (alive(pid) && process.kill(pid, "SIGINT")));
    },
    "an uncaught error": signalled("SIGUSR2"),
    "/quit": async () => {
      await terminal.type("/quit");
      await terminal.press("Enter");
    },
    "Ctrl+C twice": () => twice(terminal, () => terminal.press("C-c")),
  };
  for (const [name, leave] of Object.entries(ways)) {
    await open(terminal);
    await eventually(async () => (await terminal.value("mouse_button_flag")) === "1");
    await leave();
    await left(terminal);
    assert.equal(await terminal.value("cursor_flag"), "1", name);
    for (const flag of ["mouse_any_flag", "mouse_button_flag", "mouse_sgr_flag"])
      assert.equal(await terminal.value(flag), "0", `${name}: ${flag}`);
    if (name === "an uncaught error") {
      const told = await terminal.until((screen) => /report: \S+/.test(screen));
      assert.match(told, /an unexpected error ended this process: planted/);
    }
    assert.equal(await modes(terminal, made), before, name);
  }
});

test("W14: a turn goes on when its terminal is closed, is there in another one, and the process ends when nothing is left", {
  skip,
}, async (t) => {
  const model = { script: { replies: [{ hold: "asked", text: "here I am" }] } };
  const { made, terminal } = await setup(t, { model, name: "any", config: LINGER });
  await open(terminal);
  await terminal.type("good morning");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("thinking"));
  const { pid } = await ownerStatus(made);
  await terminal.close();
  const other = await openTerminal(t, environment(made), made.work);
  await open(other, "-c");
  await other.until((screen) => screen.includes("good morning") && screen.includes("attached"));
  assert.equal((await ownerStatus(made)).open_turns, 1);
  made.model.release("asked");
  await other.until((screen) => screen.includes("here I am") && screen.includes("idle")); // while a turn runs, leaving asks
  await other.press("C-d");
  await left(other);
  await eventually(() => !alive(pid));
});

test("W27: a workspace whose owner is killed becomes the owner, and what was typed meanwhile is sent once", {
  skip,
}, async (t) => {
  const { made, terminal } = await setup(t, { model: {} });
  await made.owner();
  await open(terminal);
  await terminal.until((screen) => screen.includes("attached"));
  const { pid } = await ownerStatus(made);
  process.kill(pid, "SIGKILL");
  await terminal.type("typed meanwhile");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("this workspace is the owner now"));
  const screen = await terminal.until((text) => text.includes("You said: typed meanwhile") && text.includes("idle"));
  const sent = made.model.requests.filter(
    (request) => JSON.stringify(request).includes("typed meanwhile") && !JSON.stringify(request).includes("You said"),
  );
  assert.ok(sent.length >= 1);
  assert.equal(screen.split("You said: typed meanwhile").length - 1, 1);
  assert.notEqual((await ownerStatus(made)).pid, pid);
  await terminal.press("C-d");
  await left(terminal);
});

test("W28: a terminal that does not read holds neither the turn nor the owner, and is right again when it reads", {
  skip,
}, async (t) => {
  const model = {
    script: {
      replies: [{ text: `${"many words in a row\n\n".repeat(8_000)}the end`, chunk: 200, rest: "nobody reads" }],
    },
  };
  const { made, terminal } = await setup(t, { model, name: "any" });
  await open(terminal);
  await terminal.type("go");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("writing"));
  const go = await terminal.stall();
  try {
    // The answer is taken while no one reads the screen.
    made.model.release("nobody reads");
    await eventually(async () => (await ownerStatus(made)).open_turns === 0);
  } finally {
    go();
  }
  await terminal.until((screen) => screen.includes("the end") && screen.includes("idle"));
  await terminal.press("C-d");
  await left(terminal);
});

test("going on without a screen keeps the turn, says how to come back, and stops in order on Ctrl+C", {
  skip,
}, async (t) => {
  const model = { script: { replies: [{ hold: "asked", text: "here I am" }] } };
  const { made, terminal } = await setup(t, { model, name: "any" });
  await open(terminal);
  await terminal.type("good morning");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("thinking"));
  await terminal.press("C-d");
  await terminal.until((screen) => screen.includes("d detaches"));
  await terminal.press("d");
  const told = await terminal.until((screen) => screen.includes("Ctrl+C here stops it gracefully"));
  assert.match(told, /1 turn continues in process \d+\. `agent` in another terminal shows it/);
  assert.equal((await ownerStatus(made)).open_turns, 1);
  await terminal.press("C-c");
  await terminal.until((screen) => screen.trimEnd().endsWith("ready>"));
  assert.equal((await made.json<{ running: boolean }>("owner", "status")).running, false);
});

const environment = (made: World) => ({
  ...made.env,
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  NODE: process.execPath,
  AGENT: made.program,
});

async function setup(t: TestContext, options: WorldOptions): Promise<{ made: World; terminal: Terminal }> {
  const made = await world(t, options);
  return { made, terminal: await openTerminal(t, environment(made), made.work) };
}

async function open(terminal: Terminal, args = ""): Promise<void> {
  await terminal.type(
    `clear; NODE_OPTIONS="$([ -f planted.cjs ] && echo --require=./planted.cjs)" "$NODE" "$AGENT" ${args}`,
  );
  await terminal.press("Enter");
  await eventually(async () => (await terminal.value("alternate_on")) === "1");
  await terminal.until((screen) => screen.includes("idle") || screen.includes("thinking"));
}

const isLeft = async (terminal: Terminal) => (await terminal.value("alternate_on")) === "0";

/** Press until two presses have counted as two: they do within two seconds, which pass between them on a machine that is busy. */
async function twice(terminal: Terminal, press: () => Promise<void>): Promise<void> {
  const isAsked = async () => (await terminal.screen()).includes("again to quit");
  while (!(await isLeft(terminal))) {
    await press();
    await eventually(async () => (await isAsked()) || (await isLeft(terminal)));
    if (await isLeft(terminal)) return;
    await press();
    await eventually(async () => !(await isAsked()) || (await isLeft(terminal)));
  }
}

async function left(terminal: Terminal): Promise<void> {
  await eventually(() => isLeft(terminal));
  await terminal.until((screen) => screen.trimEnd().endsWith("ready>"));
}

/** Modes of the terminal as the shell's own commands find them. */
async function modes(terminal: Terminal, { work }: World): Promise<string> {
  const file = join(work, "modes");
  await terminal.type(`clear; stty -g > ${file}; echo told`);
  await terminal.press("Enter");
  await terminal.until((screen) => /^told$/m.test(screen));
  return readFileSync(file, "utf8");
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // the answer is what was asked
  }
}
