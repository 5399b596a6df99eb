import { basename, extname, join } from "node:path";
import { readText } from "../../../lib/base/fs/files.js";
import type { HearingProvider } from "../../../lib/contracts/media/hearing.js";
import type { AudioContext, AudioLook } from "../../../lib/contracts/media/speech.js";
import { findAudioProgram, runAudioProgram } from "../audio-program.js";

const HEAR_MS = 15 * 60_000;
const MAX_BYTES = 512 << 20;

/** whisper.cpp needs the file of a model; the Python program fetches its models by their names. */
const hasWhisperCpp = (look: AudioLook): boolean =>
  look.settings.text("model", "").includes("/") && findAudioProgram(look, "whisper-cli") !== undefined;

/** A program of this machine that transcribes: `whisper-cli` with `stt.local.model` (a file), else `whisper`. */
export const localHearing: HearingProvider = {
  name: "local",
  billed: false,
  maxBytes: MAX_BYTES,
  model: (settings) => settings.text("model", "base"),
  lacks: (look) =>
    hasWhisperCpp(look) || findAudioProgram(look, "whisper") !== undefined
      ? undefined
      : "no program that transcribes is installed: pipx install openai-whisper, or whisper-cli with stt.local.model (the file of a model)",
  hear: async (path, around, signal) => (hasWhisperCpp(around) ? hearWithCpp : hearWithWhisper)(path, around, signal),
};

async function hearWithCpp(path: string, around: AudioContext, signal: AbortSignal) {
  const { settings, scratch } = around;
  const wave = join(scratch, "recording.wav");
  const converting = ["-v", "error", "-nostdin", "-y", "-i", path, "-vn", "-ar", "16000", "-ac", "1", wave];
  const converted = await runAudioProgram(around, { file: "ffmpeg", args: converting, ms: HEAR_MS }, signal);
  if (!converted.ok) return converted;
  const args = ["-m", settings.text("model", ""), "-l", settings.text("language", "auto"), "-nt", "-np", "-f", wave];
  const ran = await runAudioProgram(around, { file: "whisper-cli", args, ms: HEAR_MS }, signal);
  return ran.ok ? { ok: true as const, text: ran.end.stdout.trim() } : ran;
}

async function hearWithWhisper(path: string, around: AudioContext, signal: AbortSignal) {
  const { settings, scratch } = around;
  const language = settings.text("language", "");
  const chosen = ["--model", settings.text("model", "base"), ...(language === "" ? [] : ["--language", language])];
  const args = [...chosen, "--output_format", "txt", "--output_dir", scratch, "--verbose", "False", "--", path];
  const ran = await runAudioProgram(around, { file: "whisper", args, ms: HEAR_MS }, signal);
  if (!ran.ok) return ran;
  const text = await readText(join(scratch, `${basename(path, extname(path))}.txt`));
  return text === undefined
    ? ({ ok: false, type: "api_error", why: "whisper ended without a transcript" } as const)
    : ({ ok: true, text: text.trim() } as const);
}
