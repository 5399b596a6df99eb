import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";

const skip = noTmux() ?? false;

test("W23: a paste of 1 MB arrives whole in the user's own editor, and nothing is sent", { skip }, async (t) => {
  const made = await world(t, { model: {} });
  const editor = join(made.work, "editor");
  const written = join(made.work, "written.md");
  writeFileSync(editor, `#!/bin/sh\ncp "$1" "${written}"\nprintf 'a shorter one' > "$1"\n`, { mode: 0o755 });
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program, VISUAL: editor };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Enter: send"));
  const line = "漢字 and forty letters that are pasted here\n";
  const text = line.repeat(Math.ceil(1_000_000 / Buffer.byteLength(line)));
  await terminal.type("look: ");
  await terminal.paste(text);
  await terminal.until((screen) => screen.includes(`[Pasted text 1: ${text.split("\n").length - 1} lines]`));
  await terminal.press("C-g");
  await terminal.until((screen) => screen.includes("› a shorter one"));
  assert.equal(readFileSync(written, "utf8"), `look: ${text}`);
  assert.equal(made.model.requests.length, 0);
});
