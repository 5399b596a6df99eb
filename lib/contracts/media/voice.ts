/** Voice: messages that are spoken into a microphone, and answers that are read aloud (core part, 14.2; gateway part, 12.4). */
import type { ChatPlace } from "../board/notify.js";
import { type ConfigKey, configKey } from "../config/config.js";

/** At the terminal `on` records and `tts` speaks answers as well. In a chat `on` speaks answers to voice messages, `tts` every answer. */
export const VOICE_MODES = ["off", "on", "tts"] as const;
export type VoiceMode = (typeof VOICE_MODES)[number];

export const VOICE = {
  mode: configKey<VoiceMode>({
    key: "voice.mode",
    kind: { type: "choice", of: VOICE_MODES },
    default: "off",
    help: "Voice at the terminal: on (the record key records), tts (answers are also spoken), off. Set with /voice.",
  }),
  recordKey: configKey<string>({
    key: "voice.record_key",
    kind: { type: "string" },
    default: "ctrl+b",
    help: "Key that starts and stops a recording while voice is on.",
  }),
  maxSeconds: configKey<number>({
    key: "voice.max_recording_seconds",
    kind: { type: "integer", min: 1, max: 3_600 },
    default: 120,
    help: "Longest recording, in seconds.",
  }),
  silenceThreshold: configKey<number>({
    key: "voice.silence_threshold",
    kind: { type: "integer", min: 0, max: 32_767 },
    default: 200,
    help: "Level below which sound counts as silence, of 32767 (0 = recordings end by key only).",
  }),
  silenceSeconds: configKey<number>({
    key: "voice.silence_duration",
    kind: { type: "number", min: 0.1, max: 600 },
    default: 3,
    help: "Seconds of silence after speech that end a recording.",
  }),
} as const;

export const VOICE_KEYS: readonly ConfigKey<unknown>[] = Object.values(VOICE);

/** A part that can be used, by its name, or what to do about it. */
export type VoicePart = { readonly name: string; readonly billed: boolean } | { readonly why: string };

/** What transcribes recordings and what speaks answers, by the settings of the moment. */
export interface VoiceParts {
  readonly hears: VoicePart;
  readonly speaks: VoicePart;
}

/** Audio file formats that spoken answers are sent in. */
export type SpokenForm = "ogg" | "mp3" | "m4a";

export interface SpokenAnswer {
  readonly path: string;
  /** Ogg with Opus, which chats show as a voice message. */
  readonly voice: boolean;
}

export interface VoiceApi {
  /** Nothing is installed and no service is asked. */
  parts(): Promise<VoiceParts>;
  /** Text of a WAV recording. @throws AppError that says what to do */
  transcribe(path: string, signal: AbortSignal): Promise<string>;
  /**
   * Speak an answer, shortened for the ear. Undefined: nothing in it can be spoken.
   *
   * @param form default: as the provider gives it. Without ffmpeg it is always that
   * @throws AppError that says what to do
   */
  speak(answer: string, form: SpokenForm | undefined, signal: AbortSignal): Promise<SpokenAnswer | undefined>;
  /** The mode of a chat; `off` until it is set. */
  chatMode(place: ChatPlace): Promise<VoiceMode>;
  setChatMode(place: ChatPlace, mode: VoiceMode): Promise<void>;
}
