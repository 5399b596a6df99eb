import { toAppError } from "../../base/errors.js";
import type { SpeechProvider } from "../../contracts/media/speech.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";

const MOST_CHARS = 4_000;

/** What a plugin registers with `registerTtsProvider`: the registry has looked at the methods. */
interface PluginSpeech extends PluginProvider {
  readonly maxChars?: unknown;
  isAvailable(): unknown;
  speak(request: { readonly text: string; readonly signal: AbortSignal }): unknown;
}

/** The provider of a plugin as one of those here. What it throws or answers amiss is reported as its failure. */
export function pluginSpeech(given: PluginProvider): SpeechProvider {
  const { name } = given;
  const plugin = given as PluginSpeech; // registered with both methods
  return {
    name,
    billed: false,
    maxChars: () => (typeof plugin.maxChars === "number" && plugin.maxChars >= 1 ? plugin.maxChars : MOST_CHARS),
    model: () => "plugin",
    lacks: async () => {
      try {
        return (await plugin.isAvailable()) === true
          ? undefined
          : `the plugin of ${name} says that it is not available`;
      } catch (error) {
        return `the plugin of ${name} failed: ${toAppError(error).message}`;
      }
    },
    speak: async (text, _around, signal) => {
      try {
        const audio = await plugin.speak({ text, signal });
        return audio instanceof Uint8Array
          ? { ok: true, bytes: audio }
          : { ok: false, type: "api_error", why: `the plugin of ${name} answered no bytes` };
      } catch (error) {
        signal.throwIfAborted();
        return { ok: false, type: "api_error", why: `the plugin of ${name} failed: ${toAppError(error).message}` };
      }
    },
  };
}
