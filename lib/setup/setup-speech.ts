import { HEARING_PROVIDERS } from "../../adapters/media/hearing/index.js";
import { SPEECH_PROVIDERS } from "../../adapters/media/speech/index.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { ConfigKey } from "../contracts/config/config.js";
import { STT } from "../contracts/media/hearing.js";
import { TTS } from "../contracts/media/speech.js";
import { askUntilValid, type Person, pickRow } from "./ask-person.js";
import type { StoreSettings } from "./store-change.js";

export const SPEECH_SETTINGS = { speaks: TTS.provider.key, hears: STT.provider.key } as const;

interface SpeechDeps {
  readonly config: LoadedConfig;
  readonly keep: StoreSettings;
  /** Value of a variable; undefined: it is not set. */
  readonly env: (name: string) => string | undefined;
}

/** What the wizard knows of a provider of speech or transcription. */
interface Offered {
  readonly name: string;
  readonly billed: boolean;
  readonly keyVariables?: readonly string[];
}

const UNCHANGED = "unchanged";

const isSet = (env: SpeechDeps["env"], name: string): boolean => (env(name) ?? "") !== "";

/** Ask who speaks and who transcribes, and for the keys that they need. @returns what was done, a line each. @throws E_INTERRUPTED */
export async function setupSpeech(person: Person, deps: SpeechDeps): Promise<readonly string[]> {
  const speaks = { key: TTS.provider, ask: "Speech", offered: SPEECH_PROVIDERS };
  const hears = { key: STT.provider, ask: "Transcription", offered: HEARING_PROVIDERS };
  const done = [...(await chosen(person, deps, speaks)), ...(await chosen(person, deps, hears))];
  return done.length === 0 ? ["nothing changed"] : done;
}

interface Part {
  readonly key: ConfigKey<string>;
  readonly ask: string;
  readonly offered: readonly Offered[];
}

async function chosen(
  person: Person,
  { config, keep, env }: SpeechDeps,
  { key, ask, offered }: Part,
): Promise<readonly string[]> {
  const now = config.get(key);
  const unchanged = { name: UNCHANGED, title: `${now}${config.source(key) === "default" ? " (default)" : ""}` };
  const rows = [unchanged, ...offered.map((one) => ({ name: one.name, title: titleOf(one, env) }))];
  const { name } = await pickRow(person, ask, { rows, usual: unchanged });
  if (name === UNCHANGED) return [];
  const { keyVariables = [] } = offered.find((one) => one.name === name) ?? {};
  const [variable] = keyVariables;
  const secret =
    variable === undefined || keyVariables.some((one) => isSet(env, one))
      ? undefined
      : await askUntilValid(person, { ask: `Key (${variable}, hidden)`, kept: "none", hidden: true });
  await keep([
    ...(variable === undefined || secret === undefined ? [] : [{ key: variable, text: secret }]),
    { key: key.key, text: name },
  ]);
  return [`${key.key} = ${name}${secret === undefined ? "" : `, with the key in ${variable ?? ""}`}`];
}

function titleOf({ billed, keyVariables = [] }: Offered, env: SpeechDeps["env"]): string {
  const set = keyVariables.find((one) => isSet(env, one));
  if (set !== undefined) return `key in ${set}; billed`;
  const [variable] = keyVariables;
  if (variable !== undefined) return `needs ${variable}; billed`;
  return billed ? "billed" : "a program of this machine";
}
