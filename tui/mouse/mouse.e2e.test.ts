import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { noTmux, openTerminal, type Terminal } from "../../fixtures/e2e/tmux.js";
import { type World, world } from "../../fixtures/e2e/world.js";
import type { Reply } from "../../fixtures/servers/model/script.js";

const skip = noTmux() ?? false;

async function open(t: TestContext, replies: readonly Reply[]): Promise<{ made: World; terminal: Terminal }> {
  const made = await world(t, { model: { script: { replies } }, name: "any" });
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await say(terminal, 'clear; "$NODE" "$AGENT"');
  await terminal.until((screen) => screen.includes("idle"));
  return { made, terminal };
}

async function say(terminal: Terminal, text: string): Promise<void> {
  await terminal.type(text);
  await terminal.press("Enter");
}

const takesMouse = async (terminal: Terminal) =>
  (await terminal.value("mouse_any_flag")) === "1" || (await terminal.value("mouse_button_flag")) === "1";

/** One turn of the wheel upwards, above the transcript. */
const WHEEL_UP = "\x1b[<64;20;10M";

test("W25: mouse events go to the terminal until the user gives it to the screen, and again when he takes it back", {
  skip,
}, async (t) => {
  const text = Array.from({ length: 80 }, (_, at) => `Paragraph ${at}.`).join("\n\n");
  const { terminal } = await open(t, [{ text }]);
  await say(terminal, "go");
  await terminal.until((screen) => screen.includes("Paragraph 79."));
  assert.equal(await takesMouse(terminal), false);
  await say(terminal, "/mouse on");
  await eventually(() => takesMouse(terminal));
  for (let turn = 0; turn < 12; turn++) await terminal.send(WHEEL_UP);
  await terminal.until((screen) => !screen.includes("Paragraph 79."));
  await say(terminal, "/mouse off");
  await eventually(async () => !(await takesMouse(terminal)));
});

test("W26: what is copied is on the clipboard of the terminal as the model wrote it", { skip }, async (t) => {
  const { terminal } = await open(t, [{ text: "Some **bold** words: 漢字, `code`.\n\n- one\n- two" }]);
  await say(terminal, "go");
  await terminal.until((screen) => screen.includes("two") && screen.includes("idle"));
  await say(terminal, "/copy");
  await eventually(async () => (await terminal.clipboard()).includes("- two"));
  assert.equal((await terminal.clipboard()).trimEnd(), "Some **bold** words: 漢字, `code`.\n\n- one\n- two");
});

test("W06: Ctrl+C while a retry waits ends the turn at once, and the next message works", { skip }, async (t) => {
  const busy: Reply = {
    status: 503,
    headers: { "retry-after": "60" },
    body: { error: { message: "overloaded", type: "server_error" } },
  };
  const { terminal } = await open(t, [busy, { text: "I am back." }]);
  await say(terminal, "first");
  await terminal.until((screen) => /retry|overloaded/i.test(screen));
  await terminal.press("C-c");
  await terminal.until((screen) => /interrupted/i.test(screen));
  await say(terminal, "second");
  await terminal.until((screen) => screen.includes("I am back."));
});
