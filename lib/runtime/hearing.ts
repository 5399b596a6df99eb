import { audioCommand } from "../../adapters/media/command.js";
import { hearingCommand } from "../../adapters/media/hearing/command.js";
import { HEARING_PROVIDERS } from "../../adapters/media/hearing/index.js";
import type { Transcriber } from "../contracts/gateway/transcription.js";
import { settingsTranscriber } from "../media/hearing/hearing.js";
import { audioLooks } from "./audio.js";
import type { OutsideContext, OutsideOptions } from "./outside-part.js";

/** What transcribes recordings of chats and meetings, by the settings of the moment in which it is asked. */
export function hearingOf(
  options: OutsideOptions,
  around: Pick<OutsideContext, "logins">,
): () => Transcriber | undefined {
  // Spreading the options of an app would ask it for its transcriber, which is this one.
  const look = audioLooks(options, around, "stt");
  return () =>
    settingsTranscriber({
      config: options.config,
      log: options.log,
      builtIn: HEARING_PROVIDERS,
      look,
      command: (name, given) => {
        const command = audioCommand("stt", name, given);
        return typeof command === "string" ? command : hearingCommand(command);
      },
    });
}
