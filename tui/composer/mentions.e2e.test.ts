import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";
import { commit, git } from "../../fixtures/worlds/repository.js";

const skip = noTmux() ?? false;

test("what a mention names reaches the model and is one line on the screen, and one that cannot be told stays there with its reason", {
  skip,
}, async (t) => {
  const made = await world(t, {
    model: { script: { replies: [{ text: "I see it." }, { text: "I do not." }] } },
    name: "any",
  });
  git(made.work, "init", "-q");
  commit(made.work, "lexer.ts", "one\n");
  writeFileSync(join(made.work, "lexer.ts"), "two-of-it\n");
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Enter: send"));
  await terminal.type("mend @diff now");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("I see it.") && /\[@diff in .*: 1 file\]/.test(screen));
  const asked = () => made.model.chats().flatMap(({ body }) => body?.messages ?? []);
  const said = (begin: string) =>
    String(asked().find((one) => one.role === "user" && String(one.content).startsWith(begin))?.content);
  assert.match(said("mend"), /^mend @diff now\n\n\[@diff in [\s\S]*-one\n\+two-of-it\n```$/);
  await terminal.type("and @git:0 too");
  await terminal.press("Enter");
  await terminal.until(
    (screen) =>
      screen.includes("I do not.") &&
      screen.includes("and @git:0 too") &&
      screen.includes("not included in the message"),
  );
  assert.match(
    said("and"),
    /^and @git:0 too\n\n\[@git:0 is not included: it requires a number of commits from 1 to 20/,
  );
});
