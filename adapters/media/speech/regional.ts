import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import { bearer, speechService } from "./service.js";

/** `POST /t2a_v2`; the audio comes as hexadecimal digits, and a failure as a status of its own. */
export const regionalSpeech = speechService({
  name: "regional",
  keyVariables: ["REGIONAL_API_KEY", "MINIMAX_API_KEY"],
  baseUrl: "https://api.minimax.io/v1",
  model: "speech-2.8-hd",
  maxChars: 10_000,
  request: ({ text, model, key, settings }) => ({
    path: "/t2a_v2",
    headers: bearer(key),
    body: {
      model,
      text,
      stream: false,
      voice_setting: {
        voice_id: settings.text("voice", "English_Graceful_Lady"),
        speed: settings.number("speed") ?? 1,
        vol: 1,
        pitch: 0,
      },
      audio_setting: { sample_rate: 32_000, bitrate: 128_000, format: "mp3", channel: 1 },
    },
  }),
  read: (answer) => {
    const value = jsonOf(answer.toString("utf8"));
    const { data, base_resp: status } = isRecord(value) ? value : {};
    if (isRecord(status) && Number(status["status_code"] ?? 0) !== 0)
      return `${String(status["status_code"])}: ${String(status["status_msg"])}`;
    const audio = isRecord(data) ? data["audio"] : undefined;
    return typeof audio === "string" ? Buffer.from(audio, "hex") : "the service answered without audio";
  },
});
