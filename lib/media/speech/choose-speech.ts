import { isRecord } from "../../base/json/record.js";
import type { Config } from "../../contracts/config/config.js";
import { type AudioLook, type AudioSettings, type SpeechProvider, TTS } from "../../contracts/media/speech.js";

export interface ChooseDeps {
  readonly config: Config;
  /** Those that are built in, the one of choice first. */
  readonly builtIn: readonly SpeechProvider[];
  /** A command of the settings; a text says what is wrong with it. */
  command(name: string, given: unknown): SpeechProvider | string;
  /** Those of plugins. */
  ofPlugins(): readonly SpeechProvider[];
  look(name: string): AudioLook;
}

/** A provider that can be used, or why none can. */
export type ChosenSpeech = { readonly provider: SpeechProvider } | { readonly name: string; readonly why: string };

/**
 * The provider that the settings name. Without one the first that can be used and costs nothing: the default, a command of the settings, that of a
 * plugin, a program of this machine.
 */
export async function chooseSpeech(deps: ChooseDeps): Promise<ChosenSpeech> {
  const { config, builtIn } = deps;
  const name = config.get(TTS.provider);
  const commands = config.get(TTS.commands);
  const named = isRecord(commands) ? Object.entries(commands) : [];
  if (config.source(TTS.provider) !== "default") {
    const own = builtIn.find((one) => one.name === name);
    const command = named.find(([other]) => other === name);
    const found = own ?? (command && deps.command(...command)) ?? deps.ofPlugins().find((one) => one.name === name);
    if (typeof found === "string") return { name, why: found };
    if (found === undefined)
      return {
        name,
        why: unknownProvider(
          deps,
          name,
          named.map(([other]) => other),
        ),
      };
    const lacks = await found.lacks(deps.look(name));
    return lacks === undefined ? { provider: found } : { name, why: lacks };
  }
  const made = named.filter(([other]) => builtIn.every((one) => one.name !== other)).map((one) => deps.command(...one));
  const [first, ...programs] = builtIn.filter(({ billed, onlyNamed }) => !billed && onlyNamed !== true);
  const all = [first, ...made, ...deps.ofPlugins(), ...programs].filter((one) => typeof one === "object");
  let why = "no provider that speaks";
  for (const [at, provider] of all.entries()) {
    const lacks = await provider.lacks(deps.look(provider.name));
    if (lacks === undefined) return { provider };
    if (at === 0) why = lacks;
  }
  return { name, why };
}

function unknownProvider({ builtIn, ofPlugins }: ChooseDeps, name: string, commands: readonly string[]): string {
  const known = [...builtIn, ...ofPlugins()].map((one) => one.name);
  return `unknown provider ${JSON.stringify(name)} in tts.provider (known: ${[...known, ...commands].join(", ")})`;
}

/** Settings below `<section>.<name>`, read when they are asked for. */
export function audioSettings(config: Config, section: string, name: string): AudioSettings {
  const read = (key: string): unknown => {
    const own = config.raw(`${section}.${name}`);
    return isRecord(own) ? own[key] : undefined;
  };
  return {
    text: (key, fallback) => {
      const value = read(key);
      return typeof value === "string" && value.trim() !== "" ? value.trim() : fallback;
    },
    number: (key) => {
      const value = read(key);
      return typeof value === "number" && Number.isFinite(value) ? value : undefined;
    },
  };
}
