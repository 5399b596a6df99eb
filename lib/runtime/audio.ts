import type { AudioLook } from "../contracts/media/speech.js";
import type { ToolCredentials } from "../contracts/models/tool-credentials.js";
import { audioSettings } from "../media/speech/choose-speech.js";
import { childEnv } from "../safety/redact/env.js";
import type { OutsideContext, OutsideOptions } from "./outside-part.js";
import { toolCredentials } from "./tool-credentials.js";

/** What providers of speech (`tts`) or transcription (`stt`) look at, by their name. */
export function audioLooks(
  options: Pick<OutsideOptions, "home" | "config" | "env" | "net" | "clock" | "spawner">,
  around: Pick<OutsideContext, "logins">,
  section: "tts" | "stt",
): (name: string) => AudioLook {
  const { config, net, clock, spawner } = options;
  const sources = new Map<string, ToolCredentials>();
  const credentials = (provider: string): ToolCredentials => {
    const made = sources.get(provider) ?? toolCredentials(options, around, provider);
    sources.set(provider, made);
    return made;
  };
  return (name) => ({
    settings: audioSettings(config, section, name),
    net,
    clock,
    spawner,
    childEnv: childEnv(config.env, config),
    env: config.env,
    credentials,
  });
}
