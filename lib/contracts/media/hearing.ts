/** Transcription: recordings that become text (gateway part, 12.3 and 16.6.5). */
import { type ConfigKey, configKey } from "../config/config.js";
import type { AudioContext, AudioFailure, AudioLook, AudioSettings } from "./speech.js";

export type HeardText = { readonly ok: true; readonly text: string } | AudioFailure;

/** A service or program that transcribes. One file each in `adapters/media/hearing`. */
export interface HearingProvider {
  readonly name: string;
  /** A vendor bills it: used only where a setting names it. */
  readonly billed: boolean;
  /** Variables of `.env` that hold its key, the first one is asked for. Absent: it works without a key. */
  readonly keyVariables?: readonly string[];
  /** A larger recording is refused before anything is sent. */
  readonly maxBytes: number;
  model(settings: AudioSettings): string;
  /** What it lacks, and what to do about it; undefined: nothing. Without network and processes; nothing is installed. */
  lacks(look: AudioLook): string | undefined;
  /** Never throws but when the signal aborts. */
  hear(path: string, around: AudioContext, signal: AbortSignal): Promise<HeardText>;
}

export const STT = {
  provider: configKey<string>({
    key: "stt.provider",
    kind: { type: "string" },
    default: "local",
    help: "Transcribes recordings: local (whisper-cli or whisper, if installed), openai, groq, mistral, or a name of stt.providers.",
  }),
  commands: configKey<unknown>({
    key: "stt.providers",
    kind: { type: "any" },
    default: {},
    help: "Commands that transcribe, by name: {type: command, command, timeout, model, language}.",
  }),
  options: configKey<unknown>({
    key: "stt.*",
    kind: { type: "any" },
    default: {},
    help: "Settings of one provider that transcribes: model, language, base_url.",
  }),
} as const;

export const HEARING_KEYS: readonly ConfigKey<unknown>[] = Object.values(STT);
