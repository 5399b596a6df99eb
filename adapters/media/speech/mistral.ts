import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import { bearer, speechService } from "./service.js";

/** `POST /audio/speech`; the audio comes as base64. */
export const mistralSpeech = speechService({
  name: "mistral",
  keyVariables: ["MISTRAL_API_KEY"],
  baseUrl: "https://api.mistral.ai/v1",
  model: "voxtral-mini-tts-3-0",
  maxChars: 4_000,
  request: ({ text, model, key, settings }) => ({
    path: "/audio/speech",
    headers: bearer(key),
    body: { model, input: text, voice_id: settings.text("voice", "en_paul_neutral"), response_format: "mp3" },
  }),
  read: (answer) => {
    const value = jsonOf(answer.toString("utf8"));
    const audio = isRecord(value) ? value["audio_data"] : undefined;
    return typeof audio === "string" ? Buffer.from(audio, "base64") : "the service answered without audio_data";
  },
});
