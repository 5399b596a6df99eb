import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";
import RUNS_PANE from "./pane.js";
import { toRunRow } from "./row.js";

const NOW = Date.parse("2026-11-20T21:00:00Z");
const typed = (text: string): Message => ({ type: "text", text });

interface Given {
  readonly id?: string;
  readonly kind?: string;
  readonly title?: string;
  readonly waits?: boolean;
  readonly ago?: number;
  readonly ended?: number;
  readonly state?: string;
  readonly activity?: string;
  readonly task?: string;
  readonly session?: string;
  readonly process?: string;
}

function row({
  id = "task:default/1",
  kind = "task",
  title = "Parser tests",
  waits = false,
  ago = 60,
  ended,
  ...more
}: Given = {}) {
  const task = kind === "task" ? { board: "default", id: more.task ?? "t_1b200001", run: 1 } : null;
  const made = toRunRow({
    id,
    kind,
    title,
    waits,
    task,
    profile: "dev",
    tokens: 12_300,
    activity: more.activity ?? "patch src/lex.ts",
    state: more.state ?? "running",
    session: more.session ?? "s1",
    process: more.process ?? null,
    started_at: NOW - ago * 1_000,
    ended_at: ended === undefined ? null : NOW - ended * 1_000,
  });
  return made ?? assert.fail();
}

const read = (...rows: readonly ReturnType<typeof row>[]): Message => ({ type: "runs.read", rows });

async function runs(columns = 100, rows = 24, ...given: readonly ReturnType<typeof row>[]) {
  const screen = await openScreen(columns, rows);
  screen.at(1_000_000, NOW);
  await screen.send(key("f4"), read(...given));
  return screen;
}

const MIXED = [
  row({ id: "turn:s9", kind: "turn", title: "other talk", ago: 9 }),
  row({
    id: "task:default/2",
    task: "t_77a00002",
    title: "Changelog",
    ago: 500,
    ended: 370,
    state: "completed",
    activity: "exit 0",
  }),
  row({
    id: "task:default/3",
    task: "t_0c310003",
    title: "Broken",
    ago: 900,
    ended: 800,
    state: "crashed",
    activity: "exit 1",
  }),
  row({ ago: 242 }),
  row({ id: "child:s3", kind: "child", title: "read lex.ts", waits: true, ago: 18 }),
];

test("who waits for an answer stands first, then who works, then who has ended; rows say what it is, how long, how much and what last", async () => {
  const screen = await runs(100, 24, ...MIXED);
  const shown = screen.lines().slice(1, 6);
  assert.match(shown[0] ?? "", /^! +child +dev +read lex\.ts +18 s +12\.3k tok +patch src\/lex\.ts/);
  assert.match(shown[1] ?? "", /^● +turn .*other talk +9 s/);
  assert.match(shown[2] ?? "", /^● +t_1b200001 dev +Parser tests +4m 02s/);
  assert.match(shown[3] ?? "", /^✓ +t_77a00002 .*Changelog +2m 10s .*exit 0/);
  assert.match(shown[4] ?? "", /^✗ +t_0c310003 .*Broken +1m 40s .*crashed, exit 1/);
});

test("one change changes one row, and the cursor stays on its run", async () => {
  const screen = await runs(100, 24, ...MIXED);
  await screen.send(key("down"), key("down"));
  const before = screen.lines();
  const now = await screen.send({ type: "run.changed", row: row({ ago: 242, activity: "terminal npm test" }) });
  assert.deepEqual(
    now.flatMap((line, at) => (line === before[at] ? [] : [at])),
    [3],
  );
  await screen.send({
    type: "run.changed",
    row: row({ id: "process:s1/p1", kind: "process", title: "npm run dev", ago: 1, process: "p1" }),
  });
  assert.equal(screen.state().runs.cursor, "task:default/1");
  await screen.send({ type: "run.gone", id: "task:default/1" });
  assert.equal(screen.state().runs.cursor, "task:default/2");
});

test("v shows the active ones alone; nothing to show is said", async () => {
  const screen = await runs(100, 24, ...MIXED);
  const live = (await screen.send(typed("v"))).join("\n");
  assert.doesNotMatch(live, /Changelog|Broken/);
  assert.match(
    (await screen.send(read(row({ ended: 5, state: "completed" })))).join("\n"),
    /Nothing is running\. Ended runs: v/,
  );
  assert.match((await screen.send(typed("v"))).join("\n"), /Parser tests/);
});

test("the turn that the chat shows is no run of this pane", async () => {
  const screen = await runs(
    100,
    24,
    row({ id: "turn:s1", kind: "turn", title: "mine" }),
    row({ id: "turn:s2", kind: "turn", title: "theirs", session: "s2" }),
  );
  await screen.send({ type: "session", id: "s1", title: "mine", model: "", items: [] });
  const shown = screen.lines().join("\n");
  assert.doesNotMatch(shown.split("\n").slice(1, 4).join(), /mine/);
  assert.match(shown, /theirs/);
});

test("W18: an opened worker shows its conversation, its output and what is known of it; both go on", async () => {
  const screen = await runs(100, 30, row());
  await screen.send(key("enter"));
  assert.deepEqual(screen.effects.at(-1), { do: "run.follow", id: "task:default/1", session: "s1" });
  const chat = (message: Extract<Message, { type: "chat" | "session" }>): Message => ({
    type: "run.chat",
    id: "task:default/1",
    message,
  });
  await screen.send(chat({ type: "session", id: "s1", title: "", model: "", items: [] }));
  await screen.send(
    chat({ type: "chat", event: "message.added", data: { id: 1, role: "user", content: "work kanban task t_1" } }),
  );
  const spoken = await screen.send(
    chat({
      type: "chat",
      event: "message.added",
      data: { id: 2, role: "assistant", content: "I look at the **loop** first." },
    }),
  );
  assert.match(spoken.join("\n"), /work kanban task t_1/);
  assert.match(spoken.join("\n"), /^ ?task *$/m);
  assert.doesNotMatch(spoken.join("\n"), /^ ?you *$/m, "the person at the screen has not said it");
  assert.match(spoken[0] ?? "", /t_1b200001 Parser tests \[worker\]/, "the row of the tabs names the run");
  assert.match(spoken.join("\n"), /I look at the loop first\./);
  assert.equal(screen.state().chat.items.length, 0, "the chat itself is another conversation");

  await screen.send(typed("l"));
  const filter = { source: "run", run: { board: "default", task: "t_1b200001", id: 1 } } as const;
  assert.deepEqual(screen.effects.at(-1), { do: "log.follow", name: "run", filter });
  const begin: Message = {
    type: "log.begin",
    name: "run",
    lines: ["=== run 1 ===", "\x1b[32mok\x1b[0m 1\x1b[2K"],
    before: null,
    exists: true,
  };
  assert.match((await screen.send(begin)).join("\n"), /=== run 1 === *\nok 1 *\n/);
  assert.match((await screen.send({ type: "log.lines", name: "run", lines: ["ok 2"], missing: 0 })).join("\n"), /ok 2/);

  await screen.send(typed("I"));
  const facts = {
    facts: [
      ["task", "t_1b200001  Parser tests"],
      ["pid", "4711"],
    ],
  };
  const info = await screen.send({ type: "called", to: "runs.info:task:default/1", ok: true, result: facts });
  assert.match(info.join("\n"), /pid +4711/);
  assert.match((await screen.send(typed("t"))).join("\n"), /I look at the loop first\./);
  const closed = await screen.send(key("escape"));
  assert.match(closed.join("\n"), /● +t_1b200001/);
  assert.deepEqual(screen.effects.slice(-2), [{ do: "run.leave" }, { do: "log.leave", name: "run" }]);
});

test("the title says that it is a worker's conversation", async () => {
  const screen = await runs(160, 40, row());
  assert.match((await screen.send(key("enter"))).join("\n"), /t_1b200001 Parser tests \[worker\]/);
});

test("colours 0 to 15 of a program's output stay, everything else of it is left out", async () => {
  const screen = await runs(100, 24, row());
  await screen.send(typed("l"));
  const line =
    "\x1b[31mred\x1b[0m \x1b[38;5;200mmany\x1b[0m \x1b]0;title\x07\x1b[1;92mbright\x1b[0m 50%\r\x1b[31mdone\x1b[0m";
  await screen.send({
    type: "log.begin",
    name: "run",
    lines: ["\x1b[31mred\x1b[0m plain", line, "\x1b[38;2;1;2;3mx\x1b[0m"],
    before: null,
    exists: true,
  });
  const cell = (y: number, x: number) => screen.term.buffer.active.getLine(y)?.getCell(x);
  assert.equal(screen.lines()[2]?.trimEnd(), "red plain");
  assert.equal(cell(2, 0)?.getFgColor(), 1);
  assert.notEqual(cell(2, 5)?.getFgColor(), 1);
  assert.equal(screen.lines()[3]?.trimEnd(), "done", "a line that is written over shows what is there in the end");
});

test("W18: stopping a worker asks, names what becomes of the task, and goes through the board's verbs", async () => {
  const screen = await runs(100, 30, row());
  const asked = (await screen.send(typed("X"))).join("\n");
  assert.match(asked, /Stop t_1b200001\?/);
  assert.match(asked, /run is recorded as reclaimed/);
  await screen.send(key("escape"));
  assert.equal(screen.effects.filter((effect) => effect.do === "call").length, 0);
  await screen.send(typed("X"), typed("s"));
  const params = { board: "default", id: "t_1b200001", reason: "stopped by the user" };
  assert.deepEqual(screen.effects.at(-1), {
    do: "call",
    method: "kanban.reclaim",
    params,
    to: "runs.stopped:task:default/1",
  });
  await screen.send(typed("X"), typed("b"));
  const block = screen.effects.at(-1);
  assert.equal(block?.do === "call" ? block.method : "", "kanban.block");
  const told = await screen.send({
    type: "called",
    to: "runs.stopped:task:default/1",
    ok: false,
    code: "E_STATE",
    message: "it is stuck",
  });
  assert.match(told.join("\n"), /t_1b200001 was not stopped: it is stuck/);
});

interface Stop {
  readonly given: Given;
  readonly method: string;
  readonly params: object;
}

const STOPS: readonly Stop[] = [
  { given: { id: "child:s3", kind: "child", session: "s3" }, method: "child.interrupt", params: { id: "s3" } },
  { given: { id: "turn:s4", kind: "turn", session: "s4" }, method: "turn.interrupt", params: { session_id: "s4" } },
  {
    given: { id: "background:s5", kind: "background", session: "s5" },
    method: "turn.interrupt",
    params: { session_id: "s5" },
  },
  {
    given: { id: "process:s1/p1", kind: "process", process: "p1" },
    method: "process.kill",
    params: { session_id: "s1", id: "p1" },
  },
];

for (const { given, method, params } of STOPS) {
  test(`a ${given.kind} is stopped by ${method}`, async () => {
    const screen = await runs(100, 30, row(given));
    await screen.send(typed("X"), typed("s"));
    const effect = screen.effects.at(-1);
    assert.deepEqual(effect?.do === "call" ? [effect.method, effect.params] : [], [method, params]);
  });
}

test("marked runs are stopped together; those that have ended are left out", async () => {
  const screen = await runs(
    100,
    30,
    row(),
    row({ id: "task:default/4", task: "t_00000004" }),
    row({ id: "task:default/5", ended: 1, state: "completed" }),
  );
  assert.match((await screen.send(typed("*"), typed("X"))).join("\n"), /Stop 2 runs\?/);
  await screen.send(typed("s"));
  assert.equal(screen.effects.filter((effect) => effect.do === "call").length, 2);
});

test("a comment keeps its words until the owner has taken it", async () => {
  const screen = await runs(100, 30, row());
  await screen.send(typed("c"), typed("please hurry"), key("enter", { ctrl: true }));
  const params = { board: "default", id: "t_1b200001", text: ["please hurry"] };
  assert.deepEqual(screen.effects.at(-1), {
    do: "call",
    method: "kanban.comment",
    params,
    to: "runs.comment:t_1b200001",
  });
  const failed = await screen.send({
    type: "called",
    to: "runs.comment:t_1b200001",
    ok: false,
    code: "E",
    message: "no room",
  });
  assert.match(failed.join("\n"), /please hurry[\s\S]*no room/);
  const done = await screen.send({ type: "called", to: "runs.comment:t_1b200001", ok: true, result: {} });
  assert.match(done.join("\n"), /commented on t_1b200001/);
});

test("a run leads to its card, on another board too", async () => {
  const screen = await runs(100, 30, row());
  screen.effects.length = 0;
  await screen.send(typed("b"));
  assert.equal(screen.state().focus, "board");
});

test("the list is searched and filtered", async () => {
  const screen = await runs(100, 24, ...MIXED);
  await screen.send(typed("/"), typed("broken"), key("enter"));
  assert.equal(screen.state().runs.cursor, "task:default/3");
  await screen.send(key("escape"), typed("f"), typed("lex.ts"), key("enter"));
  assert.doesNotMatch(screen.lines().join("\n"), /Changelog/);
  assert.match((await screen.send(key("escape"))).join("\n"), /Changelog/);
});

test("a list that could not be read says why, and r retries", async () => {
  const screen = await openScreen(80, 24);
  const shown = await screen.send(key("f4"), { type: "runs.failed", message: "the store is damaged" });
  assert.match(shown.join("\n"), /the store is damaged\n *r retries/);
  await screen.send(typed("r"));
  assert.deepEqual(screen.effects.at(-1), { do: "reload" });
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
  test(`runs are drawn at ${columns}x${rows}, in the list and opened`, async () => {
    const screen = await runs(columns, rows, ...MIXED, row({ id: "task:default/8", title: "漢字 😀 ".repeat(20) }));
    await screen.send(
      typed("G"),
      typed("/"),
      typed("x"),
      key("escape"),
      key("enter"),
      typed("l"),
      typed("I"),
      typed("t"),
      key("pageup"),
    );
    await screen.send(typed("X"), key("escape"), key("escape"));
    assert.ok(screen.state().runs.shown.length === 6);
  });
}

test("the mouse chooses a run, and a double click opens it", async () => {
  const screen = await runs(100, 24, ...MIXED);
  const press = { x: 5, y: 2, width: 100, height: 18 };
  const [chosen] = RUNS_PANE.click?.(screen.state(), { ...press, times: 1 }) ?? assert.fail();
  assert.equal(chosen.runs.cursor, "task:default/1");
  const [, effects] = RUNS_PANE.click?.(screen.state(), { ...press, times: 2 }) ?? assert.fail();
  assert.deepEqual(effects, [{ do: "run.follow", id: "task:default/1", session: "s1" }]);
});
