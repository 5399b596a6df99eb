import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { start } from "../../fixtures/e2e/process.js";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";
import { plainPng } from "../../fixtures/sim/made-pictures.js";

const skip = noTmux() ?? false;

/** A workspace in a real tmux before a terminal that says that it is kitty, with a picture in its conversation; gives what the terminal was sent. */
async function shown(t: TestContext, passthrough: "on" | "off") {
  const replies = [{ tool_calls: [{ name: "read_file", arguments: { path: "cat.png" } }] }, { text: "a red cat" }];
  const made = await world(t, { model: { script: { replies } }, name: "any" });
  writeFileSync(join(made.work, "cat.png"), await plainPng({ width: 400, height: 200 }, "#cc3300"));
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.tmux("set-option", "-g", "allow-passthrough", passthrough);
  const log = join(made.work, "sent.bin");
  const words = [resolve("fixtures/programs/kitty-client.py"), log, "tmux", "-L", terminal.server, "attach"];
  const client = start("python3", words, { env, cwd: made.work });
  t.after(() => client.end("SIGKILL"));
  await eventually(async () => (await terminal.tmux("list-clients", "-F", "#{client_termtype}")).includes("kitty"));
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Enter: send"));
  await terminal.type("what is it?");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("a red cat"));
  return { terminal, sent: () => (existsSync(log) ? readFileSync(log, "utf8") : "") };
}

test("tmux with allow-passthrough before kitty: the picture reaches the terminal, and its cells are kept by tmux", {
  skip,
}, async (t) => {
  const { sent, terminal } = await shown(t, "on");
  await eventually(() => /\x1b_Ga=T,U=1,f=100,i=\d+,c=\d+,r=\d+,q=2,m=\d;iVBORw0KGgo/.test(sent()));
  await eventually(() => sent().includes("\u{10eeee}\u0305"));
  await eventually(async () => (await terminal.screen()).includes("\u{10eeee}"));
});

test("tmux without it: a line has path and size, and no byte of the picture reaches the terminal", {
  skip,
}, async (t) => {
  const { sent, terminal } = await shown(t, "off");
  await terminal.press("C-l");
  await terminal.type("¤"); // shown behind everything that was drawn before, in tmux and by the terminal
  const screen = await terminal.until((text) => text.includes("› ¤") && text.includes("a red cat"));
  assert.match(screen, /cat\.png/);
  await eventually(() => sent().includes("¤"));
  assert.doesNotMatch(sent(), /\x1b_G|iVBORw0KGgo|\u{10eeee}/u);
});
