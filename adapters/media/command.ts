import { join } from "node:path";
import { toAppError } from "../../lib/base/errors.js";
import { writeAtomic } from "../../lib/base/fs/files.js";
import { isRecord } from "../../lib/base/json/record.js";
import { fillShellTemplate } from "../../lib/base/text/shell-template.js";
import type { AudioContext, SpeechProvider } from "../../lib/contracts/media/speech.js";
import { type ProgramAnswer, readSpoken, runAudioProgram } from "./audio-program.js";

/** A command of the settings, checked. */
export interface AudioCommand {
  readonly name: string;
  readonly command: string;
  readonly seconds: number;
  readonly options: Readonly<Record<string, unknown>>;
}

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 3_600;

/** `<section>.providers.<name>` as a command; a text says what is wrong with it. */
export function audioCommand(section: string, name: string, given: unknown): AudioCommand | string {
  const at = `${section}.providers.${name}`;
  if (!isRecord(given)) return `${at} must be a map with type and command`;
  const { type = "command", command, timeout = DEFAULT_SECONDS } = given;
  if (type !== "command") return `${at}.type must be command`;
  if (typeof command !== "string" || command.trim() === "") return `${at}.command is missing`;
  if (typeof timeout !== "number" || !(timeout > 0 && timeout <= MOST_SECONDS))
    return `${at}.timeout must be seconds, at most ${MOST_SECONDS}`;
  return { name, command, seconds: timeout, options: given };
}

/** A command line of the user that speaks (extensions part, 10.4). */
export function speechCommand({ name, command, seconds, options }: AudioCommand): SpeechProvider {
  const { output_format: given = "mp3", max_text_length: most = 5_000 } = options;
  const format = String(given);
  const text = (key: string, fallback = "") => String(options[key] ?? fallback);
  return {
    name,
    billed: false,
    maxChars: () => (typeof most === "number" && most >= 1 ? most : 5_000),
    model: () => text("model", "command"),
    lacks: async () =>
      /^(mp3|wav|ogg|flac)$/.test(format)
        ? undefined
        : `tts.providers.${name}.output_format must be mp3, wav, ogg or flac`,
    speak: async (said, around, signal) => {
      const from = join(around.scratch, "text.txt");
      const to = join(around.scratch, `spoken.${format}`);
      await writeAtomic(from, said, 0o600, false);
      const places = { input_path: from, text_path: from, output_path: to };
      const values = { ...places, voice: text("voice"), model: text("model"), speed: text("speed", "1"), format };
      const ran = await runAudioCommand({ name, command, seconds }, values, { around, signal });
      return ran.ok ? readSpoken(to, name) : ran;
    },
  };
}

/** Run the command line with its placeholders filled in, by the shell. */
export async function runAudioCommand(
  { name, command, seconds }: Pick<AudioCommand, "name" | "command" | "seconds">,
  values: Readonly<Record<string, string>>,
  { around, signal }: { readonly around: AudioContext; readonly signal: AbortSignal },
): Promise<ProgramAnswer> {
  let line: string;
  try {
    line = fillShellTemplate(command, values);
  } catch (error) {
    return { ok: false, type: "configuration", why: `the command of ${name}: ${toAppError(error).message}` };
  }
  const ran = await runAudioProgram(around, { file: "/bin/sh", args: ["-c", line], ms: seconds * 1_000 }, signal);
  return ran.ok ? ran : { ...ran, why: ran.why.replace("/bin/sh", `the command of ${name}`) };
}
