import assert from "node:assert/strict";
import { test } from "node:test";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";

const CODE = [
  "const a = `x`;",
  "export const Page = () => (",
  '  <p className="x">wait for it, or return</p>',
  ");",
  "// the end",
];

test("an answer's code gets the colours of its grammar in a real terminal", { skip: noTmux() ?? false }, async (t) => {
  const text = `Look:\n\n\`\`\`tsx\n${CODE.join("\n")}\n\`\`\`\n\nAll said.`;
  const made = await world(t, { model: { script: { replies: [{ text }] } }, name: "any" });
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("›"));
  await terminal.type("go");
  await terminal.press("Enter");
  const before = await terminal.until((screen) => screen.includes("All said."));
  // The first colours take `for` in the text of the page for a keyword; those of the grammar have the text in one piece.
  await terminal.untilStyled((screen) => screen.includes("wait for it, or return"));
  const rows = (screen: string) => screen.split("\n").filter((row) => CODE.some((line) => row.includes(line)));
  assert.deepEqual(rows(await terminal.screen()), rows(before));
});
