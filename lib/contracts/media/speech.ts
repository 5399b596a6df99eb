/** Speech: texts that are spoken (extensions part, 10.4). */
import type { Net } from "../../base/net/net.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import { type ConfigKey, configKey } from "../config/config.js";
import type { ToolCredentials } from "../models/tool-credentials.js";
import type { MediaEnvelope } from "./media.js";
import type { SpokenForm, VoicePart } from "./voice.js";

export interface SpeakRequest {
  readonly text: string;
  /** Absolute, passed by the guard of writes; absent: a file of the cache. */
  readonly outputPath?: string;
  /** It is sent as a voice message if possible: Ogg with Opus. */
  readonly voice: boolean;
  /** Wanted format of a file of the cache. Default: Ogg for a voice message, else as the provider gives it. */
  readonly form?: SpokenForm;
}

export interface SpeechApi {
  /** A provider can be used; else what to do about it. Nothing is installed and no service is asked. */
  offered(): Promise<true | string>;
  /** Who would speak now. */
  speaker(): Promise<VoicePart>;
  /** Never throws but when the signal aborts; `progress` says who is asked, before anything is sent. */
  speak(request: SpeakRequest, progress: (text: string) => void, signal: AbortSignal): Promise<MediaEnvelope>;
}

/** What became of a request to a service or a program for speech. `why` says what to do about it. */
export interface AudioFailure {
  readonly ok: false;
  readonly type: "auth_required" | "api_error" | "timeout" | "not_installed" | "configuration" | "too_large";
  readonly why: string;
}

/** An audio file, whole; its first bytes say of which kind. */
export type SpokenAudio = { readonly ok: true; readonly bytes: Uint8Array } | AudioFailure;

/** Settings of one provider: `tts.<name>.*` or `stt.<name>.*`. */
export interface AudioSettings {
  text(name: string, fallback: string): string;
  number(name: string): number | undefined;
}

/** What providers of speech and of transcription work with. */
export interface AudioContext {
  readonly settings: AudioSettings;
  readonly net: Net;
  readonly clock: Clock;
  readonly spawner: Spawner;
  /** Environment of programs, without secrets. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Variables of `.env` over those of the process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Logins and keys of a provider of models. */
  credentials(provider: string): ToolCredentials;
  /** A private directory that is removed afterwards. */
  readonly scratch: string;
}

/** What is looked at before a provider is asked for anything. */
export type AudioLook = Omit<AudioContext, "scratch">;

/** A service or program that speaks. One file each in `adapters/media/speech`. */
export interface SpeechProvider {
  readonly name: string;
  /** A vendor bills it: used only where a setting names it. */
  readonly billed: boolean;
  /** Variables of `.env` that hold its key, the first one is asked for. Absent: it works without a key. */
  readonly keyVariables?: readonly string[];
  /** Whether it is installed is only known once it runs: used only where a setting names it. */
  readonly onlyNamed?: true;
  /** Characters of one text, by the model of the settings. */
  maxChars(settings: AudioSettings): number;
  /** Told before anything is sent. */
  model(settings: AudioSettings): string;
  /** It speaks tags such as `[laughs]`. */
  tags?(settings: AudioSettings): boolean;
  /** What it lacks, and what to do about it; undefined: nothing. Cheap, without network; nothing is installed. */
  lacks(look: AudioLook): Promise<string | undefined>;
  /** Never throws but when the signal aborts. */
  speak(text: string, around: AudioContext, signal: AbortSignal): Promise<SpokenAudio>;
}

export const TTS = {
  provider: configKey<string>({
    key: "tts.provider",
    kind: { type: "string" },
    default: "edge",
    help: "Speaks texts: edge, openai, search-vendor, regional, mistral, gemini, elevenlabs, neutts, kittentts, piper, a name of tts.providers, or that of a plugin.",
  }),
  audioTags: configKey<boolean>({
    key: "tts.audio_tags",
    kind: { type: "boolean" },
    default: false,
    help: "Let the model of auxiliary.tts_audio_tags add tags such as [laughs] for providers that speak them.",
  }),
  commands: configKey<unknown>({
    key: "tts.providers",
    kind: { type: "any" },
    default: {},
    help: "Commands that speak, by name: {type: command, command, output_format, timeout, max_text_length, voice, model, speed}.",
  }),
  options: configKey<unknown>({
    key: "tts.*",
    kind: { type: "any" },
    default: {},
    help: "Settings of one provider that speaks: voice, model, speed, language, base_url.",
  }),
} as const;

export const SPEECH_KEYS: readonly ConfigKey<unknown>[] = Object.values(TTS);
