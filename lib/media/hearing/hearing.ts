import { AppError } from "../../base/errors.js";
import { statPath } from "../../base/fs/files.js";
import { makeTemporaryDirectory } from "../../base/fs/tree.js";
import { isRecord } from "../../base/json/record.js";
import type { Log } from "../../base/log/log.js";
import type { Config } from "../../contracts/config/config.js";
import type { Transcriber } from "../../contracts/gateway/transcription.js";
import { type HearingProvider, STT } from "../../contracts/media/hearing.js";
import type { AudioLook } from "../../contracts/media/speech.js";

export interface HearingDeps {
  readonly config: Config;
  readonly log: Log;
  readonly builtIn: readonly HearingProvider[];
  /** A command of the settings; a text says what is wrong with it. */
  command(name: string, given: unknown): HearingProvider | string;
  look(name: string): AudioLook;
}

/**
 * What transcribes recordings by the settings of this moment. Undefined: no setting names anything, and nothing that costs nothing is there. One
 * that is named and cannot be used is reported with each recording.
 */
export function settingsTranscriber(deps: HearingDeps): Transcriber | undefined {
  const { config, builtIn } = deps;
  const name = config.get(STT.provider);
  const commands = config.get(STT.commands);
  const named = isRecord(commands) ? Object.entries(commands) : [];
  if (config.source(STT.provider) !== "default") {
    const command = named.find(([other]) => other === name);
    const known = [...builtIn.map((one) => one.name), ...named.map(([other]) => other)].join(", ");
    const unknown = `unknown provider ${JSON.stringify(name)} in stt.provider (known: ${known})`;
    const found = builtIn.find((one) => one.name === name) ?? (command && deps.command(...command)) ?? unknown;
    return typeof found === "string" ? refusing(name, found) : transcriberWith(deps, found);
  }
  const [first, ...others] = builtIn.filter(({ billed }) => !billed);
  const made = named.filter(([other]) => builtIn.every((one) => one.name !== other)).map((one) => deps.command(...one));
  const all = [first, ...made, ...others].filter((one) => typeof one === "object");
  const usable = all.find((one) => one.lacks(deps.look(one.name)) === undefined);
  return usable === undefined ? undefined : transcriberWith(deps, usable);
}

const refusing = (name: string, why: string): Transcriber => ({
  name,
  lacks: () => why,
  transcribe: () => Promise.reject(new AppError("E_CONFIG", why, { hint: "agent config set stt.provider NAME" })),
});

function transcriberWith(deps: HearingDeps, provider: HearingProvider): Transcriber {
  const { name, maxBytes, billed } = provider;
  return {
    name,
    billed,
    lacks: () => provider.lacks(deps.look(name)),
    transcribe: async (path, signal) => {
      const look = deps.look(name);
      const lacks = provider.lacks(look);
      if (lacks !== undefined) throw new AppError("E_CONFIG", `${name}: ${lacks}`);
      const size = (await statPath(path))?.size ?? 0;
      if (size > maxBytes) {
        const most = `${Math.floor(maxBytes / (1 << 20))} MiB`;
        throw new AppError("E_TOO_LARGE", `the recording is too large for ${name} (at most ${most})`);
      }
      deps.log.info("transcribing a recording", { provider: name, model: provider.model(look.settings), billed, size });
      const place = await makeTemporaryDirectory("agent-hearing");
      try {
        const heard = await provider.hear(path, { ...look, scratch: place.path }, signal);
        if (heard.ok) return heard.text;
        throw new AppError(heard.type === "too_large" ? "E_TOO_LARGE" : "E_STATE", `${name}: ${heard.why}`);
      } finally {
        await place.remove();
      }
    },
  };
}
