import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";
import { moved } from "./move.js";
import LOGS_PANE from "./pane.js";
import { toRow } from "./row.js";
import { logRows } from "./view.js";

const line = (n: number, level = "INFO", more = "") =>
  `2026-11-20 21:00:${String(n % 60).padStart(2, "0")},${String(n % 1000).padStart(3, "0")} ${level} agent: line ${n}${more}`;
const many = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => line(from + n));
const begin = (lines: readonly string[], before: string | null = null): Message => ({
  type: "log.begin",
  name: "logs",
  lines,
  before,
  exists: true,
});
const lines = (told: readonly string[], missing = 0): Message => ({
  type: "log.lines",
  name: "logs",
  lines: told,
  missing,
});
const typed = (text: string): Message => ({ type: "text", text });

async function logs(columns = 80, rows = 24, first: readonly string[] = many(0, 100), before: string | null = null) {
  const screen = await openScreen(columns, rows);
  await screen.send(key("f5"), begin(first, before));
  return screen;
}

const body = (shown: readonly string[]) =>
  shown.filter((row) => /line \d+/.test(row)).map((row) => Number(/line (\d+)/.exec(row)?.[1]));

test("W19: level, text and session are asked of the owner, and the title says what is let through", async () => {
  const screen = await logs();
  const title = () => `${screen.lines()[0]}`;
  await screen.send(key("2"));
  const asked = () => screen.effects.filter((effect) => effect.do === "log.follow").at(-1);
  assert.deepEqual(asked(), { do: "log.follow", name: "logs", filter: { source: "owner", level: "warning" } });
  assert.match((await screen.send(begin([]))).join("\n"), /No lines at level warn\. 3 shows info\./);
  await screen.send(typed("f"), typed("zebra"), key("enter"));
  assert.deepEqual(asked(), {
    do: "log.follow",
    name: "logs",
    filter: { source: "owner", level: "warning", text: "zebra" },
  });
  await screen.send({ type: "session", id: "s1", title: "mine", model: "", items: [] }, typed("S"));
  assert.deepEqual(asked()?.filter, { source: "owner", level: "warning", text: "zebra", session: "s1" });
  await screen.send(key("escape"));
  assert.deepEqual(asked()?.filter, { source: "owner", level: "warning", session: "s1" });
  assert.ok(title());
});

test("W19: what is read stays where it is while lines come; the marker counts them and End follows again", async () => {
  const screen = await logs();
  assert.equal(body(screen.lines()).at(-1), 99);
  const seen = body(await screen.send(key("pageup"), key("up")));
  const after = await screen.send(lines(many(100, 134)));
  assert.deepEqual(body(after), seen);
  assert.match(after.join("\n"), /↓ 34 new lines/);
  assert.equal(body(await screen.send(typed("G"))).at(-1), 133);
  assert.equal(body(await screen.send(lines(many(134, 140)))).at(-1), 139);
});

test("near the beginning older lines are asked for once, and stand above what is read", async () => {
  const screen = await logs(80, 24, many(100, 160), "5:abc");
  const seen = body(await screen.send(typed("g")));
  assert.equal(seen[0], 100);
  const asked = screen.effects.filter((effect) => effect.do === "log.more");
  assert.deepEqual(asked, [
    { do: "log.more", name: "logs", filter: { source: "owner", level: "info" }, before: "5:abc" },
  ]);
  const older: Message = { type: "log.older", name: "logs", lines: many(0, 100), before: null };
  assert.deepEqual(body(await screen.send(older)), seen);
  assert.equal(body(await screen.send(key("up")))[0], 99);
  await screen.send(typed("g"));
  assert.equal(screen.effects.filter((effect) => effect.do === "log.more").length, 1, "nothing is older");
});

test("the search marks and counts its hits, over new lines too; Escape clears it", async () => {
  const screen = await logs();
  const found = await screen.send(typed("/"), typed("line 9"));
  assert.match(found.join("\n"), /\/line 9▏ 11 of 11/);
  await screen.send(key("enter"), lines([line(900)]));
  assert.match((await screen.send(typed("N"))).join("\n"), /\/line 9 +10 of 12/);
  assert.match((await screen.send(typed("n"))).join("\n"), /11 of 12/);
  assert.doesNotMatch((await screen.send(key("escape"))).join("\n"), /of 12/);
});

test("a record opens as its fields, and is copied as it was written", async () => {
  const text = line(1, "WARNING", " status=429 retry=1 why=too many requests");
  const screen = await logs(80, 24, [text]);
  const shown = (await screen.send(key("enter"))).join("\n");
  assert.match(shown, /level +warning/);
  assert.match(shown, /component +agent/);
  assert.match(shown, /message +line 1\n/);
  assert.match(shown, /status +429/);
  assert.match(shown, /why +too many requests/);
  await screen.send(typed("y"));
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text, what: "1 line" });
  assert.doesNotMatch((await screen.send(key("escape"))).join("\n"), /component +agent/);
});

test("a flood shows the newest lines and how many are not shown", async () => {
  const screen = await logs();
  assert.match(
    (await screen.send(lines(many(1000, 1002), 812))).join("\n"),
    /… 812 lines not shown *\n.*line 1000 *\n.*line 1001/,
  );
});

test("control sequences in lines never reach the terminal", async () => {
  const screen = await logs(80, 24, ["\x1b]0;owned\x07 2J \x1b[2J end", line(1, "ERROR", " \x9b31m x")]);
  const shown = screen.lines().join("\n");
  assert.match(shown, /␛ 2J ␛ end/);
  assert.match(shown, /error agent/);
});

test("long lines are cut, or wrapped on demand; time stamps can be left out", async () => {
  const screen = await logs(40, 16, [line(1, "INFO", ` ${"word ".repeat(30)}last`)]);
  assert.doesNotMatch(screen.lines().join("\n"), /last/);
  assert.match((await screen.send(typed("w"))).join("\n"), /last/);
  const times = await screen.send(typed("w"), typed("T"));
  assert.doesNotMatch(times.join("\n"), /21:00|\d\d:\d\d:\d\d/);
});

test("5,000 lines are kept while the end is followed, and what was let go can be read again", async () => {
  const screen = await logs(80, 24, many(0, 4_900), "9:x");
  await screen.send(lines(many(4_900, 5_000)), lines(many(5_000, 5_600)));
  const { view } = screen.state().logs;
  assert.equal(view.rows.length, 5_000);
  assert.equal(Buffer.from(view.before?.slice(4) ?? "", "base64").toString(), line(600));
});

test("100,000 lines scroll without delay: a step looks at those alone that it shows", async () => {
  const screen = await logs();
  let looked = 0;
  const all = Array.from({ length: 100_000 }, () => toRow(line(1), "owner"));
  const rows = new Proxy(all, {
    get: (target, name, self) => {
      looked += typeof name === "string" && /^\d+$/.test(name) ? 1 : 0;
      return Reflect.get(target, name, self);
    },
  });
  const { state } = screen;
  let now: State = { ...state(), logs: { ...state().logs, view: { ...state().logs.view, rows, from: 0 } } };
  for (const step of ["up", "pageUp", "first", "pageDown", "halfDown", "pageUp", "down"] as const) {
    now = moved(now, "logs", step);
    logRows(now, "logs", 80, 20);
    assert.ok(looked < 200, `${step} looked at ${looked} lines`);
    looked = 0;
  }
  assert.equal(rows.length, 100_000);
});

test("a lost connection is a line of the log, and the log goes on where it was left", async () => {
  const screen = await logs();
  const lost = await screen.send({ type: "connection", state: "lost" });
  assert.match(lost.join("\n"), /connection lost \d\d:\d\d:\d\d/);
  const back = await screen.send({ type: "connection", state: "connected" }, begin(many(90, 103)));
  assert.deepEqual(body(back).slice(-4), [99, 100, 101, 102]);
});

test("a source that no one has written says so; another one can be chosen", async () => {
  const screen = await logs();
  await screen.send(typed("s"));
  const shown = await screen.send(typed("gate"), key("enter"));
  assert.match(shown.join("\n"), /…/);
  const none: Message = { type: "log.begin", name: "logs", lines: [], before: null, exists: false };
  assert.match((await screen.send(none)).join("\n"), /Nothing yet: gateway has written no log\./);
});

const SIZES: readonly (readonly [number, number])[] = [
  [200, 60],
  [160, 30],
  [80, 24],
  [40, 12],
  [30, 8],
  [1, 1],
];
for (const [columns, rows] of SIZES) {
  test(`logs are drawn at ${columns}x${rows}, also while they are searched and scrolled`, async () => {
    const screen = await logs(columns, rows, [...many(0, 50), "漢字 😀 ".repeat(30)]);
    await screen.send(key("up"), typed("/"), typed("1"), key("enter"), typed("w"), key("pageup"), key("enter"));
    const state: State = screen.state();
    assert.ok(state.logs.view.rows.length === 51);
  });
}

test("what was said to the user stays readable in the owner's log; hints about keys do not", async () => {
  const screen = await logs();
  const said = await screen.send({ type: "say", text: "copied 12 lines", error: false });
  assert.match(said.slice(0, 20).join("\n"), /notice {2}copied 12 lines/);
  await screen.send(key("f3"), key("f5"), typed("Q"));
  assert.doesNotMatch(screen.lines().slice(0, 20).join("\n"), /i or Esc/);
});

test("what was said stays when the level or the text is changed, at its place between the lines", async () => {
  const screen = await logs();
  await screen.send({ type: "say", text: "copied 12 lines", error: false });
  const shown = async () => (await screen.send(begin(many(0, 5)))).slice(0, 20).join("\n");
  await screen.send(key("4"));
  assert.match(await shown(), /notice {2}copied 12 lines/);
  await screen.send(key("3"), typed("f"), typed("copied"), key("enter"));
  assert.match(await shown(), /notice {2}copied 12 lines/);
  await screen.send(key("escape"), typed("f"), typed("zebra"), key("enter"));
  assert.doesNotMatch(await shown(), /copied/);
});

test("the mouse puts the cursor on a line, which is then read", async () => {
  const screen = await logs();
  const [next] = LOGS_PANE.click?.(screen.state(), { x: 3, y: 0, width: 80, height: 19, times: 1 }) ?? assert.fail();
  const top = body(screen.lines())[0];
  assert.deepEqual([next.logs.view.cursor, next.logs.view.follow], [top, false]);
});

test("W19: a filter that lets little through is looked for in older lines by itself, until there are some or none are left", async () => {
  const screen = await logs(80, 24, [], "9:x");
  const asked = () =>
    screen.effects
      .filter((effect) => effect.do === "log.more")
      .map((effect) => effect.do === "log.more" && effect.before);
  assert.deepEqual(asked(), ["9:x"]);
  assert.doesNotMatch(screen.lines().join("\n"), /No lines/);
  await screen.send({ type: "log.older", name: "logs", lines: [], before: "5:x" });
  const found = await screen.send({ type: "log.older", name: "logs", lines: [line(3, "ERROR")], before: "2:x" });
  assert.match(found.join("\n"), /error agent +line 3/);
  await screen.send({ type: "log.older", name: "logs", lines: many(0, 300), before: "1:x" });
  assert.deepEqual(asked(), ["9:x", "5:x", "2:x"]);
});
