import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import { speechService } from "./service.js";
import { waveFile } from "./wave.js";

const RATE = 24_000;

/** `generateContent` with audio as its answer: samples without a header. */
export const geminiSpeech = speechService({
  name: "gemini",
  keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  model: "gemini-2.5-flash-preview-tts",
  maxChars: 32_000,
  tags: () => true,
  request: ({ text, model, key, settings }) => ({
    path: `/models/${encodeURIComponent(model)}:generateContent`,
    headers: { "x-goog-api-key": key },
    body: {
      contents: [{ parts: [{ text }] }],
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: settings.text("voice", "Kore") } } },
      },
    },
  }),
  read: (answer) => {
    const found = findAudio(jsonOf(answer.toString("utf8")));
    if (found === undefined) return "the service answered without audio";
    const rate = Number(/rate=(\d{4,6})/.exec(found.type)?.[1] ?? RATE);
    const bytes = Buffer.from(found.data, "base64");
    return /^audio\/(?:L16|pcm)/i.test(found.type) ? waveFile(bytes, rate) : bytes;
  },
});

function findAudio(value: unknown): { readonly data: string; readonly type: string } | undefined {
  const candidates = isRecord(value) && Array.isArray(value["candidates"]) ? value["candidates"].filter(isRecord) : [];
  const parts = candidates.flatMap(({ content }) =>
    isRecord(content) && Array.isArray(content["parts"]) ? content["parts"].filter(isRecord) : [],
  );
  for (const { inlineData } of parts) {
    if (!isRecord(inlineData)) continue;
    const { data, mimeType } = inlineData;
    if (typeof data === "string" && data !== "") return { data, type: String(mimeType ?? "audio/L16") };
  }
  return undefined;
}
