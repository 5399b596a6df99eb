import { extname, join } from "node:path";
import { toAppError } from "../../base/errors.js";
import { makeDirectory, readAtMost, writeAtomic } from "../../base/fs/files.js";
import { MEDIUM_HEAD_BYTES, mediumType } from "../../base/fs/medium-type.js";
import { makeTemporaryDirectory } from "../../base/fs/tree.js";
import { programOnPath } from "../../base/process/program-path.js";
import { runProgram } from "../../base/process/run-program.js";
import type { MediaCache } from "../../contracts/media/cache.js";
import type { MediaEnvelope } from "../../contracts/media/media.js";
import {
  type AudioContext,
  type AudioFailure,
  type SpeakRequest,
  type SpeechApi,
  type SpeechProvider,
  type SpokenAudio,
  TTS,
} from "../../contracts/media/speech.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import { type ChooseDeps, chooseSpeech } from "./choose-speech.js";
import { cutAtSentence, taggedOnly } from "./speech-text.js";

export interface SpeechDeps extends ChooseDeps {
  readonly aux: AuxClient;
  readonly cache: MediaCache;
}

const CONVERT_MS = 120_000;
const AUDIO_BYTES = 64 << 20;

/** Texts that become audio files (extensions part, 10.4). */
export function createSpeech(deps: SpeechDeps): SpeechApi {
  return {
    offered: async () => {
      const chosen = await chooseSpeech(deps);
      return "provider" in chosen ? true : chosen.why;
    },
    speaker: async () => {
      const chosen = await chooseSpeech(deps);
      if (!("provider" in chosen)) return { why: chosen.why };
      return { name: chosen.provider.name, billed: chosen.provider.billed };
    },
    speak: async (request, progress, signal) => {
      if (request.text.trim() === "") return failed(undefined, "invalid_arguments", "text must not be blank");
      try {
        const chosen = await chooseSpeech(deps);
        if ("provider" in chosen) return await speakWith(deps, chosen.provider, { request, progress, signal });
        return failed(chosen.name, "not_available", chosen.why);
      } catch (error) {
        signal.throwIfAborted();
        return failed(undefined, "api_error", toAppError(error).message);
      }
    },
  };
}

const failed = (provider: string | undefined, type: string, error: string): MediaEnvelope => ({
  success: false,
  ...(provider === undefined ? {} : { provider }),
  error,
  error_type: type,
});

interface Speaking {
  readonly request: SpeakRequest;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
}

async function speakWith(
  deps: SpeechDeps,
  provider: SpeechProvider,
  { request, progress, signal }: Speaking,
): Promise<MediaEnvelope> {
  const { name } = provider;
  const look = deps.look(name);
  const most = provider.maxChars(look.settings);
  const whole = request.text.trim();
  const text = cutAtSentence(whole, most);
  const truncated = text !== whole;
  const billed = provider.billed ? "; its vendor bills them" : "";
  progress(`Speaking ${[...text].length} characters with ${name} (${provider.model(look.settings)})${billed}.`);
  const tagged = provider.tags?.(look.settings) === true ? await withTags(deps, text, most, signal) : text;
  const place = await makeTemporaryDirectory("agent-speech");
  try {
    const around = { ...look, scratch: place.path };
    const spoken = await provider.speak(tagged, around, signal);
    if (!spoken.ok) return failed(name, spoken.type, spoken.why);
    const shaped = await inWantedForm(spoken.bytes, request, { around, signal });
    if (!shaped.ok) return failed(name, shaped.type, shaped.why);
    const path = await keep(deps, shaped.bytes, request.outputPath);
    return {
      success: true,
      file_path: path,
      media_tag: `MEDIA:${path}`,
      provider: name,
      voice_compatible: isVoice(shaped.bytes),
      truncated,
      ...(truncated
        ? { warning: `${name} speaks at most ${most} characters: the text was cut at a sentence end` }
        : {}),
    };
  } finally {
    await place.remove();
  }
}

/** A voice message of chats is Ogg with Opus. */
const isVoice = (bytes: Uint8Array): boolean =>
  mediumType(bytes)?.ending === "ogg" && Buffer.from(bytes.subarray(0, MEDIUM_HEAD_BYTES)).includes("OpusHead");

const ENDINGS: Readonly<Record<string, string>> = {
  ".mp3": "mp3",
  ".wav": "wav",
  ".flac": "flac",
  ".m4a": "m4a",
  ".ogg": "ogg",
  ".opus": "ogg",
};

/** The audio as the caller wants it; converted with ffmpeg where that is there. */
async function inWantedForm(
  bytes: Uint8Array,
  { outputPath, voice, form }: SpeakRequest,
  { around, signal }: { readonly around: AudioContext; readonly signal: AbortSignal },
): Promise<SpokenAudio> {
  const type = mediumType(bytes);
  if (type?.sort !== "audio") return { ok: false, type: "api_error", why: "the answer is not an audio file" };
  const own = form ?? (voice ? "ogg" : type.ending);
  const wanted = outputPath === undefined ? own : ENDINGS[extname(outputPath).toLowerCase()];
  if (wanted === undefined)
    return { ok: false, type: "configuration", why: "output_path must end in .mp3, .m4a, .wav, .ogg, .opus or .flac" };
  const fits = wanted === type.ending && (wanted !== "ogg" || isVoice(bytes));
  if (fits) return { ok: true, bytes };
  const ffmpeg = programOnPath("ffmpeg", around.childEnv["PATH"]);
  if (ffmpeg !== undefined) return convert(ffmpeg, { bytes, from: type.ending, to: wanted }, { around, signal });
  if (outputPath === undefined) return { ok: true, bytes };
  const why = `the provider gives ${type.ending}: name output_path with .${type.ending}, or install ffmpeg`;
  return { ok: false, type: "not_installed", why };
}

async function convert(
  ffmpeg: string,
  { bytes, from, to }: { readonly bytes: Uint8Array; readonly from: string; readonly to: string },
  { around, signal }: { readonly around: AudioContext; readonly signal: AbortSignal },
): Promise<SpokenAudio> {
  const source = join(around.scratch, `source.${from}`);
  const target = join(around.scratch, `converted.${to}`);
  await writeAtomic(source, bytes, 0o600, false);
  const codec = to === "ogg" ? ["-c:a", "libopus", "-b:a", "32k", "-ac", "1"] : [];
  const args = ["-v", "error", "-nostdin", "-y", "-i", source, "-vn", ...codec, target];
  const run = { file: ffmpeg, args, cwd: around.scratch, env: around.childEnv, ms: CONVERT_MS };
  const { code, stderr } = await runProgram(around, run, signal);
  const made = code === 0 ? await readAtMost(target, AUDIO_BYTES) : undefined;
  const why = `ffmpeg could not convert ${from} to ${to}: ${stderr.trim().slice(-200)}`;
  return made === undefined
    ? ({ ok: false, type: "api_error", why } satisfies AudioFailure)
    : { ok: true, bytes: made };
}

async function keep({ cache }: SpeechDeps, bytes: Uint8Array, outputPath: string | undefined): Promise<string> {
  if (outputPath === undefined) return cache.save("audio", "speech", bytes);
  await makeDirectory(join(outputPath, ".."));
  await writeAtomic(outputPath, bytes, 0o600);
  return outputPath;
}

const TAG_WORDS =
  "You prepare a text for a voice. Answer the text word for word, with a few tags in square brackets such as [laughs], [sighs], [whispers] or [pause] where they fit. Change, add and remove no words.";

/** Only where the user wants it: it asks another model. */
async function withTags({ config, aux }: SpeechDeps, text: string, most: number, signal: AbortSignal): Promise<string> {
  if (!config.get(TTS.audioTags)) return text;
  const answer = await aux.ask(
    { slot: "tts_audio_tags", system: TAG_WORDS, user: text, temperature: 0.3, maxOutputTokens: 8_000 },
    signal,
  );
  const tagged = answer.ok ? taggedOnly(text, answer.text) : text;
  return [...tagged].length <= most ? tagged : text;
}
