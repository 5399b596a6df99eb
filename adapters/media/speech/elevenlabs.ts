import { speechService } from "./service.js";

/** Characters of one text, by the beginning of the model's id. */
const CAPS: readonly (readonly [model: string, chars: number])[] = [
  ["eleven_v3", 5_000],
  ["eleven_flash_v2_5", 40_000],
  ["eleven_turbo_v2_5", 40_000],
  ["eleven_flash_v2", 30_000],
  ["eleven_turbo_v2", 30_000],
];

/** `POST /text-to-speech/{voice}`. */
export const elevenLabsSpeech = speechService({
  name: "elevenlabs",
  keyVariables: ["ELEVENLABS_API_KEY"],
  baseUrl: "https://api.elevenlabs.io/v1",
  model: "eleven_multilingual_v2",
  maxChars: (model) => CAPS.find(([beginning]) => model.startsWith(beginning))?.[1] ?? 10_000,
  tags: (model) => model.startsWith("eleven_v3"),
  request: ({ text, model, key, settings }) => {
    const speed = settings.number("speed");
    return {
      path: `/text-to-speech/${encodeURIComponent(settings.text("voice", "21m00Tcm4TlvDq8ikWAM"))}?output_format=mp3_44100_128`,
      headers: { "xi-api-key": key },
      body: { text, model_id: model, ...(speed === undefined ? {} : { voice_settings: { speed } }) },
    };
  },
});
