import { once } from "../base/async/lazy.js";
import type { OutsidePart } from "./outside-part.js";

/** Texts that are spoken. Loaded when a turn asks what is offered. */
export const speechPart: OutsidePart = (options, around) => {
  const speech = once(async () => {
    const [{ createSpeech }, { pluginSpeech }, { createMediaCache }, { audioLooks }, adapters, commands] =
      await Promise.all([
        import("../media/speech/speech.js"),
        import("../media/speech/plugin-speech.js"),
        import("../media/cache.js"),
        import("./audio.js"),
        import("../../adapters/media/speech/index.js"),
        import("../../adapters/media/command.js"),
      ]);
    return createSpeech({
      config: options.config,
      aux: around.aux,
      cache: createMediaCache(options),
      builtIn: adapters.SPEECH_PROVIDERS,
      command: (name, given) => {
        const command = commands.audioCommand("tts", name, given);
        return typeof command === "string" ? command : commands.speechCommand(command);
      },
      ofPlugins: () => around.provided("tts").map(pluginSpeech),
      look: audioLooks(options, around, "tts"),
    });
  });
  return {
    ports: {
      speech: {
        offered: async () => (await speech()).offered(),
        speaker: async () => (await speech()).speaker(),
        speak: async (request, progress, signal) => (await speech()).speak(request, progress, signal),
      },
    },
  };
};
