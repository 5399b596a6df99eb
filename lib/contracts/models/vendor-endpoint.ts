/** The provider `vendor`, whose turns the app-server may work: it needs no entry under `providers` (proxy part, 1). */
export const VENDOR_ENDPOINT = {
  id: "vendor",
  baseUrl: "https://api.openai.com/v1",
  /** Variables that hold its key, the name of choice first. */
  keyVariables: ["VENDOR_API_KEY", "OPENAI_API_KEY"],
  /** Variables that replace the address. */
  urlVariables: ["VENDOR_BASE_URL", "OPENAI_BASE_URL"],
  /** Where no model is set. */
  model: "gpt-5.2",
} as const;
