import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openLines } from "../../fixtures/tui/lines.js";
import { manyCards } from "../../fixtures/tui/many-cards.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { Message } from "../model/messages.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const session: Message = { type: "session", id: "s_1", title: "work", model: "m1", items: [], fresh: true };
const tools: Message = {
  type: "called",
  to: "inline.tools",
  ok: true,
  result: [{ offered: true }, { offered: false }, { offered: true }],
};
const user = (id: number, content: string) => chat("message.added", { id, role: "user", content });
const delta = (text: string) => chat("text.delta", { text });
const called = (id: string, name: string, preview: string) => chat("tool.started", { call_id: id, name, preview });
const answered = (id: string) => [
  chat("tool.ended", { call_id: id, status: "ok", duration_ms: 100 }),
  chat("message.added", {
    id: 50 + Number(id),
    role: "tool",
    tool_call_id: id,
    tool_name: "terminal",
    content: '{"output":"ok","exit_code":0}',
  }),
];

test("the start tells what runs here, with what, and one thing to try", async (t) => {
  const lines = await openLines(t, 80, 24);
  const all = await lines.send(session, tools);
  assert.match(all.join("\n"), /^agent 1\.2\.3\n {2}m1\n {2}\/work\n {2}session s_1\n {2}2 tools\n/);
  assert.match(all.join("\n"), /Enter: send/);
});

test("what is typed before the conversation is open leaves nothing above the banner", async (t) => {
  const lines = await openLines(t, 80, 24);
  await lines.send({ type: "text", text: "one" });
  await lines.send(key("enter"));
  await lines.send({ type: "text", text: "two" }, key("enter"));
  const all = await lines.send(session, tools);
  assert.equal(all[0], "agent 1.2.3");
  assert.equal(all.filter((line) => line.startsWith("─ Enter")).length, 1, all.join("\n"));
});

test("what waits in the queue can be read", async (t) => {
  const lines = await openLines(t, 80, 40);
  await lines.send(session, tools, chat("turn.started"));
  const item = (id: string, text: string) => ({ id, text, kind: "message", by: "" });
  const one = await lines.send(chat("queue.changed", { items: [item("q1", "also the changelog")] }));
  assert.match(one.join("\n"), /─ queue 1 ─[^\n]*\n 1 also the changelog/);
  const three = await lines.send(
    chat("queue.changed", { items: ["one", "two", "three"].map((text) => item(text, text)) }),
  );
  assert.match(three.join("\n"), /─ queue 3 · \+1 more ─[^\n]*\n 1 one[^\n]*\n 2 two/);
});

test("W30: of 300 streamed lines, two widths and three tools the scrollback holds each line once, in order", async (t) => {
  const lines = await openLines(t, 90, 24);
  await lines.send(session, tools, chat("turn.started"), user(1, "go"));
  for (let at = 0; at < 3; at++) {
    await lines.send(called(String(at), "terminal", `echo ${at}`));
    await lines.send(...answered(String(at)));
  }
  const wanted: string[] = [];
  for (let at = 0; at < 300; at++) {
    wanted.push(`line ${at} of the answer.`);
    await lines.send(delta(`line ${at} of`), delta(` the answer.\n\n`));
    if (at === 100) await lines.resize([60, 24]);
    if (at === 200) await lines.resize([110, 30]);
  }
  const content = wanted.join("\n\n");
  const all = await lines.send(
    chat("message.added", { id: 9, role: "assistant", content }),
    chat("turn.ended", { completed: true }),
  );
  assert.deepEqual(
    all.filter((line) => line.startsWith("line ")),
    wanted,
  );
  const rows = ["echo 0", "echo 1", "echo 2"].map((text) => all.findIndex((line) => line.includes(text)));
  assert.deepEqual(
    rows.toSorted((a, b) => a - b),
    rows,
  );
  assert.ok(rows.every((row) => row >= 0));
  assert.equal(all.filter((line) => line.includes("Enter: send")).length, 1);
});

test("a window dragged through several widths before the next frame leaves no rows of the composer behind", async (t) => {
  const lines = await openLines(t, 100, 24);
  const before = await lines.send(session, tools, {
    type: "text",
    text: "a text of two rows on a narrow terminal, typed early",
  });
  const after = await lines.resize([60, 24], [30, 24], [45, 24], [100, 24]);
  assert.equal(after.filter((line) => line.includes("Enter: send")).length, 1);
  assert.deepEqual(after, before);
});

test("what grows is seen below the scrollback, and is written when it is finished", async (t) => {
  const lines = await openLines(t, 80, 24);
  const growing = await lines.send(
    session,
    tools,
    chat("turn.started"),
    user(1, "go"),
    called("1", "terminal", "npm test"),
    delta("half a sen"),
  );
  const at = (all: readonly string[], text: string) => all.findIndex((line) => line.includes(text));
  assert.ok(at(growing, "npm test") > at(growing, "go") && at(growing, "half a sen") > at(growing, "npm test"));
  const done = await lines.send(...answered("1"), delta("tence.\n\nNext"));
  assert.ok(at(done, "half a sentence.") > at(done, "npm test") && at(done, "Next") > at(done, "half a sentence."));
  assert.equal(done.filter((line) => line.includes("npm test")).length, 1);
});

test("a question stands in the live area, and its decision is one line of the scrollback", async (t) => {
  const lines = await openLines(t, 80, 30);
  const asked = await lines.send(
    session,
    tools,
    chat("turn.started"),
    chat("approval.requested", {
      request: "q",
      kind: "command",
      command: "rm -rf q",
      cwd: "/work",
      segments: [],
      reasons: [],
      options: ["once", "deny"],
      rules: {},
      expires_at: 300_000,
      origin: {},
    }),
  );
  assert.ok(asked.some((line) => line.includes("rm -rf q")));
  const decided = await lines.send(chat("approval.resolved", { request: "q", answer: "once", by: "cli" }));
  assert.equal(decided.filter((line) => line.includes("rm -rf q")).length, 1);
});

test("Tab, pane keys and page keys change nothing: there are no panes", async (t) => {
  const lines = await openLines(t, 80, 24);
  const before = await lines.send(session, tools, { type: "text", text: "hello" });
  const after = await lines.send(key("tab"), key("f3"), key("f8"), key("pageup"), key("2", { alt: true }));
  assert.deepEqual(after, before);
  assert.equal(lines.state().focus, "composer");
});

test("a conversation that is taken up is told in short, and nothing of it is written again", async (t) => {
  const lines = await openLines(t, 80, 30, { resumed: true });
  const items = Array.from({ length: 24 }, (_, at) =>
    at % 2 === 0
      ? ({ kind: "user", key: `m${at}`, text: `question ${at}`, id: at, at: undefined, place: undefined } as const)
      : ({
          kind: "answer",
          key: `m${at}`,
          text: `answer ${at}\nmore\nmore\nmore`,
          id: at,
          interrupted: false,
          place: undefined,
        } as const),
  );
  const all = await lines.send({ ...session, items }, tools);
  assert.ok(!all.some((line) => line.includes("question 0")), "only the last ten");
  assert.equal(all.filter((line) => line.startsWith("you: question")).length, 10);
  assert.ok(all.includes("agent: answer 23 more more…"));
  const next = await lines.send(chat("turn.started"), user(100, "go on"));
  assert.equal(next.filter((line) => line.includes("question 22")).length, 1);
  assert.ok(next.includes("go on"));
});

test("the owner's terminal escapes in a text are shown, never obeyed", async (t) => {
  const lines = await openLines(t, 80, 24);
  const all = await lines.send(session, tools, user(1, "a\u001b[2Jb\u009bc"));
  assert.ok(all.includes("a␛b␛"), JSON.stringify(all.filter((line) => line.startsWith("a"))));
});

test("a long block of code is written in pieces while it streams", async (t) => {
  const lines = await openLines(t, 80, 24);
  await lines.send(session, tools, chat("turn.started"), user(1, "go"), delta("```js\n"));
  const code = Array.from({ length: 100 }, (_, at) => `call(${at});`);
  const streaming = await lines.send(delta(`${code.slice(0, 90).join("\n")}\n`));
  assert.equal(streaming.filter((line) => line.includes("call(10);")).length, 1);
  await lines.send(delta(`${code.slice(90).join("\n")}\n\`\`\`\n`));
  const content = `\`\`\`js\n${code.join("\n")}\n\`\`\``;
  const all = await lines.send(
    chat("message.added", { id: 9, role: "assistant", content }),
    chat("turn.ended", { completed: true }),
  );
  assert.deepEqual(
    all.filter((line) => line.includes("call(")).map((line) => line.trim()),
    code,
  );
});

test("/show prints a call whole, and from then on their rows are numbered", async (t) => {
  const lines = await openLines(t, 80, 30);
  await lines.send(
    session,
    tools,
    chat("turn.started"),
    user(1, "go"),
    called("1", "terminal", "npm test"),
    ...answered("1"),
  );
  const shown = await lines.send({ type: "text", text: "/show 1" }, key("enter"));
  assert.ok(shown.some((line) => line.includes("terminal npm test")));
  const next = await lines.send(
    called("2", "terminal", "ls"),
    ...answered("2"),
    chat("turn.ended", { completed: true }),
  );
  assert.ok(
    next.some((line) => /^2 . terminal/.test(line)),
    next.join("\n"),
  );
});

test("the palette of line mode names no panes, which it has not", async (t) => {
  const lines = await openLines(t, 80, 30);
  const all = (await lines.send(session, tools, key("p", { ctrl: true }))).join("\n");
  assert.match(all, /action +help/);
  assert.doesNotMatch(all, /pane +|zoom/);
});

const says = (text: string): readonly Message[] => [{ type: "text", text }, key("enter")];
const MORE: Message = {
  type: "log.older",
  name: "logs",
  lines: ["2026-11-20 20:00:00,000 WARNING agent: parser early"],
  before: null,
};
const logged = (lines: readonly string[], before: string | null): Message => ({
  type: "log.begin",
  name: "logs",
  lines,
  before,
  exists: true,
});

test("/board with words prints only what they let through, and without words everything again", async (t) => {
  const lines = await openLines(t, 90, 24);
  const { read, change } = manyCards(12);
  await lines.send(session, tools, read, change(3, sanitizeLine("mend the parser")));
  const some = (await lines.send(...says("/board parser"))).join("\n");
  assert.match(some, /\/board parser\n.*mend the parser/s);
  assert.doesNotMatch(some, /that says/);
  assert.match((await lines.send(...says("/board"))).join("\n"), /that says/);
});

test("/board with words waits for the cards that are not here yet", async (t) => {
  const lines = await openLines(t, 90, 24);
  const { read, change } = manyCards(12);
  const changed = change(9, sanitizeLine("mend the parser"));
  assert.ok(read.type === "board.read" && changed.type === "board.changed");
  const { cards, ...told } = read;
  await lines.send(session, tools, { ...read, cards: cards.slice(0, 3) });
  assert.doesNotMatch((await lines.send(...says("/board parser"))).join("\n"), /No tasks match|mend the parser/);
  for (const column of ["triage", "todo", "ready", "running", "blocked", "done"] as const) {
    const own = cards
      .filter(({ status }) => status === column)
      .map((one) => changed.cards.find(({ id }) => id === one.id) ?? one);
    await lines.send({ ...told, type: "board.page", column, cards: own });
  }
  assert.match((await lines.send()).join("\n"), /mend the parser/);
});

test("/logs with words asks the owner for such lines, prints them when they are here, also older ones, and gives everything back", async (t) => {
  const lines = await openLines(t, 90, 24);
  await lines.send(session, tools, logged(["2026-11-20 21:00:00,000 INFO agent: nothing of it"], null));
  const asked = (await lines.send(...says("/logs parser"))).join("\n");
  assert.doesNotMatch(asked, /nothing of it/);
  const followed = () => lines.effects.flatMap((one) => (one.do === "log.follow" ? [one.filter.text] : []));
  assert.deepEqual(followed(), ["parser"]);
  await lines.send(logged(["2026-11-20 21:00:00,000 INFO agent: parser late"], "place"));
  assert.match((await lines.send(MORE)).join("\n"), /parser early\n.*parser late/);
  await lines.send(...says("/logs"));
  assert.deepEqual(followed(), ["parser", undefined]);
  assert.match(
    (await lines.send(logged(["2026-11-20 21:00:00,000 INFO agent: nothing of it"], null))).join("\n"),
    /nothing of it/,
  );
});
