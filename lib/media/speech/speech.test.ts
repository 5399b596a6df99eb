import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { audioWorld } from "../../../fixtures/sim/audio-world.js";
import { settingsOf } from "../../../fixtures/sim/settings.js";
import type { MediaCache } from "../../contracts/media/cache.js";
import type { SpeakRequest, SpeechProvider, SpokenAudio } from "../../contracts/media/speech.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import { pluginSpeech } from "./plugin-speech.js";
import { createSpeech } from "./speech.js";

const never = new AbortController().signal;
const MP3 = Buffer.concat([Buffer.from("ID3"), Buffer.alloc(80)]);

const speaker = (name: string, more: Partial<SpeechProvider> = {}): SpeechProvider => ({
  name,
  billed: false,
  maxChars: () => 30,
  model: () => "m1",
  lacks: async () => undefined,
  speak: async () => ({ ok: true, bytes: MP3 }),
  ...more,
});

interface Given {
  readonly builtIn?: readonly SpeechProvider[];
  readonly plugins?: readonly SpeechProvider[];
  readonly settings?: Record<string, unknown>;
  readonly answer?: string;
  readonly path?: string;
}

async function world(t: TestContext, given: Given) {
  const around = await audioWorld(t, { path: given.path ?? "/nonexistent" });
  const said: string[] = [];
  const settings = settingsOf(given.settings ?? {});
  const config: typeof settings = {
    ...settings,
    source: ({ key }) => (key in (given.settings ?? {}) ? "file" : "default"),
  };
  const cache: MediaCache = {
    save: async (_kind, prefix, bytes) => {
      const path = join(around.scratch, `${prefix}.audio`);
      writeFileSync(path, bytes);
      return path;
    },
    fetch: async () => ({ ok: false, warning: "" }),
  };
  const aux: AuxClient = {
    state: async () => "usable",
    ask: async () => ({ ok: true, text: given.answer ?? "" }),
  };
  const speech = createSpeech({
    config,
    aux,
    cache,
    builtIn: given.builtIn ?? [speaker("edge")],
    command: (name, value) => (value === "bad" ? "bad command" : speaker(name)),
    ofPlugins: () => given.plugins ?? [],
    look: () => around,
  });
  const speak = async (text: string, more: Partial<SpeakRequest> = {}): Promise<Record<string, unknown>> =>
    speech.speak({ text, voice: false, ...more }, (line) => said.push(line), never);
  return { speech, speak, said, scratch: around.scratch };
}

test("a spoken text is a file of the cache, told with its tag; what it costs is said before", async (t) => {
  const { speak, said, scratch } = await world(t, {
    builtIn: [speaker("edge", { billed: true })],
    settings: { "tts.provider": "edge" },
  });
  const path = join(scratch, "speech.audio");
  assert.deepEqual(await speak(" Hello there. "), {
    success: true,
    file_path: path,
    media_tag: `MEDIA:${path}`,
    provider: "edge",
    voice_compatible: false,
    truncated: false,
  });
  assert.deepEqual(readFileSync(path), MP3);
  assert.deepEqual(said, ["Speaking 12 characters with edge (m1); its vendor bills them."]);
});

test("a text beyond the cap of its provider is cut at a sentence end, with a warning", async (t) => {
  const heard: string[] = [];
  const edge = speaker("edge", {
    speak: async (text): Promise<SpokenAudio> => {
      heard.push(text);
      return { ok: true, bytes: MP3 };
    },
  });
  const { speak } = await world(t, { builtIn: [edge] });
  const { truncated, warning } = await speak("The first sentence. The second one is too much.");
  assert.deepEqual([heard, truncated], [["The first sentence."], true]);
  assert.match(String(warning), /at most 30 characters/);
});

test("without tts.provider only what costs nothing is chosen: the default, a command, a plugin, a program", async (t) => {
  const missing = { lacks: async () => "edge-tts is not installed" };
  const builtIn = [
    speaker("edge", missing),
    speaker("openai", { billed: true }),
    speaker("kittentts", { onlyNamed: true }),
    speaker("piper"),
  ];
  const chosen = async (more: Given) => (await (await world(t, { builtIn, ...more })).speak("Hello."))["provider"];
  assert.equal(await chosen({}), "piper");
  assert.equal(await chosen({ plugins: [speaker("mine")] }), "mine");
  assert.equal(await chosen({ plugins: [speaker("mine")], settings: { "tts.providers": { c: {} } } }), "c");
  assert.equal(await chosen({ settings: { "tts.provider": "openai" } }), "openai");
  const none = await world(t, { builtIn: builtIn.slice(0, 3) });
  assert.equal(await none.speech.offered(), "edge-tts is not installed");
  assert.equal((await none.speak("Hello."))["error_type"], "not_available");
});

test("a command does not take the name of a built-in provider, and an unknown name lists the known ones", async (t) => {
  const edge = speaker("edge", { speak: async () => ({ ok: false, type: "api_error", why: "the built-in one" }) });
  const settings = { "tts.provider": "edge", "tts.providers": { edge: {}, mine: {} } };
  assert.equal((await (await world(t, { builtIn: [edge], settings })).speak("Hello."))["error"], "the built-in one");
  const unknown = await world(t, { settings: { ...settings, "tts.provider": "nope" } });
  assert.match(String(await unknown.speech.offered()), /unknown provider "nope" .*known: edge, edge, mine/);
  const bad = await world(t, { settings: { "tts.provider": "c", "tts.providers": { c: "bad" } } });
  assert.equal(await bad.speech.offered(), "bad command");
});

test("blank texts, failures and answers that are no audio are errors of the tool", async (t) => {
  const failing = async (spoken: SpokenAudio | Error) => {
    const speak = async () => (spoken instanceof Error ? Promise.reject(spoken) : spoken);
    const { error, error_type } = await (await world(t, { builtIn: [speaker("edge", { speak })] })).speak("Hello.");
    return `${String(error_type)}: ${String(error)}`;
  };
  assert.equal(await failing({ ok: false, type: "timeout", why: "slow" }), "timeout: slow");
  assert.equal(await failing({ ok: true, bytes: Buffer.from("<html>") }), "api_error: the answer is not an audio file");
  assert.equal(await failing(new Error("broken")), "api_error: broken");
  assert.equal((await (await world(t, {})).speak(" "))["error_type"], "invalid_arguments");
});

test("a file of another form needs ffmpeg, and says so where it is not there", async (t) => {
  const { speak, scratch } = await world(t, {});
  const { error } = await speak("Hello.", { outputPath: join(scratch, "a.wav") });
  assert.equal(error, "the provider gives mp3: name output_path with .mp3, or install ffmpeg");
  assert.match(String((await speak("Hello.", { outputPath: join(scratch, "a.exe") }))["error"]), /must end in/);
  const same = await speak("Hello.", { outputPath: join(scratch, "deep", "a.mp3") });
  assert.equal(same["file_path"], join(scratch, "deep", "a.mp3"));
  assert.equal((await speak("Hello.", { voice: true }))["voice_compatible"], false);
});

test("tags are added by a model only where the user wants them, and only tags", async (t) => {
  const heard: string[] = [];
  const speak: SpeechProvider["speak"] = async (text) => {
    heard.push(text);
    return { ok: true, bytes: MP3 };
  };
  const builtIn = [speaker("edge", { speak, tags: () => true })];
  await (await world(t, { builtIn, answer: "Ha. [laughs]" })).speak("Ha.");
  const settings = { "tts.audio_tags": true };
  await (await world(t, { builtIn, settings, answer: "Ha. [laughs]" })).speak("Ha.");
  await (await world(t, { builtIn, settings, answer: "Something else." })).speak("Ha.");
  assert.deepEqual(heard, ["Ha.", "Ha. [laughs]", "Ha."]);
});

test("the provider of a plugin speaks; what it throws or answers amiss is its failure", async (t) => {
  const around = await audioWorld(t);
  const plugin = (speak: () => unknown, isAvailable: () => unknown = () => true) =>
    pluginSpeech({ name: "p", isAvailable, speak } as { name: string });
  const of = async (speak: () => unknown) => plugin(speak).speak("Hello.", around, never);
  assert.deepEqual(await of(async () => MP3), { ok: true, bytes: MP3 });
  assert.match(JSON.stringify(await of(() => "text")), /answered no bytes/);
  assert.match(
    JSON.stringify(
      await of(() => {
        throw new Error("boom");
      }),
    ),
    /the plugin of p failed: boom/,
  );
  assert.match(
    (await plugin(
      () => MP3,
      () => false,
    ).lacks(around)) ?? "",
    /not available/,
  );
});
