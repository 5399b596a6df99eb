import { bearer, speechService } from "./service.js";

/** `POST /audio/speech`, as OpenAI and servers that are compatible with it have it. */
export const openaiSpeech = speechService({
  name: "openai",
  keyVariables: ["VENDOR_API_KEY", "OPENAI_API_KEY"],
  baseUrl: "https://api.openai.com/v1",
  model: "gpt-4o-mini-tts",
  maxChars: 4_096,
  request: ({ text, model, key, settings }) => {
    const speed = settings.number("speed");
    return {
      path: "/audio/speech",
      headers: bearer(key),
      body: {
        model,
        input: text,
        voice: settings.text("voice", "alloy"),
        response_format: "mp3",
        ...(speed === undefined ? {} : { speed }),
      },
    };
  },
});
