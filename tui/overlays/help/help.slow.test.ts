import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../../fixtures/tui/screen.js";
import { keyLabel } from "../../../lib/contracts/ui/screen-keys.js";
import { activeContexts } from "../../model/contexts.js";
import type { Message } from "../../model/messages.js";
import { PANES } from "../../model/panes.gen.js";

const typed = (text: string): Message => ({ type: "text", text });

async function setup(t: TestContext, [columns, rows]: readonly [number, number] = [120, 40]) {
  const made = await openScreen(columns, rows);
  t.after(made.close);
  return { ...made, screen: async (...messages: Message[]) => (await made.send(...messages)).join("\n") };
}

/** Everything that the overlay shows while it is paged through. */
async function whole({ screen, state }: Awaited<ReturnType<typeof setup>>): Promise<string> {
  const seen = new Set<string>();
  for (let page = 0; page < 40 && state().overlay !== undefined; page++)
    for (const line of (await screen(key("pagedown"))).split("\n")) seen.add(line);
  for (let page = 0; page < 40; page++) for (const line of (await screen(key("pageup"))).split("\n")) seen.add(line);
  return [...seen].join("\n");
}

for (const focus of ["composer", ...PANES] as const)
  test(`W21 help in ${focus} has every key that acts there`, async (t) => {
    const made = await setup(t);
    await made.screen({ type: "act", action: focus === "composer" ? "composer" : `pane.${focus}` }, key("f1"));
    const shown = await whole(made);
    const { state } = made;
    const missing = state()
      .keymap.filter(({ context, keys }) => activeContexts(state()).includes(context) && keys.length > 0)
      .filter(
        ({ keys, label }) =>
          !shown
            .split("\n")
            .some((line) => line.includes(keyLabel(keys[0] ?? "")) && line.includes(label.slice(0, 20))),
      );
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    );
  });

test("help begins with the keys of the focused pane", async (t) => {
  const { screen } = await setup(t);
  const shown = await screen(key("f3"), typed("?"));
  assert.match(shown, /Keys · board/);
  assert.match(shown, /Keys · board[^\n]*\n[^\n]*║board/);
});

test("over the composer the help begins with the few keys that are enough to work", async (t) => {
  const { screen } = await setup(t);
  const shown = await screen(key("f1"));
  assert.match(
    shown,
    /║most used[^\n]*\n[^\n]*›Enter +send[^\n]*\n[^\n]*Alt\+Enter[^\n]*new line[^\n]*\n[^\n]*Ctrl\+C +interrupt/,
  );
});

test("what keys.yaml took away stays in the hint line until the help has shown it, and an action without a key is found", async (t) => {
  const { screen } = await setup(t);
  const problems = ["Ctrl+L is now zoom; redraw (everywhere) has no key now", "zoo: there is no such action"];
  await screen({ type: "called", to: "keymap", ok: true, result: { given: { redraw: [] }, problems } });
  assert.match(await screen(key("x")), /keys\.yaml: 2 problems, F1 shows them/);
  const help = await screen(key("f1"));
  assert.match(help, /║ Ctrl\+L is now zoom; redraw \(everywhere\) has no key now/);
  assert.match(await screen(typed("/redraw")), /no key +redraw/);
  assert.doesNotMatch(await screen(key("escape"), key("escape")), /problems/);
});

test("a slash filters the keys by key or words, and Enter does what is marked", async (t) => {
  const { screen, state } = await setup(t);
  const shown = await screen(key("f1"), typed("/"), typed("zoom"));
  assert.match(shown, /F8, Alt\+Z/);
  assert.doesNotMatch(shown, /Ctrl\+L/);
  await screen(key("enter"), key("enter"));
  assert.deepEqual([state().zoom, state().overlay], [true, undefined]);
});

test("a key that acts elsewhere is told instead of done", async (t) => {
  const { screen, state } = await setup(t);
  await screen(key("f1"), typed("/"), typed("half a page down"), key("enter"), key("enter"));
  assert.match(state().message?.text ?? "", /that key works in list/);
});

test("Escape takes the filter back before it closes the help", async (t) => {
  const { screen, state } = await setup(t);
  await screen(key("f1"), typed("/"), typed("zoom"), key("escape"));
  assert.equal(state().overlay?.kind, "help");
  await screen(key("escape"));
  assert.equal(state().overlay, undefined);
});

test("W21 a key that keys.yaml has changed is shown as such", async (t) => {
  const { screen } = await setup(t);
  await screen({ type: "called", to: "keymap", ok: true, result: { given: { zoom: ["alt+m"] }, problems: [] } });
  assert.match(await screen(key("f1"), typed("/zoom")), /\* ?›?Alt\+M +zoom.*keys\.yaml/);
});

for (const size of [
  [40, 12],
  [80, 24],
  [200, 60],
] as const)
  test(`help stands whole on a screen of ${size.join("x")}`, async (t) => {
    const { screen } = await setup(t, size);
    const shown = await screen(key("f1"));
    assert.match(shown, /Keys · composer/);
    assert.match(shown, /[╝┘┛]/);
  });

test("F1 above a dialog tells its keys, and gives it back as it was, with what came for it meanwhile", async (t) => {
  const { screen, state } = await setup(t);
  await screen(key("o", { ctrl: true }));
  const help = await screen(key("f1"));
  assert.match(help, /Keys · sessions[^\n]*\n[^\n]*║sessions/);
  assert.match(help, / r +rename/);
  await screen({ type: "called", to: "sessions.rows", ok: true, result: [] });
  assert.equal(state().overlay?.kind, "help");
  const back = await screen(key("escape"));
  assert.match(back, /there are no sessions of this directory/);
  await screen(key("f1"), key("c", { ctrl: true }));
  assert.equal(state().overlay?.kind, "sessions");
});

test("what the help names is done in the dialog that it stands above", async (t) => {
  const { screen, state } = await setup(t);
  await screen(key("o", { ctrl: true }), key("f1"), typed("/archived"), key("enter"), key("enter"));
  const { overlay } = state();
  assert.ok(overlay?.kind === "sessions" && overlay.archived);
});
