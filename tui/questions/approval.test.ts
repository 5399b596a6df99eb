import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, openQuestionScreen as setup, text } from "../../fixtures/tui/question-screen.js";
import { key } from "../../fixtures/tui/screen.js";

const ALT_A = key("a", { alt: true });

test("over an approval the line at the cursor says what Enter does, before and after Enter can answer", async (t) => {
  const { at, answers } = await setup(t);
  assert.match(await at(1_000, ask()), /─ a question is open · Alt\+A: answer it /);
  assert.match(await at(3_000, { type: "tick", now: 3_000, wall: 1_003_000 }), /─ Enter: deny /);
  assert.match(await at(3_100, text("draft")), /─ Enter: queue /);
  assert.match(await at(3_200, ALT_A), /─ Enter: deny /);
  assert.match(await at(3_300, text("t")), /─ Enter: deny with this reason /);
  await at(3_400, key("escape"), key("right"));
  await at(4_500, key("enter"));
  assert.equal(answers().length, 1);
});

const MANY = Array.from({ length: 30 }, (_, n) => ({
  argv: `rm -rf part-${n}`,
  class: "rm-recursive",
  why: "removes recursively",
}));
for (const [columns, rows] of [
  [200, 60],
  [120, 24],
  [40, 12],
] as const)
  test(`thirty parts of a command at ${columns}x${rows}: what is left out is counted`, async (t) => {
    const { at } = await setup(t, columns, rows);
    const shown = await at(1_000, ask({ command: MANY.map(({ argv }) => argv).join("\n"), segments: MANY }));
    const [, left, what] = /… (\d+) more (parts|lines) · v/.exec(shown) ?? [];
    const listed = [...shown.matchAll(/rm -rf part-\d+ +rm-recursive/g)].length;
    assert.ok(left !== undefined, shown);
    if (what === "parts") assert.equal(Number(left) + listed, 30);
  });

test("the text of an approval scrolls by what is visible, every row is seen, and both ends hold", async (t) => {
  const { at, state } = await setup(t, 40, 12);
  const lines = Array.from({ length: 12 }, (_, n) => `echo line-${n}.`);
  const seen = new Set<string>();
  const read = (shown: string) => {
    for (const [line] of shown.matchAll(/line-\d+\./g)) seen.add(line);
  };
  read(await at(1_000, ask({ command: lines.join("\n") })));
  read(await at(3_000, ALT_A));
  for (let page = 0; page < 20; page++) read(await at(3_100 + page, key("pagedown")));
  assert.equal(seen.size, 12);
  const { top } = state().questions.asking;
  await at(4_000, key("up"));
  assert.equal(state().questions.asking.top, top - 1);
});

test("/quit is no message: a question that has just come does not hold it back", async (t) => {
  const { at, effects } = await setup(t);
  await at(1_000, ask());
  await at(1_100, text("/quit"), key("enter"));
  assert.ok(effects.some((one) => one.do === "leave" || (one.do === "call" && one.method === "owner.under_way")));
});

test("what always means on the desktop is said: this window, until the end of this conversation", async (t) => {
  const { at } = await setup(t);
  const rules = { session: ["desktop:click@xterm#7"], always: ["desktop:*@xterm#7"] };
  const options = ["once", "session", "always", "deny"];
  const command = 'click at (3, 4) in xterm "~"';
  const shown = await at(
    1_000,
    ask({ kind: "desktop", tool: "computer_use", command, options, rules, segments: [], wider: {} }),
  );
  assert.match(shown, /wants to use the desktop: computer_use/);
  assert.match(shown, /\[a\]ll actions/);
  await at(3_000, ALT_A);
  await at(3_100, key("right"), key("right"));
  const marked = await at(3_200, key("right"));
  assert.doesNotMatch(marked, /permissions\.yaml/);
});
