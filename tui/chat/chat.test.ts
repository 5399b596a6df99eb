import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const session: Message = { type: "session", id: "one", title: "work", model: "m1", items: [] };
const user = (id: number, content: string) =>
  chat("message.added", { id, role: "user", content, session_id: "one", ordinal: id });
const answer = (id: number, content: string) =>
  chat("message.added", { id, role: "assistant", content, session_id: "one", ordinal: id });
const delta = (text: string) => chat("text.delta", { text });
const started = (call: string, name: string, preview: string) => chat("tool.started", { call_id: call, name, preview });
const ended = (call: string, more: Readonly<Record<string, unknown>> = {}) =>
  chat("tool.ended", { call_id: call, status: "ok", duration_ms: 400, ...more });
const result = (call: string, content: string, more: Readonly<Record<string, unknown>> = {}) =>
  chat("message.added", {
    id: 900,
    role: "tool",
    tool_call_id: call,
    content,
    session_id: "one",
    ordinal: 900,
    ...more,
  });
const paragraphs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at}\n\n`).join("");

async function open(columns = 80, rows = 24) {
  const screen = await openScreen(columns, rows);
  await screen.send(session);
  const found = (part: string) => screen.lines().findIndex((line) => line.includes(part));
  const lines = () => screen.lines().map((line) => line.trimEnd().replace(/^ /, "")); // without the margin
  const all = () => lines().join("\n");
  return { ...screen, lines, found, all };
}

test("W05: while an answer streams, what was scrolled back to does not move, and the marker counts what comes", async () => {
  const screen = await open();
  await screen.send(user(1, "go"), chat("turn.started"), delta(paragraphs(0, 60)));
  assert.match(screen.all(), /line 59[\s\S]*↓ following/);
  await screen.send(key("pageup"));
  const read = screen.lines().slice(1, 16);
  await screen.send(delta(paragraphs(60, 77)), delta("an open paragraph"), delta(" that grows\n\n```js\nlet a;\n"));
  assert.deepEqual(screen.lines().slice(1, 16), read);
  assert.match(screen.all(), /↓ 38 new lines/);
  await screen.send(
    answer(2, `${paragraphs(0, 77)}an open paragraph that grows\n\n\`\`\`js\nlet a;`),
    chat("turn.ended"),
  );
  assert.deepEqual(screen.lines().slice(1, 16), read, "the stored answer takes the place of the one that streamed");
  await screen.send(key("f2"), key("end"));
  assert.match(screen.all(), /let a;/);
  assert.doesNotMatch(screen.all(), /new lines/);
  screen.close();
});

test("what is read stays at the top of the view when the size changes", async () => {
  const screen = await open();
  await screen.send(user(1, "go"), answer(2, paragraphs(0, 60)), key("pageup"));
  const top = screen.lines()[1];
  await screen.resize(60, 20);
  assert.equal(screen.lines()[1], top);
  await screen.resize(80, 24);
  assert.equal(screen.lines()[1], top);
  screen.close();
});

test("W12: control sequences in what tools and models say are shown and never act, however they are cut", async () => {
  const screen = await open();
  const bad = "a\x1b]52;c;aGk=\x07b\x1b]0;title\x07c\x1b[2Jd\x9b31me";
  await screen.send(user(1, "go"), chat("turn.started"), started("c", "terminal", `echo ${bad}`));
  await screen.send(chat("tool.progress", { call_id: "c", text: `${bad}\n` }));
  assert.match(screen.all(), /echo a␛b␛c␛d␛e/);
  assert.match(screen.all(), /│ a␛b␛c␛d␛e/);
  for (const char of `${bad} said`) await screen.send(delta(char));
  assert.match(screen.all(), /\na␛b␛c␛d␛e said/);
  screen.close();
});

test("W22: joined emoji, flags, wide and combining characters keep their cells at every place of the row", async () => {
  const text = "漢字 😀 👨‍👩‍👧‍👦 🇯🇵 e\u0301 ❤️";
  const screen = await open(160, 40);
  for (let shift = 0; shift < 12; shift++) await screen.send(user(shift + 1, `${"x".repeat(66 + shift)} ${text}`));
  for (const line of screen.lines().slice(1, 35)) assert.match([...line].slice(0, 1).join(""), /[│║]/);
  const borders = Array.from({ length: 34 }, (_, y) =>
    screen.term.buffer.active
      .getLine(y + 1)
      ?.getCell(79)
      ?.getChars(),
  );
  assert.deepEqual(new Set(borders), new Set(["│", "┃"]), "the border and the scrollbar in it");
  screen.close();
});

test("calls that only looked stand in one row until they are unfolded", async () => {
  const screen = await open();
  const calls = ["a", "b", "c"].flatMap((call, at) => [
    started(call, at < 2 ? "read_file" : "search_files", `${call}.ts`),
    ended(call),
  ]);
  await screen.send(user(1, "go"), ...calls, started("d", "terminal", "npm test"), ended("d", { exit_code: 2 }));
  assert.match(screen.all(), /agent\n✓ 2 reads, 1 search +1\.2 s\n✗ terminal npm test {2}exit 2 +0\.4 s/);
  await screen.send(key("f2"), key("k"), key("space"));
  assert.match(
    screen.all(),
    /▾ 2 reads, 1 search.*\n✓ read_file a\.ts.*\n✓ read_file b\.ts.*\n✓ search_files c\.ts.*\n✗ terminal/,
  );
  await screen.send(key("space"));
  assert.match(screen.all(), /✓ 2 reads, 1 search/);
  screen.close();
});

test("a running command shows its last three lines, unfolded more of them", async () => {
  const screen = await open();
  await screen.send(user(1, "go"), chat("turn.started"), started("c", "terminal", "npm test"));
  await screen.send(
    ...Array.from({ length: 9 }, (_, at) => chat("tool.progress", { call_id: "c", text: `ok ${at}\n` })),
  );
  assert.match(screen.all(), /terminal npm test.*\n {2}│ ok 6\n {2}│ ok 7\n {2}│ ok 8/);
  assert.equal(screen.found("ok 5"), -1);
  await screen.send(key("f2"), key("o"));
  assert.ok(screen.found("│ ok 0") > 0);
  screen.close();
});

const DIFF = `--- a.ts\n+++ a.ts\n@@ -9,3 +9,3 @@\n let i = 0;\n-while (i < n - 1) {\n+while (i < n) {\n i++;\n`;

test("a difference has its numbers and signs, and at most 20 lines until it is unfolded", async () => {
  const screen = await open();
  await screen.send(
    user(1, "go"),
    started("c", "patch", "a.ts"),
    result("c", JSON.stringify({ success: true, diff: DIFF })),
    ended("c"),
  );
  assert.match(
    screen.all(),
    /✓ patch a\.ts {2}\+1 −1.*\n {3}9 {3}let i = 0;\n {2}10 - while \(i < n - 1\) \{\n {2}10 \+ while \(i < n\) \{\n {2}11 {3}i\+\+;/,
  );
  const long = `@@ -1,0 +1,30 @@\n${Array.from({ length: 30 }, (_, at) => `+new ${at}`).join("\n")}\n`;
  await screen.send(started("d", "patch", "b.ts"), result("d", JSON.stringify({ diff: long })), ended("d"));
  assert.match(screen.all(), /new 19\n {2}… 10 more lines \(d\)/);
  await screen.send(key("f2"), key("d"));
  assert.ok(screen.found("new 29") > 0);
  screen.close();
});

test("a difference of several files names each of them, and counts removed lines that look like headers", async () => {
  const screen = await open();
  const diff = [
    "--- a/lib/one.ts",
    "+++ b/lib/one.ts",
    "@@ -4,2 +4,1 @@",
    " let i = 0;",
    "--- old comment",
    "--- a/lib/two.ts",
    "+++ b/lib/two.ts",
    "@@ -1 +1,2 @@",
    "-a",
    "+b",
    "+++ c",
    "rename from lib/three.ts",
    "rename to lib/four.ts",
  ].join("\n");
  await screen.send(
    user(1, "go"),
    started("c", "patch", "3 files"),
    result("c", JSON.stringify({ success: true, diff })),
    ended("c"),
  );
  assert.match(screen.all(), /✓ patch 3 files {2}\+2 −2/);
  assert.match(
    screen.all(),
    /\n {2}lib\/one\.ts\n {2}4 {3}let i = 0;\n {2}5 - -- old comment\n {2}lib\/two\.ts\n {2}1 - a\n {2}1 \+ b\n {2}2 \+ \+\+ c\n/,
  );
  assert.match(screen.all(), /\n {2}lib\/three\.ts → lib\/four\.ts\n/);
  screen.close();
});

test("the counts of a difference that was cut are those of the whole", async () => {
  const screen = await open();
  const diff = "--- a/a\n+++ b/a\n@@ -1,90 +0,0 @@\n-one\n... (89 more lines; +0 -90 in all)";
  await screen.send(
    user(1, "go"),
    started("c", "patch", "a"),
    result("c", JSON.stringify({ success: true, diff })),
    ended("c"),
  );
  assert.match(screen.all(), /✓ patch a {2}\+0 −90.*\n {2}1 - one\n {2}\.\.\. \(89 more lines/);
  screen.close();
});

test("a long message of the user is folded to its first and last lines", async () => {
  const screen = await open();
  await screen.send(user(1, Array.from({ length: 9 }, (_, at) => `said ${at}`).join("\n")));
  assert.match(screen.all(), /you\nsaid 0\nsaid 1\n {2}… 5 more lines \(Space\)\nsaid 7\nsaid 8/);
  await screen.send(key("f2"), key("space"));
  assert.ok(screen.found("said 4") > 0);
  screen.close();
});

test("thinking is one row, and unfolds while it streams", async () => {
  const screen = await open();
  await screen.send(user(1, "go"), chat("turn.started"), chat("reasoning.delta", { text: "first I look\n" }));
  assert.match(screen.all(), /agent\n. thinking 0\.0 s/);
  await screen.send(key("f2"), key("t"), key("space"), chat("reasoning.delta", { text: "then I act" }));
  assert.ok(screen.found("then I act") > 0);
  screen.at(4_000);
  await screen.send(delta("Done."));
  assert.match(screen.all(), /thought for 4\.0 s/);
  screen.close();
});

test("the row of a retry goes with the answer, and with the turn that failed", async () => {
  const screen = await open();
  const retry = chat("retry", { attempt: 2, of: 3, wait_ms: 4_000, cause: "429" });
  await screen.send(user(1, "go"), retry);
  assert.match(screen.all(), /retry 1\/2 in 4 s: 429/);
  await screen.send(delta("Here it is."));
  assert.equal(screen.found("retry 1/2"), -1);
  await screen.send(retry, chat("notice", { text: "another provider", level: "info" }));
  await screen.send(
    chat("turn.ended", { exit_reason: "failed", error: { message: "Request failed after 3 retries" } }),
  );
  assert.equal(screen.found("retry 1/2"), -1);
  assert.ok(screen.found("Request failed after 3 retries") > 0);
  screen.close();
});

test("retries stand in one row, a compaction under a line of its own", async () => {
  const screen = await open();
  const retry = (attempt: number) => chat("retry", { attempt, of: 3, wait_ms: 4_000, cause: "429" });
  await screen.send(user(1, "go"), retry(2), retry(3));
  assert.match(screen.all(), /retry 2\/2 in 4 s: 429/);
  assert.equal(screen.found("retry 1/2"), -1);
  await screen.send(
    chat("compaction.ended", {
      ok: true,
      messages_before: 48,
      messages_after: 11,
      tokens_before: 65_000,
      tokens_after: 14_000,
      count: 1,
    }),
  );
  assert.match(screen.all(), /── compacted: 48 → 11 messages · \/compress undo ──/);
  screen.close();
});

test("the list of steps stands under the last message of the user and unfolds", async () => {
  const screen = await open();
  const todos = [
    { id: "1", content: "read", status: "completed" },
    { id: "2", content: "fix the loop", status: "in_progress" },
    { id: "3", content: "test", status: "pending" },
  ];
  await screen.send(
    user(1, "go"),
    started("c", "todo", "3 items"),
    ended("c"),
    result("c", JSON.stringify({ todos }), { tool_name: "todo" }),
  );
  assert.match(screen.all(), /go\ntodo 1\/3: fix the loop/);
  await screen.send(key("t", { alt: true }));
  assert.match(screen.all(), /todo 1\/3.*\n☑ read\n◐ fix the loop\n☐ test/);
  screen.close();
});

test("a child has one row with what it does", async () => {
  const screen = await open();
  const info = {
    id: "s2",
    goal: "read lex.ts",
    role: "review",
    status: "running",
    tokens: { input: 2_000, output: 100 },
    tool: "read_file",
    duration_ms: 18_000,
  };
  await screen.send(user(1, "go"), chat("child.started", { ...info, tool: null }), chat("child.progress", info));
  assert.match(screen.all(), /child review read lex\.ts +2\.1k tok {2}read_file {2}18 s/);
  await screen.send(chat("child.ended", { ...info, status: "ok" }));
  assert.match(screen.all(), /✓ child review read lex\.ts +2\.1k tok {2}18 s/);
  screen.close();
});

test("y copies the item as it was written, Y its last block of code", async () => {
  const screen = await open();
  const source = "Some **bold** words.\n\n```js\nlet a  = 1;\n\n  b();\n```";
  await screen.send(user(1, "go"), answer(2, source), key("f2"), key("y"), key("Y"));
  assert.deepEqual(
    screen.effects.filter((effect) => effect.do === "copy"),
    [
      { do: "copy", text: source },
      { do: "copy", text: "let a  = 1;\n\n  b();" },
    ],
  );
  screen.close();
});

test("O hands the item to the pager", async () => {
  const screen = await open();
  await screen.send(user(1, "go"), answer(2, "An answer."), key("f2"), key("O"));
  const [hand] = screen.effects.filter((effect) => effect.do === "hand");
  assert.equal(hand?.stdin, "An answer.\n");
  screen.close();
});

test("a turn that was cut off goes on with Enter in the empty composer", async () => {
  const screen = await open();
  await screen.send(user(1, "go"), {
    type: "view",
    view: { turn_id: null, cut_off: true, queue: { items: [], paused: false } },
  });
  assert.match(
    screen.all().replace(/\n/g, " "),
    /The last turn was cut off; .*Enter continues, or type something else\./,
  );
  await screen.send(key("enter"));
  const last = screen.effects.at(-1);
  assert.deepEqual(last, {
    do: "call",
    method: "turn.submit",
    params: { session_id: "one", text: "", mode: "continue" },
  });
  screen.close();
});

test("Alt+Left and Alt+Right go through the sessions that were shown", async () => {
  const screen = await open();
  await screen.send({ ...session, id: "two", fresh: true }, key("left", { alt: true }));
  assert.deepEqual(screen.effects.at(-1), { do: "open", session: "one" });
  await screen.send({ ...session, fresh: true }, key("right", { alt: true }));
  assert.deepEqual(screen.effects.at(-1), { do: "open", session: "two" });
  screen.close();
});

test("undo asks, and takes back as many exchanges as stand below", async () => {
  const screen = await open();
  await screen.send(user(1, "one"), answer(2, "a"), user(3, "two"), answer(4, "b"), key("f2"), key("home"), key("u"));
  assert.match(screen.all(), /undo the last 2 exchanges/);
  await screen.send({ type: "confirmed", asker: "chat.undo", choice: "chat", subject: { turns: "2" } });
  assert.deepEqual(screen.effects.at(-1), {
    do: "call",
    method: "session.undo",
    to: "chat.undo",
    params: { session_id: "one", turns: 2, what: "chat" },
  });
  screen.close();
});

test("a resize with 10,000 laid-out rows repaints at once", async () => {
  const screen = await open(140, 45);
  await screen.send(user(1, "go"), answer(2, paragraphs(0, 5_000)), key("pageup"));
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    const start = process.cpuUsage();
    await screen.resize(139 - round, 45);
    const { user: spent, system } = process.cpuUsage(start);
    times.push((spent + system) / 1_000);
  }
  const worst = times.toSorted((a, b) => a - b)[8] ?? 0;
  assert.ok(worst < 100, `${worst} ms of processor`);
  screen.close();
});

test("/details unfolds everything that is folded and folds it again; /copy puts its text on the clipboard", async () => {
  const screen = await open();
  await screen.send(
    user(1, "go"),
    chat("turn.started"),
    started("c1", "terminal", "ls"),
    ended("c1"),
    result("c1", "a hidden line"),
  );
  assert.doesNotMatch(screen.all(), /a hidden line/);
  await screen.send({ type: "next", next: { screen: { details: "on" } } });
  assert.match(screen.all(), /a hidden line/);
  await screen.send({ type: "next", next: { screen: { details: "toggle" } } });
  assert.doesNotMatch(screen.all(), /a hidden line/);
  await screen.send({ type: "next", next: { copy: "as it was" } });
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text: "as it was" });
  screen.close();
});

test("a call that was refused says so, and one that a rule blocked says why", async () => {
  const screen = await open();
  const refused =
    '{"output":"","exit_code":-1,"error":"Denied by the user. Do not retry, rephrase or reach the same result in another way."}';
  await screen.send(
    user(1, "go"),
    started("a", "terminal", "rm -rf q"),
    ended("a", { status: "denied" }),
    result("a", refused),
  );
  await screen.send(
    started("b", "terminal", "mkfs"),
    ended("b", { status: "denied" }),
    result("b", '{"error":"blocked: it would format a disk"}'),
  );
  assert.match(screen.all(), /⊘ terminal rm -rf q {2}denied /);
  assert.match(screen.all(), /⊘ terminal mkfs {2}blocked: it would format a disk/);
  screen.close();
});
