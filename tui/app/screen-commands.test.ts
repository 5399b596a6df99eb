import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { openScreen } from "../../fixtures/tui/screen.js";
import type { ScreenChange } from "../../lib/contracts/chat/slash.js";
import type { Message } from "../model/messages.js";
import { DISPLAY, displayFrom } from "./display.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const asks = (screen: ScreenChange): Message => ({ type: "next", next: { screen } });
const settings = (values: Readonly<Record<string, unknown>>): Message => ({
  type: "display",
  display: displayFrom({ values, themes: [] }, { LANG: "C.UTF-8" }),
});

async function opened(t: TestContext) {
  const screen = await openScreen(100, 30);
  t.after(() => screen.close());
  await screen.send(
    { type: "session", id: "s", title: "t", model: "m", items: [] },
    { type: "display", display: DISPLAY },
  );
  return screen;
}

const call = (id: string, name: string, preview: string): readonly Message[] => [
  chat("tool.started", { call_id: id, name, preview }),
  chat("tool.ended", { call_id: id, status: "ok", duration_ms: 10 }),
  chat("message.added", {
    id: Number(id),
    role: "tool",
    tool_call_id: id,
    content: `gave ${id}`,
    session_id: "s",
    ordinal: Number(id),
  }),
];

for (const [indicator, signs] of [
  ["unicode", /[◐◓◑◒]/],
  ["ascii", /[|/\\-] /],
  ["none", /^ {3}\S/],
] as const)
  test(`the sign of running work is ${indicator} where it was asked for`, async (t) => {
    const screen = await opened(t);
    await screen.send(settings({ "display.indicator": indicator }), chat("turn.started", { turn_id: "x" }));
    const lines = await screen.send(chat("tool.started", { call_id: "1", name: "terminal", preview: "npm test" }));
    assert.match(lines.at(-1) ?? "", signs);
    assert.equal(/[◐◓◑◒]/.test(lines.join("")), indicator === "unicode");
  });

test("of settings that a command asks for each is kept", async (t) => {
  const screen = await opened(t);
  await screen.send(asks({ settings: { "display.indicator": "ascii" } }));
  assert.deepEqual(screen.effects.at(-1), { do: "keep", key: "display.indicator", value: "ascii" });
});

const progress: readonly (readonly [string, readonly RegExp[], readonly RegExp[]])[] = [
  ["all", [/one\.txt/, /two\.txt/, /make/], [/gave 3/]],
  ["new", [/one\.txt/, /make/], [/two\.txt/]],
  ["off", [], [/one\.txt/, /two\.txt/, /make/]],
  ["verbose", [/one\.txt/, /two\.txt/, /make/, /gave 3/], []],
];

for (const [setting, seen, unseen] of progress)
  test(`with display.tool_progress ${setting} the rows of tools are those that it means`, async (t) => {
    const screen = await opened(t);
    const calls = [
      ...call("1", "write_file", "one.txt"),
      ...call("2", "write_file", "two.txt"),
      ...call("3", "terminal", "make"),
    ];
    const shown = (await screen.send(settings({ "display.tool_progress": setting }), ...calls)).join("\n");
    for (const one of seen) assert.match(shown, one);
    for (const one of unseen) assert.doesNotMatch(shown, one);
  });

test("without streaming an answer is shown when it is there, and the status says that it is written", async (t) => {
  const screen = await opened(t);
  await screen.send(settings({ "display.streaming": false }), chat("turn.started", { turn_id: "x" }));
  const before = (await screen.send(chat("text.delta", { text: "half of it" }))).join("\n");
  assert.doesNotMatch(before, /half of it/);
  const after = (
    await screen.send(chat("message.added", { id: 9, role: "assistant", content: "half of it and the rest" }))
  ).join("\n");
  assert.match(after, /half of it and the rest/);
});

for (const name of ["board", "runs", "logs"] as const)
  test(`/${name} with words goes to that pane and shows what they let through`, async (t) => {
    const screen = await opened(t);
    await screen.send({ type: "text", text: "kept" }, asks({ pane: { name, filter: "parser" } }));
    const { focus, board, runs, logs, composer } = screen.state();
    assert.deepEqual([focus, composer.editor.text], [name, "kept"]);
    assert.equal({ board: board.filter, runs: runs.filter, logs: logs.view.filter.text }[name], "parser");
  });

test("/redraw draws everything again, and /detach leaves what runs", async (t) => {
  const screen = await opened(t);
  await screen.send(asks({ redraw: true }));
  assert.deepEqual(screen.effects.at(-1), { do: "redraw" });
  await screen.send(asks({ detach: true }));
  assert.deepEqual(screen.effects.at(-1), { do: "leave", how: "detach" });
  screen.become({ ...screen.state(), owner: false });
  await screen.send(asks({ detach: true }));
  assert.deepEqual(screen.effects.at(-1), { do: "leave", how: "stop" });
});
