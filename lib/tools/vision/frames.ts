import { dirname } from "node:path";
import { programOnPath } from "../../base/process/program-path.js";
import type { SpawnSpec } from "../../base/process/spawn.js";
import type { Ms } from "../../base/units.js";
import { childEnv } from "../../safety/redact/env.js";
import { chooseCage, insideView } from "../core/caged.js";
import { readOn } from "../core/child.js";
import type { ToolContext } from "../core/define.js";

/** What cuts pictures out of videos. */
export const PROGRAM = "ffmpeg";

/** A sheet is a picture of four frames: a request carries the three newest pictures of results, so twelve frames (core part, 26.3 and 27.3). */
const FRAMES_OF_SHEET = 4;
const SHEETS = 3;
/** Columns of one frame: two beside each other are what models look at without making it smaller. */
const FRAME_WIDTH = 768;
const RUN_MS: Ms = 60_000;
const SHEET_BYTES = 16 << 20;

/**
 * Containers that are opened. Not among them: playlists and lists of files, which name other files and addresses.
 */
const CONTAINERS =
  "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,ogg,flv,gif,asf,h264,hevc,ivf,m4v,live_flv";
const INPUT = ["-protocol_whitelist", "file", "-format_whitelist", CONTAINERS];

/** Four frames of a video in one JPEG, from left to right, then below. */
export interface FrameSheet {
  readonly bytes: Buffer;
  /** Seconds from the beginning. */
  readonly times: readonly number[];
}

export interface VideoFrames {
  readonly durationSeconds: number;
  readonly sheets: readonly FrameSheet[];
}

/** Frames of a video, evenly spread over it. */
export async function videoFrames(path: string, ctx: ToolContext): Promise<VideoFrames | { readonly error: string }> {
  const probe = await runProgram(ctx, path, ["-nostdin", "-hide_banner", ...INPUT, "-i", path]);
  if (probe === undefined) return { error: `${PROGRAM} is not installed, or was stopped` };
  const duration = durationIn(probe.said);
  if (duration === undefined || !/\bVideo: /.test(probe.said))
    return { error: `${path} is not a video that ${PROGRAM} reads: ${lastLine(probe.said)}` };
  const count = Math.min(SHEETS, Math.max(1, Math.ceil(duration / FRAMES_OF_SHEET))) * FRAMES_OF_SHEET;
  const times = Array.from({ length: count }, (_, n) => rounded(((n + 0.5) * duration) / count));
  const sheets: FrameSheet[] = [];
  let said = probe.said;
  for (let from = 0; from < count; from += FRAMES_OF_SHEET) {
    const some = times.slice(from, from + FRAMES_OF_SHEET);
    const sheet = await runProgram(ctx, path, sheetOf(path, some));
    if (sheet === undefined) return { error: `${PROGRAM} was stopped while it read ${path}` };
    if (sheet.bytes.length > 0) sheets.push({ bytes: sheet.bytes, times: some });
    else said = sheet.said;
  }
  if (sheets.length === 0) return { error: `no frame of ${path} can be decoded: ${lastLine(said)}` };
  return { durationSeconds: rounded(duration), sheets };
}

const rounded = (seconds: number): number => Math.round(seconds * 100) / 100;

/** `N/A` of a picture that does not move, or of a broken file, is none. */
function durationIn(said: string): number | undefined {
  const [, hours, minutes, seconds] = /\bDuration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/.exec(said) ?? [];
  if (hours === undefined) return undefined;
  const all = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  return all > 0 ? all : undefined;
}

function sheetOf(path: string, times: readonly number[]): readonly string[] {
  const inputs = times.flatMap((at) => ["-ss", String(at), ...INPUT, "-i", path]);
  const small = times.map((_, n) => `[${n}:v:0]scale='min(${FRAME_WIDTH},iw)':-2,setsar=1[f${n}]`).join(";");
  const grid = `${times.map((_, n) => `[f${n}]`).join("")}xstack=inputs=${times.length}:layout=0_0|w0_0|0_h0|w0_h0`;
  return [
    "-nostdin",
    "-hide_banner",
    "-loglevel",
    "error",
    "-threads",
    "1",
    ...inputs,
    "-filter_complex",
    `${small};${grid}`,
    "-frames:v",
    "1",
    "-f",
    "image2pipe",
    "-c:v",
    "mjpeg",
    "-q:v",
    "4",
    "-",
  ];
}

const lastLine = (said: string): string => said.trim().split("\n").at(-1)?.trim() ?? "";

interface Ran {
  readonly bytes: Buffer;
  readonly said: string;
}

const SAID_CHARS = 16_000;

/** @returns undefined when it cannot be started or did not end */
async function runProgram(ctx: ToolContext, path: string, given: readonly string[]): Promise<Ran | undefined> {
  const { spawner, clock } = ctx.ports;
  const env = childEnv(ctx.env, ctx.config);
  const file = programOnPath(PROGRAM, env["PATH"]);
  const choice = await chooseCage(ctx);
  if (file === undefined || choice.how === "refused") return undefined;
  const caged = choice.how === "caged";
  const args = caged ? given.map((word) => (word === path ? insideView(word, ctx) : word)) : given;
  const cwd = caged ? insideView(dirname(path), ctx) : dirname(path);
  const spec: SpawnSpec = { file, args, cwd, env, stdin: "ignore", endsWithOwner: true };
  const child = await spawner.spawn(caged ? choice.cage.wrap(spec) : spec);
  const kill = () => void spawner.signal({ group: child.pid }, "SIGKILL");
  const parts: Buffer[] = [];
  let size = 0;
  let said = "";
  child.onOutput((chunk, stream) => {
    if (stream === "stderr") {
      said = `${said}${chunk.toString()}`.slice(-SAID_CHARS);
      return;
    }
    size += chunk.length;
    if (size > SHEET_BYTES) kill();
    else parts.push(chunk);
  });
  const cancel = clock.after(RUN_MS, kill);
  ctx.signal.addEventListener("abort", kill, { once: true });
  if (ctx.signal.aborted) kill();
  const exit = await child.exited;
  await readOn(clock, child);
  cancel();
  ctx.signal.removeEventListener("abort", kill);
  return exit.signal === null && exit.code !== null ? { bytes: Buffer.concat(parts), said } : undefined;
}
