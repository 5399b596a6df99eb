import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import { runSlash, type SlashServices } from "../../cli/run-slash.js";
import type { SlashCall } from "../../contracts/chat/slash.js";
import type { ConfigKey } from "../../contracts/config/config.js";
import type { VoiceApi, VoiceMode, VoiceParts } from "../../contracts/media/voice.js";
import { COMMANDS } from "../index.gen.js";

const BOTH: VoiceParts = { hears: { name: "local", billed: false }, speaks: { name: "openai", billed: true } };
const NONE: VoiceParts = { hears: { why: "install whisper" }, speaks: { why: "install edge-tts" } };

/** The command with these programs installed, typed at the terminal or in a chat. */
function setup(t: TestContext, { parts = BOTH, programs = ["rec", "ffplay"], platform = "" } = {}) {
  const bin = mkdtempSync(join(tmpdir(), "agent-voice-"));
  t.after(() => rmSync(bin, { recursive: true }));
  for (const name of programs) {
    writeFileSync(join(bin, name), "#!/bin/sh\n");
    chmodSync(join(bin, name), 0o755);
  }
  const modes = new Map<string, VoiceMode>();
  const voice: Partial<VoiceApi> = {
    parts: async () => parts,
    chatMode: async ({ chat_id }) => modes.get(chat_id) ?? "off",
    setChatMode: async ({ chat_id }, mode) => void modes.set(chat_id, mode),
  };
  return (text: string) => {
    const origin = platform === "" ? {} : { origin: { platform, chat_id: "c1" }, member: { group: false, allows: [] } };
    const call: SlashCall = { text, session: "s" as SessionId, waits: true, ...origin }; // of no store: it looks at none
    const chat = { get: async () => undefined, isBusy: async () => false };
    const config = { get: (key: ConfigKey<unknown>) => key.default, raw: () => undefined };
    const { signal } = new AbortController();
    const around = { voice, config, chat, signal, env: { PATH: bin }, cwd: "/", globals: {}, log: silentLog };
    return runSlash(call, around as unknown as SlashServices, COMMANDS); // what the command uses of it
  };
}

test("/voice on at the terminal keeps the mode and says which key records", async (t) => {
  const answer = await setup(t)("/voice on");
  assert.match(answer.text, /^Voice on: Ctrl\+B starts and stops a recording; Esc discards it/);
  assert.deepEqual(answer.next, { screen: { settings: { "voice.mode": "on" } } });
});

test("/voice on without recorder or transcription keeps voice off and names all that is missing", async (t) => {
  const answer = await setup(t, { parts: NONE, programs: [] })("/voice on");
  assert.equal(answer.exit, 1);
  assert.match(answer.text, /cannot record messages: no recorder found: install sox.*; install whisper/);
  assert.equal(answer.next, undefined);
});

test("/voice tts needs a voice and a player; without a recorder it says that recording is not available", async (t) => {
  const answer = await setup(t, { programs: ["mpv"] })("/voice tts");
  assert.match(answer.text, /answers are spoken[\s\S]*Recording is not available: no recorder found/);
  assert.deepEqual(answer.next, { screen: { settings: { "voice.mode": "tts" } } });
  const silent = await setup(t, { parts: NONE, programs: ["rec"] })("/voice tts");
  assert.match(silent.text, /cannot speak answers: no audio player found.*; install edge-tts/);
});

test("/voice status names programs and providers, and who is billed", async (t) => {
  const { text, next } = await setup(t)("/voice");
  assert.equal(
    text,
    "Voice off.\nrecorder: rec\ntranscription: local\nspeech: openai (its vendor bills each use)\nplayer: ffplay",
  );
  assert.equal(next, undefined);
});

test("a chat has a mode of its own, and needs no programs of the machine", async (t) => {
  const run = setup(t, { platform: "msgt", programs: [] });
  assert.equal((await run("/voice tts")).text, "Voice on: every answer is also spoken.");
  assert.match(
    (await run("/voice")).text,
    /^Voice on: every answer is also spoken\.\ntranscription: local\nspeech: openai/,
  );
  assert.equal((await run("/voice off")).text, "Voice off: answers are text.");
  assert.match((await setup(t, { platform: "msgt", parts: NONE })("/voice on")).text, /here: install edge-tts/);
});

test("a platform that takes no sound refuses spoken answers", async (t) => {
  const answer = await setup(t, { platform: "msgw" })("/voice tts");
  assert.match(answer.text, /cannot speak answers here: msgw does not take audio files/);
});
