import type { AudioContext, AudioSettings, SpeechProvider, SpokenAudio } from "../../../lib/contracts/media/speech.js";
import { askService, JSON_TYPE, keyOf, missingKey, withoutSlash } from "../audio-service.js";

/** 64 MiB of audio, as base64 or hex in JSON where a service answers so. */
const ANSWER_BYTES = 130 << 20;
const SPEAK_MS = 120_000;

/** What differs between services that speak. */
export interface SpeechService {
  readonly name: string;
  readonly keyVariables: readonly string[];
  readonly baseUrl: string;
  readonly model: string;
  readonly maxChars: number | ((model: string) => number);
  readonly tags?: (model: string) => boolean;
  /** Path below the base address, headers with the key, and the body. */
  request(asked: SpeechAsked): {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: object;
  };
  /** The audio in an answer; a text says why it is missing. Absent: the answer is the audio. */
  read?(answer: Buffer): Uint8Array | string;
}

export interface SpeechAsked {
  readonly text: string;
  readonly model: string;
  readonly key: string;
  readonly settings: AudioSettings;
}

/** A service with a key of its own, over HTTP. */
export function speechService(service: SpeechService): SpeechProvider {
  const { name, keyVariables } = service;
  const modelOf = (settings: AudioSettings) => settings.text("model", service.model);
  return {
    name,
    billed: true,
    keyVariables,
    maxChars: (settings) =>
      typeof service.maxChars === "number" ? service.maxChars : service.maxChars(modelOf(settings)),
    model: modelOf,
    tags: (settings) => service.tags?.(modelOf(settings)) ?? false,
    lacks: async ({ env }) => (keyOf(env, keyVariables) === undefined ? missingKey(keyVariables) : undefined),
    speak: async (text, around, signal) => {
      const key = keyOf(around.env, keyVariables);
      if (key === undefined) return { ok: false, type: "auth_required", why: missingKey(keyVariables) };
      const { settings } = around;
      const asked = { text, model: modelOf(settings), key: key.reveal(), settings };
      return sendSpeech(service, asked, { around, base: settings.text("base_url", service.baseUrl) }, signal);
    },
  };
}

/** One request with a key that was found. */
export async function sendSpeech(
  service: Pick<SpeechService, "request" | "read" | "keyVariables">,
  asked: SpeechAsked,
  { around, base }: { readonly around: AudioContext; readonly base: string },
  signal: AbortSignal,
): Promise<SpokenAudio> {
  const { path, headers, body } = service.request(asked);
  const answer = await askService(
    around,
    {
      url: `${withoutSlash(base)}${path}`,
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify(body),
      maxBytes: ANSWER_BYTES,
      ms: SPEAK_MS,
      keyHint: `check ${service.keyVariables[0] ?? "the login"}`,
    },
    signal,
  );
  if (!answer.ok) return answer;
  const read = service.read?.(answer.bytes) ?? answer.bytes;
  if (typeof read === "string") return { ok: false, type: "api_error", why: read };
  if (read.length === 0) return { ok: false, type: "api_error", why: "the service answered without audio" };
  return { ok: true, bytes: read };
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
