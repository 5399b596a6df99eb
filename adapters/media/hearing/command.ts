import { join } from "node:path";
import { readText } from "../../../lib/base/fs/files.js";
import type { HearingProvider } from "../../../lib/contracts/media/hearing.js";
import { type AudioCommand, runAudioCommand } from "../command.js";

const MAX_BYTES = 512 << 20;

/** A command line of the user that transcribes: into `{output_path}`, else to its standard output. */
export function hearingCommand({ name, command, seconds, options }: AudioCommand): HearingProvider {
  const text = (key: string) => String(options[key] ?? "");
  return {
    name,
    billed: false,
    maxBytes: MAX_BYTES,
    model: () => text("model") || "command",
    lacks: () => undefined,
    hear: async (path, around, signal) => {
      const to = join(around.scratch, "transcript.txt");
      const values = { input_path: path, output_path: to, model: text("model"), language: text("language") };
      const ran = await runAudioCommand({ name, command, seconds }, values, { around, signal });
      return ran.ok ? { ok: true, text: ((await readText(to)) ?? ran.end.stdout).trim() } : ran;
    },
  };
}
