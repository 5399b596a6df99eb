import { toAppError } from "../../../lib/base/errors.js";
import type { SpeechProvider, SpokenAudio } from "../../../lib/contracts/media/speech.js";
import { bearer, sendSpeech } from "./service.js";

const SERVICE = {
  keyVariables: ["SEARCH_VENDOR_API_KEY"],
  request: ({ text, key, settings }: Parameters<Parameters<typeof sendSpeech>[0]["request"]>[0]) => ({
    path: "/tts",
    headers: bearer(key),
    body: { text, voice_id: settings.text("voice", "eve"), language: settings.text("language", "auto") },
  }),
};

/** `POST /tts`, with the login or the key of the search vendor. */
export const searchVendorSpeech: SpeechProvider = {
  name: "search-vendor",
  billed: true,
  keyVariables: SERVICE.keyVariables,
  maxChars: () => 15_000,
  model: () => "tts",
  tags: () => true,
  lacks: async ({ credentials }) =>
    (await credentials("search-vendor").exists("auto"))
      ? undefined
      : "agent auth add search-vendor logs in; SEARCH_VENDOR_API_KEY in .env holds a key",
  speak: async (text, around, signal): Promise<SpokenAudio> => {
    const { settings } = around;
    const source = around.credentials("search-vendor");
    try {
      const credential = await source.get("auto", settings.text("base_url", ""), signal);
      const send = (key: string) =>
        sendSpeech(SERVICE, { text, model: "tts", key, settings }, { around, base: credential.baseUrl }, signal);
      const spoken = await send(credential.bearer);
      if (spoken.ok || spoken.type !== "auth_required") return spoken;
      const renewed = await source.renew(credential, signal);
      return renewed === undefined ? spoken : await send(renewed.bearer);
    } catch (error) {
      signal.throwIfAborted();
      return { ok: false, type: "auth_required", why: toAppError(error).message };
    }
  },
};
