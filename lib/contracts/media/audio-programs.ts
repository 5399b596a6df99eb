/** Programs of this machine that record and play sound. Adding one is one row; the first that is installed is used. */

/** What recorders write to their standard output: signed 16-bit samples of one channel, little-endian, without a header. */
export const SAMPLE_RATE = 16_000;
export const SAMPLE_BYTES = 2;

export interface AudioTool {
  readonly program: string;
  readonly args: readonly string[];
  /** Absent: on every system. */
  readonly platform?: "darwin" | "linux";
}

const RATE = String(SAMPLE_RATE);
const RAW = ["-t", "raw", "-r", RATE, "-c", "1", "-b", "16", "-e", "signed-integer"];
const FFMPEG = ["-v", "error", "-nostdin"];
const FFMPEG_RAW = ["-ac", "1", "-ar", RATE, "-f", "s16le", "-"];

export const RECORDERS: readonly AudioTool[] = [
  { program: "arecord", args: ["-q", "-t", "raw", "-f", "S16_LE", "-r", RATE, "-c", "1", "-"], platform: "linux" },
  { program: "rec", args: ["-q", ...RAW, "-"] },
  { program: "sox", args: ["-q", "-d", ...RAW, "-"] },
  { program: "ffmpeg", args: [...FFMPEG, "-f", "alsa", "-i", "default", ...FFMPEG_RAW], platform: "linux" },
  { program: "ffmpeg", args: [...FFMPEG, "-f", "avfoundation", "-i", ":0", ...FFMPEG_RAW], platform: "darwin" },
];

/** The file is the last argument. */
export const PLAYERS: readonly AudioTool[] = [
  { program: "ffplay", args: ["-nodisp", "-autoexit", "-loglevel", "error", "-nostdin"] },
  { program: "mpv", args: ["--no-video", "--really-quiet", "--no-terminal"] },
  { program: "afplay", args: [], platform: "darwin" },
  { program: "play", args: ["-q"] },
];

/** The first of these tools that is installed here. */
export const findAudioTool = (
  tools: readonly AudioTool[],
  isInstalled: (program: string) => boolean,
  platform: string,
): AudioTool | undefined =>
  tools.find((tool) => (tool.platform === undefined || tool.platform === platform) && isInstalled(tool.program));

export const NO_RECORDER = "no recorder found: install sox (rec), alsa-utils (arecord) or ffmpeg";
export const NO_PLAYER = "no audio player found: install ffmpeg (ffplay), mpv or sox (play)";
