import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { displayFrom } from "../app/display.js";
import type { Message } from "../model/messages.js";
import type { VoiceState } from "./state.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const settings = (values: Readonly<Record<string, unknown>>): Message => ({
  type: "display",
  display: displayFrom({ values, themes: [] }, { LANG: "C.UTF-8" }),
});
const now = (voice: VoiceState): Message => ({ type: "voice", now: voice });
const RECORD = key("b", { ctrl: true });
const typed = (text: string): Message => ({ type: "text", text });

async function opened(t: TestContext, values: Readonly<Record<string, unknown>>) {
  const screen = await openScreen(100, 30);
  t.after(() => screen.close());
  await screen.send({ type: "session", id: "s", title: "t", model: "m", items: [] }, settings(values));
  const voiced = () => screen.effects.filter(({ do: what }) => /^(?:record|endRecording|speak|hush)$/.test(what));
  return { ...screen, voiced, status: () => screen.lines().at(-1) ?? "" };
}

test("while voice is off Ctrl+B moves the cursor as ever", async (t) => {
  const screen = await opened(t, {});
  await screen.send(typed("ab"), RECORD, typed("x"));
  assert.equal(screen.state().composer.editor.text, "axb");
  assert.deepEqual(screen.voiced(), []);
  assert.doesNotMatch(screen.status(), /voice/);
});

test("Ctrl+B records with the limits of the settings and again ends it; what was heard waits in the input line", async (t) => {
  const screen = await opened(t, {
    "voice.mode": "on",
    "voice.max_recording_seconds": 7,
    "voice.silence_duration": 1.5,
  });
  assert.match(screen.status(), /voice/);
  await screen.send(typed("say:"), RECORD);
  assert.deepEqual(screen.voiced(), [
    { do: "record", limits: { maxSeconds: 7, silenceThreshold: 200, silenceSeconds: 1.5 } },
  ]);
  await screen.send(now({ doing: "recording", ms: 61_000, level: 0.5 }));
  assert.match(screen.status(), /rec 1:01 \[#### {4}\]/);
  await screen.send(RECORD);
  assert.deepEqual(screen.voiced().at(-1), { do: "endRecording" });
  await screen.send(now({ doing: "transcribing" }));
  assert.match(screen.status(), /transcribing/);
  await screen.send({ type: "heard", text: "good morning" }, now({ doing: "idle" }));
  assert.equal(screen.state().composer.editor.text, "say: good morning");
  assert.equal(
    screen.effects.some(({ do: what }) => what === "submit"),
    false,
    "it is read before it is sent",
  );
});

for (const [name, press] of [
  ["Esc", key("escape")],
  ["Ctrl+C", key("c", { ctrl: true })],
] as const)
  test(`${name} discards a recording and leaves the text and the turn alone`, async (t) => {
    const screen = await opened(t, { "voice.mode": "on" });
    await screen.send(chat("turn.started", { turn_id: "x" }), typed("half"), RECORD, press);
    assert.deepEqual(screen.voiced().at(-1), { do: "hush" });
    assert.equal(screen.state().composer.editor.text, "half");
    assert.equal(
      screen.effects.some(({ do: what }) => what === "interrupt"),
      false,
    );
  });

test("another record key takes its place in the table; one that cannot be pressed does not", async (t) => {
  const screen = await opened(t, { "voice.mode": "on", "voice.record_key": "F9" });
  await screen.send(typed("ab"), RECORD, typed("x"), key("f9"));
  assert.equal(screen.state().composer.editor.text, "axb");
  assert.equal(screen.voiced().length, 1);
  await screen.send(now({ doing: "idle" }), settings({ "voice.mode": "on", "voice.record_key": "x" }), RECORD);
  assert.equal(screen.voiced().length, 2);
});

const ended = (final_response: string, more: Readonly<Record<string, unknown>> = {}): readonly Message[] => [
  chat("turn.started", { turn_id: "x" }),
  chat("turn.ended", { turn_id: "x", final_response, ...more }),
];

test("with tts the answer of a turn is spoken, stops at Esc and at the next turn, and is not repeated", async (t) => {
  const screen = await opened(t, { "voice.mode": "tts" });
  assert.match(screen.status(), /voice tts/);
  await screen.send(chat("turn.ended", { turn_id: "old", final_response: "Before." }));
  assert.deepEqual(screen.voiced(), [], "a turn that was not seen to run is history");
  await screen.send(...ended("Done."));
  assert.deepEqual(screen.voiced(), [{ do: "speak", text: "Done." }]);
  assert.match(screen.status(), /speaking/);
  await screen.send(key("escape"));
  await screen.send(...ended("More."), chat("turn.started", { turn_id: "y" }));
  assert.deepEqual(
    screen.voiced().map(({ do: what }) => what),
    ["speak", "hush", "speak", "hush"],
  );
});

test("failed, interrupted and empty answers are not spoken, and none while a recording runs or voice only records", async (t) => {
  const screen = await opened(t, { "voice.mode": "tts" });
  await screen.send(...ended("no", { failed: true }), ...ended("no", { interrupted: true }), ...ended(" "));
  await screen.send(RECORD, ...ended("no"));
  await screen.send(now({ doing: "idle" }), settings({ "voice.mode": "on" }), ...ended("no"));
  assert.deepEqual(
    screen.voiced().map(({ do: what }) => what),
    ["record"],
  );
});

test("switching voice off and opening another conversation end what is recorded or spoken", async (t) => {
  const screen = await opened(t, { "voice.mode": "tts" });
  await screen.send(...ended("Long."), settings({ "voice.mode": "off" }));
  await screen.send(settings({ "voice.mode": "tts" }), RECORD);
  await screen.send({ type: "session", id: "other", title: "", model: "m", items: [] });
  assert.deepEqual(
    screen.voiced().map(({ do: what }) => what),
    ["speak", "hush", "record", "hush"],
  );
});
