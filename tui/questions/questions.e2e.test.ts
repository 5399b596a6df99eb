import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";
import type { Reply } from "../../fixtures/servers/model/script.js";

const skip = noTmux() ?? false;
const T = (command: string): Reply => ({ tool_calls: [{ name: "terminal", arguments: { command } }] });

/** A workspace in a real terminal, over a model that answers so. */
async function setup(t: TestContext, replies: readonly Reply[]) {
  const made = await world(t, { model: { script: { replies } }, name: "any", config: "approvals:\n  caged: ask\n" });
  mkdirSync(join(made.work, ".git"), { recursive: true });
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Enter: send"));
  const say = async (text: string) => {
    await terminal.type(text);
    await terminal.press("Enter");
  };
  return { made, terminal, say };
}

/** A question takes no answer in its first second; its countdown, which stops once it has the keys, has gone on for two. */
function hasStood(screen: string): boolean {
  const left = /wants to run a command: terminal ─+ (\d+) s ─/.exec(screen)?.[1];
  return left !== undefined && Number(left) <= 298;
}

test("W10: an approval for the project, given by keys, stores exactly the rule that is shown, and is not asked for again", {
  skip,
}, async (t) => {
  const { made, terminal, say } = await setup(t, [
    T("rm -rf q"),
    { text: "first done" },
    T("rm -rf q"),
    { text: "second done" },
  ]);
  const q = join(made.work, "q");
  mkdirSync(q);
  await say("remove it");
  await terminal.until((screen) => hasStood(screen) && screen.includes("›[d]eny‹"));
  await terminal.press("M-a");
  await terminal.press("Left");
  await terminal.press("Left");
  const shown = await terminal.until((screen) => screen.includes("›[p]roject‹"));
  const rule = /^ {4}(\{command: .*\})$/m.exec(shown.replace(/ +$/gm, ""))?.[1];
  assert.ok(rule !== undefined, shown);
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("first done"));
  assert.equal(
    readFileSync(join(made.work, ".agent", "permissions.yaml"), "utf8"),
    `version: 1\nallow:\n  - ${rule}\n`,
  );
  mkdirSync(q);
  await say("once more");
  const after = await terminal.until((screen) => screen.includes("second done"));
  assert.doesNotMatch(after, /wants to run/);
  assert.ok(!existsSync(q));
});

/** Directories whose names no one can see as they are: an escape sequence, a line end, text from right to left. */
const HIDDEN = ["q\x1b[2Kx", "a\nb", "p\u202eq"];
const COMMAND = `rm -rf ${HIDDEN.map((name) => `'${name}'`).join(" ")}`;
const SHOWN = "rm -rf 'q⟪U+001B⟫[2Kx' 'a\\n\nb' 'p⟪U+202E⟫q'";

test("W11: a command with an escape sequence, a line end and text from right to left is shown in escapes, stored as shown, and run as it was meant", {
  skip,
}, async (t) => {
  const { made, terminal, say } = await setup(t, [T(COMMAND), { text: "first done" }]);
  for (const name of HIDDEN) mkdirSync(join(made.work, name));
  await say("remove them");
  const screen = await terminal.until((text) => hasStood(text) && text.includes("›[d]eny‹"));
  assert.doesNotMatch(screen, /\u202e|\x1b/);
  const rows = screen.split("\n").map((row) => row.replace(/^[│║┃]/, "").trim());
  const from = rows.findIndex((row) => row.startsWith("rm -rf 'q"));
  assert.equal(rows.slice(from, from + 2).join("\n"), SHOWN);
  const client = made.client();
  t.after(() => client.close());
  const [asked] = await client.call<readonly { data: { command: string } }[]>("question.list", {});
  assert.equal(asked?.data.command, SHOWN.replace("\\n\n", "\n"), "what is kept of the question is what is seen");
  await terminal.press("M-a");
  await terminal.press("o");
  await terminal.until((text) => text.includes("first done"));
  assert.deepEqual(
    HIDDEN.filter((name) => existsSync(join(made.work, name))),
    [],
    "what was approved is what ran",
  );
  const [{ id } = { id: "" }] = await client.call<readonly { id: string }[]>("session.list", {});
  const messages = await client.call<readonly { tool_calls?: readonly { arguments: string }[] }[]>("session.messages", {
    session_id: id,
  });
  const stored = messages.flatMap(({ tool_calls: calls = [] }) =>
    calls.map((one) => JSON.parse(one.arguments).command),
  );
  assert.deepEqual(stored, [COMMAND]);
});

test("W06: Ctrl+C while a tool floods is seen at once, the turn says what became of it, and the next message works", {
  skip,
}, async (t) => {
  const { terminal, say } = await setup(t, [T("yes interrupt me"), { text: "here again" }]);
  await say("flood");
  await terminal.until((screen) => /yes interrupt me\s+\d+ s/.test(screen));
  await terminal.press("C-c");
  await terminal.until((screen) => screen.includes("interrupting") || screen.includes("Interrupted after"));
  await terminal.until((screen) => screen.includes("Interrupted after"));
  await say("go on");
  await terminal.until((screen) => screen.includes("here again"));
});
