import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";

const skip = noTmux() ?? false;

test("a long answer is scrolled, searched and followed in a real terminal", { skip }, async (t) => {
  const text = Array.from({ length: 80 }, (_, at) => `Paragraph ${at} has **words**.`).join("\n\n");
  const made = await world(t, {
    model: { script: { replies: [{ text }, { hold: "more", text: "And a *second* answer." }] } },
    name: "any",
  });
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("›"));
  await terminal.type("go");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Paragraph 79 has words."));
  await terminal.type("again");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("again") && screen.includes("following"));
  await terminal.press("PPage");
  // A look may meet a screen that is half drawn: what is read counts as soon as two looks agree.
  const rows = (screen: string): readonly string[] => screen.split("\n").slice(1, 20);
  let read: readonly string[] = [];
  await terminal.until((screen) => {
    const before = read;
    read = rows(screen);
    return !screen.includes("Paragraph 79") && isDeepStrictEqual(before, read);
  });
  made.model.release("more");
  await terminal.until((screen) => /↓ \d+ new lines/.test(screen) && isDeepStrictEqual(rows(screen), read));
  await terminal.press("F2");
  await terminal.type("/paragraph 7 ");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Paragraph 7 has words."));
  await terminal.until((screen) => /\/paragraph 7 +1 of/.test(screen));
  await terminal.press("Escape"); // a key right behind it would be Alt and that key
  await terminal.until((screen) => !screen.includes("/paragraph 7"));
  await terminal.press("End");
  await terminal.until((screen) => screen.includes("And a second answer."));
});
