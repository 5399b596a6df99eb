import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";

const skip = noTmux() ?? false;

test("W20 W21 keys of the user act, the palette finds a task, and leaving during a turn asks first", {
  skip,
}, async (t) => {
  const made = await world(t, { model: { script: { replies: [{ hold: "asked", text: "here I am" }] } }, name: "any" });
  writeFileSync(join(made.home.dir, "keys.yaml"), "help: [F9]\n");
  await made.json("kanban", "create", "Docs for the lexer", "--external");
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("F9 help"));
  await terminal.press("F9");
  await terminal.until((screen) => screen.includes("Keys · composer"));
  await terminal.type("/f9");
  await terminal.until((screen) => /\*.F9 +help/.test(screen));
  await terminal.press("C-c");
  await terminal.until((screen) => !screen.includes("Keys · composer"));
  await terminal.press("C-p");
  await terminal.type("#lexer");
  await terminal.until((screen) => /›task +Docs for the lexer/.test(screen));
  await terminal.press("Escape");
  await terminal.until((screen) => !screen.includes("Palette"));
  await terminal.type("good morning");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("good morning") && /thinking|writing/.test(screen));
  await terminal.press("C-d");
  await terminal.until((screen) => screen.includes("Work is in progress") && screen.includes("1 turn"));
  await terminal.press("Escape");
  await terminal.until((screen) => !screen.includes("Work is in progress")); // a key right behind Escape would be Alt and that key
  made.model.release("asked");
  await terminal.until((screen) => screen.includes("here I am") && screen.includes("idle")); // before that leaving asks again
  await terminal.press("C-d");
  await terminal.until((screen) => screen.includes("ready>"));
});
