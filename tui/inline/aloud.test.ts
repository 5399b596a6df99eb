import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../../fixtures/tui/question-screen.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Effect, Message } from "../model/messages.js";
import type { State } from "../model/state.js";
import { update } from "../model/update.js";
import { PALETTES } from "../theme/palette.js";
import { plainSurface } from "./plain.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const session: Message = { type: "session", id: "s_1", title: "work", model: "m1", items: [], fresh: true };
const tools: Message = { type: "called", to: "inline.tools", ok: true, result: [] };
const line = (text: string): Message => ({ type: "line", text });

/** What a terminal without cursor movements gets, message by message, at the given times. */
function setup() {
  const inline = {
    version: "1",
    cwd: "/work",
    aloud: true,
    lines: 0,
    tools: undefined,
    resumed: false,
    watch: undefined,
    printing: undefined,
    turns: 0,
    last: undefined,
  };
  let state: State = initialState(80, 24, { owner: true, keymap: BINDINGS, inline });
  const surface = plainSurface(80, { depth: "none", palette: PALETTES.dark, ascii: false, links: false });
  const effects: Effect[] = [];
  const pass = (message: Message) => {
    const [next, wanted] = update(state, message);
    state = next;
    for (const effect of wanted) {
      effects.push(effect);
      if (effect.do === "tell") pass(effect.message);
    }
  };
  const send = (now: number, ...messages: Message[]) => {
    state = { ...state, now, wall: 1_000_000 + now };
    for (const message of messages) pass(message);
    return surface.frame(state);
  };
  const began = send(0, session, tools);
  return { send, began, answers: () => effects.flatMap((one) => (one.do === "answer" ? [one.answer] : [])), effects };
}

test("a terminal without cursor movements gets the question with what to type, and takes the answer beside the turn", () => {
  const { send, answers } = setup();
  send(10, line("go"), chat("turn.started"));
  const shown = send(1_000, ask());
  assert.match(shown, /\? this conversation wants to run a command: terminal\n {2}rm -rf q\n {2}in \/work\n/);
  assert.match(
    shown,
    /Type once \(o\), session \(s\), project \(p\), always \(a\), deny \(d\), or \/deny with a reason\.\n> $/,
  );
  assert.doesNotMatch(shown, /\x1b/);
  send(3_000, line("o"));
  assert.deepEqual(answers(), ["once"]);
});

test("the line of an answer that was on its way when the question came does not answer it", () => {
  const { send, answers } = setup();
  send(10, chat("turn.started"), ask());
  assert.match(send(200, line("d")), /Type your answer again/);
  assert.deepEqual(answers(), []);
});

test("a choice of a clarification is taken by its number, other words are an answer of one's own", () => {
  const { send, answers } = setup();
  const clarify = (request: string) =>
    chat("clarify.requested", { request, question: "Which drink?", choices: ["tea", "coffee"], origin: {} });
  const shown = send(10, chat("turn.started"), clarify("q_1"));
  assert.match(shown, /Which drink\?\n {2}1 tea\n {2}2 coffee\n {2}3 Other/);
  send(2_000, line("2"));
  send(2_100, chat("clarify.resolved", { request: "q_1" }), clarify("q_2"));
  send(4_000, line("water, please"));
  assert.deepEqual(answers(), ["coffee", "water, please"]);
});

test("a command answers while a call runs, and /quit says what runs before it stops it", () => {
  const { send, effects } = setup();
  const running = chat("tool.started", { call_id: "c", name: "terminal", preview: "sleep 99" });
  send(10, chat("turn.started"), running);
  send(20, line("/status"));
  const command = effects.findLast((one) => one.do === "command");
  assert.ok(command?.do === "command");
  assert.match(send(30, { type: "command", id: command.id, text: "all is well", failed: false }), /all is well/);
  send(40, line("/quit"));
  const under: Message = {
    type: "called",
    to: "quit.under_way",
    ok: true,
    result: { turns: ["go"], children: [], processes: [], workers: [] },
  };
  assert.match(send(50, under), /Work is in progress:\n.*1 turn: go\n.*\/quit again/);
  send(60, line("/quit"), under);
  assert.ok(effects.some((one) => one.do === "leave"));
});

test("a prompt shows that a line is taken, and what comes behind it begins on a line of its own", () => {
  const { send, began } = setup();
  assert.match(began, /\n> $/);
  assert.equal(send(30), "");
  assert.match(send(40, chat("notice", { text: "news" })), /^\n[\s\S]*news[\s\S]*> $/);
});

test("a form is filled in line by line: a fault asks again, an empty line keeps the default, skip leaves out", () => {
  const { send, effects } = setup();
  const fields = [
    { name: "tag", label: "Tag", type: "text", required: true, min_length: 2 },
    { name: "count", label: "Copies", type: "integer", required: false, default: 3 },
    { name: "color", label: "Color", type: "choice", required: false, choices: [{ value: "r", label: "Red" }] },
    { name: "note", label: "Note", type: "text", required: false, default: "x" },
  ];
  const form = { request: "q_1", title: "Release", from: "mcp:ci", message: "Fill this in", fields, origin: {} };
  const shown = send(10, chat("turn.started"), chat("form.requested", form));
  assert.match(
    shown,
    /\? mcp:ci asks this conversation\n[\s\S]*Fill this in\n[\s\S]* {2}Tag \(required, at least 2 characters\)\n> $/,
  );
  assert.match(send(2_000, line("v")), /Tag: at least 2 characters\n/);
  assert.match(send(2_100, line("v1")), /Copies \(optional, a whole number, empty line: 3\)/);
  assert.match(send(2_200, line("")), /Color \(optional, one of them\)\n {4}1 Red\n/);
  send(2_300, line("1"));
  send(2_400, line("skip"));
  const content = { tag: "v1", count: 3, color: "r", note: "" };
  assert.deepEqual(
    effects.filter((one) => one.do === "answer"),
    [{ do: "answer", request: "q_1", kind: "form", answer: "accept", content }],
  );
});

test("a form ends at the word cancel, and a consent to open an address shows its host", () => {
  const { send, answers } = setup();
  const form = (request: string, more: object) =>
    chat("form.requested", { request, title: "T", from: "mcp:x", message: "M", fields: [], origin: {}, ...more });
  send(10, chat("turn.started"), form("q_1", { fields: [{ name: "a", label: "A", type: "text", required: true }] }));
  send(2_000, line("Cancel"));
  const shown = send(2_100, chat("form.resolved", { request: "q_1" }), form("q_2", { url: "http://example.org/a" }));
  assert.match(shown, /http:\/\/example\.org\/a\n {2}host: example\.org\n {2}Note: the connection is not encrypted\./);
  send(4_000, line("ok"));
  assert.deepEqual(answers(), ["cancel", "accept"]);
});
