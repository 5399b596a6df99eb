import { hearingService } from "./service.js";

/** OpenAI, and servers that are compatible with it (`stt.openai.base_url`). */
export const openaiHearing = hearingService({
  name: "openai",
  keyVariables: ["VENDOR_API_KEY", "OPENAI_API_KEY"],
  baseUrl: "https://api.openai.com/v1",
  model: "whisper-1",
});
