import assert from "node:assert/strict";
import { test } from "node:test";
import { KEY, MP3, startSpeechServices } from "../../../fixtures/servers/media/speech.js";
import { audioWorld } from "../../../fixtures/sim/audio-world.js";
import { NetError } from "../../../lib/base/net/net.js";
import type { AudioSettings } from "../../../lib/contracts/media/speech.js";
import { SPEECH_PROVIDERS } from "./index.js";

const never = new AbortController().signal;
const BARE: AudioSettings = { text: (_name, fallback) => fallback, number: () => undefined };

const providerOf = (name: string) => {
  const found = SPEECH_PROVIDERS.find((one) => one.name === name);
  assert.ok(found !== undefined, name);
  return found;
};

const CAPS: Readonly<Record<string, number>> = {
  edge: 5_000,
  openai: 4_096,
  "search-vendor": 15_000,
  regional: 10_000,
  mistral: 4_000,
  gemini: 32_000,
  elevenlabs: 10_000,
  neutts: 2_000,
  kittentts: 2_000,
  piper: 5_000,
};

test("every provider that speaks has the cap of its service", () => {
  const caps = Object.fromEntries(SPEECH_PROVIDERS.map((one) => [one.name, one.maxChars(BARE)]));
  assert.deepEqual(caps, CAPS);
  const model = (id: string): AudioSettings => ({ ...BARE, text: () => id });
  const { maxChars } = providerOf("elevenlabs");
  assert.deepEqual([maxChars(model("eleven_v3")), maxChars(model("eleven_flash_v2_5"))], [5_000, 40_000]);
});

/** Provider, its variable, and what of its wire a server sees. */
const WIRES: readonly (readonly [name: string, variable: string, path: string, body: Record<string, unknown>])[] = [
  [
    "openai",
    "OPENAI_API_KEY",
    "/audio/speech",
    { model: "gpt-4o-mini-tts", input: "Hello.", voice: "alloy", response_format: "mp3" },
  ],
  [
    "mistral",
    "MISTRAL_API_KEY",
    "/audio/speech",
    { model: "voxtral-mini-tts-3-0", input: "Hello.", voice_id: "en_paul_neutral", response_format: "mp3" },
  ],
  [
    "elevenlabs",
    "ELEVENLABS_API_KEY",
    "/text-to-speech/21m00Tcm4TlvDq8ikWAM?output_format=mp3_44100_128",
    { text: "Hello.", model_id: "eleven_multilingual_v2" },
  ],
  [
    "regional",
    "REGIONAL_API_KEY",
    "/t2a_v2",
    {
      model: "speech-2.8-hd",
      text: "Hello.",
      stream: false,
      voice_setting: { voice_id: "English_Graceful_Lady", speed: 1, vol: 1, pitch: 0 },
      audio_setting: { sample_rate: 32_000, bitrate: 128_000, format: "mp3", channel: 1 },
    },
  ],
  [
    "gemini",
    "GEMINI_API_KEY",
    "/models/gemini-2.5-flash-preview-tts:generateContent",
    {
      contents: [{ parts: [{ text: "Hello." }] }],
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
      },
    },
  ],
];

for (const [name, variable, path, body] of WIRES) {
  test(`${name} speaks over its public wire, and a missing, refused or used-up key says what to do`, async (t) => {
    const server = await startSpeechServices(t);
    const provider = providerOf(name);
    const options = { base_url: `${server.url}/` };
    const around = await audioWorld(t, { options, env: { [variable]: KEY } });
    const spoken = await provider.speak("Hello.", around, never);
    assert.ok(spoken.ok, JSON.stringify(spoken));
    const [asked] = server.requests;
    assert.deepEqual([asked?.path, asked?.json], [path, body]);
    const beginning = Buffer.from(spoken.bytes.subarray(0, 3)).toString("latin1");
    assert.equal(beginning, name === "gemini" ? "RIF" : "ID3");
    if (name !== "gemini") assert.deepEqual(Buffer.from(spoken.bytes), MP3);

    assert.match((await provider.lacks({ ...around, env: {} })) ?? "", /no API key: set [A-Z_]+_API_KEY in \.env/);
    assert.equal(await provider.lacks(around), undefined);
    const wrong = await provider.speak("Hello.", { ...around, env: { [variable]: "wrong" } }, never);
    assert.match(
      wrong.ok ? "" : `${wrong.type} ${wrong.why}`,
      /auth_required invalid_api_key: Incorrect.*check [A-Z_]+/,
    );
    server.next({ status: 429, headers: { "retry-after": "60" }, body: { error: { message: "slow down" } } });
    const limited = await provider.speak("Hello.", around, never);
    assert.match(limited.ok ? "" : limited.why, /slow down; the limit ends at \d{4}-/);
    server.next({ body: "" });
    const empty = await provider.speak("Hello.", around, never);
    assert.match(empty.ok ? "" : empty.why, /without audio/);
  });
}

test("the search vendor speaks with a login, renewed once, and a key needs no other variable", async (t) => {
  const server = await startSpeechServices(t);
  const first = { baseUrl: server.url, bearer: "old", entry: "1", kind: "oauth" } as const;
  const around = await audioWorld(t, {
    credentials: { exists: async () => true, get: async () => first, renew: async () => ({ ...first, bearer: KEY }) },
  });
  const provider = providerOf("search-vendor");
  const spoken = await provider.speak("Hello.", around, never);
  assert.ok(spoken.ok);
  assert.deepEqual(
    server.requests.map(({ path, json }) => [path, json]),
    Array(2).fill(["/tts", { text: "Hello.", voice_id: "eve", language: "auto" }]),
  );
  const nobody = await audioWorld(t);
  assert.match((await provider.lacks(nobody)) ?? "", /agent auth add search-vendor/);
  const refused = await provider.speak("Hello.", nobody, never);
  assert.match(refused.ok ? "" : `${refused.type} ${refused.why}`, /auth_required.*agent auth add/);
});

test("a service that says that it failed, is too slow or away, is told in words", async (t) => {
  const server = await startSpeechServices(t);
  const regional = providerOf("regional");
  const env = { REGIONAL_API_KEY: KEY };
  const around = await audioWorld(t, { options: { base_url: server.url }, env });
  server.next({ body: { base_resp: { status_code: 1008, status_msg: "insufficient balance" } } });
  const poor = await regional.speak("Hello.", around, never);
  assert.equal(poor.ok ? "" : poor.why, "1008: insufficient balance");
  const failing = (failure: "timeout" | "refused") =>
    audioWorld(t, {
      options: { base_url: server.url },
      env,
      net: (real) => ({ ...real, fetch: () => Promise.reject(new NetError(failure, "gone")) }),
    });
  const slow = await regional.speak("Hello.", await failing("timeout"), never);
  assert.match(slow.ok ? "" : `${slow.type} ${slow.why}`, /timeout no answer within 120 s/);
  const away = await regional.speak("Hello.", await failing("refused"), never);
  assert.match(away.ok ? "" : away.why, /cannot reach 127\.0\.0\.1:\d+: gone/);
});

test("a program that is not installed is named with how it is installed, and nothing is started", async (t) => {
  const around = await audioWorld(t, { path: "/nonexistent" });
  for (const [name, says] of [
    ["edge", /edge-tts is not installed: pipx install edge-tts/],
    ["piper", /piper is not installed: pipx install piper-tts/],
    ["kittentts", /python3 is not installed/],
  ] as const)
    assert.match((await providerOf(name).lacks(around)) ?? "", says);
});
