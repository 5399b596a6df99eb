import { hearingService } from "./service.js";

/** Mistral. */
export const mistralHearing = hearingService({
  name: "mistral",
  keyVariables: ["MISTRAL_API_KEY"],
  baseUrl: "https://api.mistral.ai/v1",
  model: "voxtral-mini-latest",
});
