import { errorCode, readAtMost } from "../../lib/base/fs/files.js";
import { programOnPath } from "../../lib/base/process/program-path.js";
import { type ProgramEnd, runProgram } from "../../lib/base/process/run-program.js";
import type { Ms } from "../../lib/base/units.js";
import type { AudioContext, AudioFailure, SpokenAudio } from "../../lib/contracts/media/speech.js";

/** A program that speaks or hears. */
export interface AudioProgram {
  /** Name on PATH, or an absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly input?: string;
  readonly ms: Ms;
}

const AUDIO_BYTES = 64 << 20;

export type ProgramAnswer = { readonly ok: true; readonly end: ProgramEnd } | AudioFailure;

/** Run a program of this machine. What it says of its failure is in `why`. */
export async function runAudioProgram(
  around: AudioContext,
  { file, args, input, ms }: AudioProgram,
  signal: AbortSignal,
): Promise<ProgramAnswer> {
  try {
    const run = { file: findAudioProgram(around, file) ?? file, args, cwd: around.scratch, env: around.childEnv, ms };
    const end = await runProgram(around, { ...run, ...(input === undefined ? {} : { input }) }, signal);
    if (end.timedOut) return { ok: false, type: "timeout", why: `${file} did not end within ${ms / 1_000} s` };
    if (end.code === 0) return { ok: true, end };
    const said = (end.stderr.trim() || end.stdout.trim()).slice(-300);
    return { ok: false, type: "api_error", why: `${file} failed (exit ${end.code ?? "by a signal"}): ${said}` };
  } catch (error) {
    signal.throwIfAborted();
    if (errorCode(error) === "ENOENT") return { ok: false, type: "not_installed", why: `${file} is not installed` };
    return { ok: false, type: "api_error", why: `cannot start ${file}: ${String(error)}` };
  }
}

export const findAudioProgram = ({ childEnv }: Pick<AudioContext, "childEnv">, file: string): string | undefined =>
  file.includes("/") ? file : programOnPath(file, childEnv["PATH"]);

/** What a program wrote. */
export async function readSpoken(path: string, name: string): Promise<SpokenAudio> {
  const bytes = await readAtMost(path, AUDIO_BYTES + 1);
  if (bytes === undefined || bytes.length === 0)
    return { ok: false, type: "api_error", why: `${name} ended without writing audio` };
  return bytes.length > AUDIO_BYTES
    ? { ok: false, type: "too_large", why: `${name} wrote more than 64 MiB` }
    : { ok: true, bytes };
}
