import { join } from "node:path";
import type { AudioSettings, SpeechProvider } from "../../../lib/contracts/media/speech.js";
import { type AudioProgram, findAudioProgram, readSpoken, runAudioProgram } from "../audio-program.js";

/** What differs between programs that speak. */
export interface SpeechProgram {
  readonly name: string;
  readonly maxChars: number;
  readonly model: string;
  /** Program that must be on PATH. */
  readonly needs: string;
  /** How it is installed; we never do. */
  readonly install: string;
  /** A setting without which it cannot speak. */
  readonly wants?: string;
  /** Its package may be missing although `needs` is there. */
  readonly onlyNamed?: true;
  readonly ending: "mp3" | "wav";
  run(asked: { readonly text: string; readonly to: string; readonly settings: AudioSettings }): AudioProgram;
}

/** A program of this machine, used only where it is installed. */
export function speechProgram(program: SpeechProgram): SpeechProvider {
  const { name, needs, install, wants } = program;
  return {
    name,
    billed: false,
    ...(program.onlyNamed === undefined ? {} : { onlyNamed: program.onlyNamed }),
    maxChars: () => program.maxChars,
    model: (settings) => settings.text("model", program.model),
    lacks: async (look) => {
      if (findAudioProgram(look, needs) === undefined) return `${needs} is not installed: ${install}`;
      return wants !== undefined && look.settings.text(wants, "") === ""
        ? `set tts.${name}.${wants} (agent config set tts.${name}.${wants} VALUE)`
        : undefined;
    },
    speak: async (text, around, signal) => {
      const to = join(around.scratch, `spoken.${program.ending}`);
      const ran = await runAudioProgram(around, program.run({ text, to, settings: around.settings }), signal);
      return ran.ok ? readSpoken(to, name) : ran;
    },
  };
}

export const PROGRAM_MS = 300_000;
