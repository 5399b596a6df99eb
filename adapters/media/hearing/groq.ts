import { hearingService } from "./service.js";

/** Groq. */
export const groqHearing = hearingService({
  name: "groq",
  keyVariables: ["GROQ_API_KEY"],
  baseUrl: "https://api.groq.com/openai/v1",
  model: "whisper-large-v3-turbo",
});
