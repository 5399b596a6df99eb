import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { world } from "../../fixtures/e2e/world.js";

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

test("W31: lines into line mode give plain lines, no escape among them, and the exit code of the last turn", async (t) => {
  const made = await world(t, { model: {} });
  const ran = await made.run(["--inline"], { input: "good morning\n/kanban create later --external\ngood night\n" });
  assert.equal(ran.code, 0, ran.err);
  assert.doesNotMatch(ran.out, CONTROL);
  const order = [
    "good morning",
    "You said: good morning",
    "/kanban create later",
    "Created t_",
    "good night",
    "You said: good night",
    "Resume with:",
  ];
  const places = order.map((text) => ran.out.indexOf(text));
  assert.deepEqual(
    places.toSorted((a, b) => a - b),
    places,
    ran.out,
  );
});

const DENIED = { tool_calls: [{ name: "terminal", arguments: { command: "rm -rf q" } }] };
const ENDS = [
  ["was denied a call", [DENIED, { text: "could not" }], 3],
  ["failed", [{ status: 400, body: { error: { message: "no" } } }], 1],
] as const;

for (const [what, replies, code] of ENDS) {
  test(`a pipe whose last turn ${what} exits with ${code}`, async (t) => {
    const made = await world(t, {
      model: { script: { replies: [...replies] } },
      name: "any",
      config: "approvals:\n  caged: ask\n",
    });
    assert.equal((await made.run(["--inline"], { input: "go\n" })).code, code);
  });
}

test("line mode keeps the terminal's scrollback, asks in the live area, and leaves a clean line", {
  skip: noTmux() ?? false,
}, async (t) => {
  const { terminal } = await setup(t);
  await terminal.type('echo before; "$NODE" "$AGENT" --inline');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("Enter: send"));
  await terminal.type("go");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("touch made-here"));
  assert.equal(await terminal.value("alternate_on"), "0");
  await terminal.until((screen) => screen.includes("all done") && screen.includes("idle")); // while a turn runs, leaving asks
  await terminal.press("C-d");
  await terminal.until((screen) => screen.includes("Resume with:"));
  await terminal.until(
    (screen) => /^before$/m.test(screen) && screen.includes("ready>") && !screen.includes("Enter: send"),
  );
});

async function setup(t: TestContext) {
  const replies = [
    { tool_calls: [{ name: "terminal", arguments: { command: "touch made-here" } }] },
    { text: "all done" },
  ];
  const made = await world(t, { model: { script: { replies } }, name: "any" });
  const env = { ...made.env, TERM: "xterm-256color", NODE: process.execPath, AGENT: made.program };
  return { terminal: await openTerminal(t, env, made.work) };
}
