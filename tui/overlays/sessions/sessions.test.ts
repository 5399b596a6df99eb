import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../../fixtures/tui/screen.js";
import type { SessionRow } from "../../../lib/contracts/chat/session-overview.js";
import type { Message } from "../../model/messages.js";

const row = (id: string, title: string, more: Partial<SessionRow> = {}): SessionRow => ({
  id,
  title,
  preview: "",
  cwd: "/work/parser",
  model: "acme/big",
  messages: 4,
  cost: 0.12,
  last_active_at: 1_000,
  archived: false,
  running: false,
  questions: 0,
  pinned: false,
  ...more,
});
const ROWS = [
  row("s_1", "fix the parser", { running: true }),
  row("s_2", "漢字 😀 notes", { questions: 1 }),
  row("s_3", "", { preview: "please write the docs", messages: 1 }),
];

const typed = (text: string): Message => ({ type: "text", text });
const answer = (to: string, result: unknown): Message => ({ type: "called", to, ok: true, result });

async function setup(t: TestContext, [columns, rows]: readonly [number, number] = [140, 40]) {
  const made = await openScreen(columns, rows);
  t.after(made.close);
  made.at(0, 61_000);
  await made.send({ type: "session", id: "s_1", title: "fix the parser", model: "m", items: [] });
  await made.send(key("o", { ctrl: true }), answer("sessions.rows", ROWS));
  const screen = async (...messages: Message[]) => (await made.send(...messages)).join("\n");
  const calls = () =>
    made.effects.flatMap((one) => (one.do === "call" && one.reads !== true ? [[one.method, one.params]] : []));
  return { ...made, screen, calls };
}

test("the session manager shows state, title, place, model, messages, cost and age", async (t) => {
  const { screen } = await setup(t);
  const shown = await screen();
  assert.match(shown, /›.● {1,2}fix the parser +.*big +4 +\$0\.12 +1m 00s/);
  assert.match(shown, /\? 漢字 😀 notes/);
  assert.match(shown, /✓ please write the docs/);
});

test("the last exchange of the session at hand stands at the right", async (t) => {
  const { screen, effects } = await setup(t);
  await screen(key("down"));
  assert.deepEqual(effects.at(-1), {
    do: "call",
    method: "session.messages",
    to: "sessions.preview:s_2",
    reads: true,
    params: { session_id: "s_2", limit: 6 },
  });
  const messages = [
    { role: "user", content: "which signs are wide?" },
    { role: "tool", content: "noise" },
    { role: "assistant", content: "those of East Asia" },
  ];
  const shown = await screen(answer("sessions.preview:s_2", messages));
  assert.match(shown, /which signs are wide\?[\s\S]*those of East Asia/);
  assert.doesNotMatch(shown, /noise/);
});

test("Enter opens the session at hand, n a new one", async (t) => {
  const { screen, effects, state } = await setup(t);
  await screen(typed("j"), key("enter"));
  assert.deepEqual([state().overlay, effects.at(-1)], [undefined, { do: "open", session: "s_2" }]);
  await screen(key("o", { ctrl: true }), typed("n"));
  assert.deepEqual(effects.at(-1), { do: "open", session: undefined });
});

test("a slash filters titles while typing, and Enter searches the contents with the words around a hit", async (t) => {
  const { screen, effects } = await setup(t);
  const filtered = await screen(typed("/"), typed("fxp"));
  assert.match(filtered, /fix the parser/);
  assert.doesNotMatch(filtered, /please write/);
  await screen(key("u", { ctrl: true }), typed("wide signs"), key("enter"));
  assert.ok(
    effects.some((one) => one.do === "call" && one.method === "session.search" && one.params["query"] === "wide signs"),
  );
  const shown = await screen(
    answer("sessions.found", [
      { session_id: "s_2", message_id: 1, role: "user", snippet: "the >>>wide<<< >>>signs<<<\u001b[2J" },
    ]),
    answer("sessions.holding", [{ ...ROWS[1], found: ["s_2"] }]),
  );
  assert.match(shown, /漢字 😀 notes[^\n]*\n[^\n]*the wide signs␛/);
  assert.doesNotMatch(shown, /fix the parser +.*big/);
});

test("what is found in an earlier segment, the archive or another directory is listed as the session that holds it", async (t) => {
  const { screen, effects } = await setup(t);
  await screen(typed("/"), typed("turn 33"), key("enter"));
  await screen(answer("sessions.found", [{ session_id: "s_before", snippet: "it is >>>turn 33<<< of many" }]));
  assert.deepEqual(effects.at(-1), {
    do: "call",
    method: "session.overview",
    to: "sessions.holding",
    reads: true,
    params: { archived: false, found: ["s_before"] },
  });
  const shown = await screen(
    answer("sessions.holding", [row("s_9", "a long day", { archived: true, found: ["s_before"] })]),
  );
  assert.match(shown, /a long day[^\n]*\n[^\n]*it is turn 33 of many/);
  assert.match(shown, /found in 1 session/);
});

test("a session is renamed in place", async (t) => {
  const { screen, calls } = await setup(t);
  assert.match(await screen(typed("r")), /title: fix the parser/);
  await screen(key("u", { ctrl: true }), typed("mend it"), key("enter"));
  assert.deepEqual(calls(), [["session.rename", { session_id: "s_1", title: "mend it" }]]);
});

test("deleting names the session and its messages, and only d deletes", async (t) => {
  const { screen, calls, effects } = await setup(t);
  assert.match(await screen(typed("x")), /Delete “fix the parser” with 4 messages for good\?/);
  await screen(typed("k"));
  await screen(typed("x"), key("enter"));
  await screen(typed("x"), { type: "paste", text: "d" });
  await screen(key("escape"));
  assert.deepEqual(calls(), []);
  await screen(typed("x"), typed("d"));
  assert.deepEqual(calls(), [["session.delete", { session_id: "s_1" }]]);
  assert.ok(
    effects.some((one) => one.do === "open" && one.session === undefined),
    "the open session was deleted: a new one is shown",
  );
});

test("marked sessions are archived together", async (t) => {
  const { screen, calls } = await setup(t);
  assert.match(await screen(typed(" "), typed(" ")), /2 marked/);
  await screen(typed("a"));
  assert.deepEqual(calls(), [
    ["session.archive", { session_id: "s_1" }],
    ["session.archive", { session_id: "s_2" }],
  ]);
});

test("a session is exported to a file whose ending says the form", async (t) => {
  const { screen, calls } = await setup(t);
  assert.match(await screen(typed("e")), /export to.*s_1\.md/);
  await screen(key("u", { ctrl: true }), typed("out.json"), key("enter"));
  assert.deepEqual(calls(), [["sessions.export", { id: "s_1", output: "out.json", format: "json", cwd: "" }]]);
});

test("pins, forks and other directories are asked of the owner, and the list is read again", async (t) => {
  const { screen, calls, effects } = await setup(t);
  await screen(typed("p"), typed("f"), typed("d"), typed("A"));
  assert.deepEqual(calls(), [
    ["session.pin", { session_id: "s_1", pinned: true }],
    ["session.fork", { session_id: "s_1" }],
  ]);
  assert.deepEqual(effects.at(-1), {
    do: "call",
    method: "session.overview",
    params: { archived: true },
    to: "sessions.rows",
    reads: true,
  });
});

test("Escape takes back what is asked, then the search, then closes, and nothing was done", async (t) => {
  const { screen, state, calls } = await setup(t);
  await screen(typed("/"), typed("fix"), key("escape"));
  assert.equal(state().overlay?.kind, "sessions");
  await screen(typed("r"), key("escape"), key("escape"));
  assert.deepEqual([state().overlay, calls()], [undefined, []]);
});

for (const size of [
  [40, 12],
  [80, 24],
  [200, 60],
] as const)
  test(`the session manager stands whole on a screen of ${size.join("x")}`, async (t) => {
    const { screen, lines } = await setup(t, size);
    const shown = await screen();
    assert.match(shown, /╔ Sessions/);
    assert.match(shown, /╝/);
    assert.ok(lines().some((line) => line.includes("fix the parser")));
  });

test("of all directories every row says its own, also beside a preview", async (t) => {
  const { screen } = await setup(t, [120, 40]);
  const all = await screen(typed("d"), answer("sessions.rows", ROWS));
  assert.match(all, /fix the parser +parser +4/);
});
