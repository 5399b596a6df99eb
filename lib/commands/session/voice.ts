import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { programOnPath } from "../../base/process/program-path.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import { findAudioTool, NO_PLAYER, NO_RECORDER, PLAYERS, RECORDERS } from "../../contracts/media/audio-programs.js";
import { VOICE, type VoiceMode, type VoicePart, type VoiceParts } from "../../contracts/media/voice.js";
import { keyLabel } from "../../contracts/ui/screen-keys.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

export default defineCommand({
  path: "voice",
  summary: "Speak messages and have answers spoken: on, off, tts, status.",
  topic: "voice",
  params: z.object({
    what: z
      .enum(["on", "off", "tts", "status"])
      .default("status")
      .describe(
        "on: record messages, or in a chat speak answers to voice messages; tts: speak every answer; off; status",
      ),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "write",
  run: async ({ what }, ctx) => {
    const parts = await ctx.voice.parts();
    return ctx.origin === undefined ? atTerminal(what, parts, ctx) : inChat(what, parts, { ctx, origin: ctx.origin });
  },
});

type Wanted = VoiceMode | "status";

/** Whether a part can be used, as a reason why not. */
const lackOf = (part: VoicePart): string | undefined => ("why" in part ? part.why : undefined);

const named = (part: VoicePart): string =>
  "why" in part ? `not available: ${part.why}` : `${part.name}${part.billed ? " (its vendor bills each use)" : ""}`;

/** @throws E_STATE with every reason why it cannot be done */
function requireAll(what: string, reasons: readonly (string | undefined)[]): void {
  const known = reasons.filter((one) => one !== undefined);
  if (known.length > 0)
    throw new AppError("E_STATE", `${what}: ${known.join("; ")}`, { hint: "agent help voice explains what it needs" });
}

const TERMINAL: Readonly<Record<VoiceMode, (key: string) => string>> = {
  off: () => "Voice off.",
  on: (key) => `Voice on: ${key} starts and stops a recording; Esc discards it. The text goes into the input line.`,
  tts: (key) => `Voice on: answers are spoken; Esc stops speaking. ${key} starts and stops a recording.`,
};

function atTerminal(what: Wanted, { hears, speaks }: VoiceParts, ctx: CommandContext): CommandResult {
  const { env, config } = ctx;
  const isInstalled = (program: string) => programOnPath(program, env["PATH"]) !== undefined;
  const recorder = findAudioTool(RECORDERS, isInstalled, process.platform)?.program;
  const player = findAudioTool(PLAYERS, isInstalled, process.platform)?.program;
  const noRecording = [recorder === undefined ? NO_RECORDER : undefined, lackOf(hears)];
  if (what === "on") requireAll("cannot record messages", noRecording);
  if (what === "tts")
    requireAll("cannot speak answers", [player === undefined ? NO_PLAYER : undefined, lackOf(speaks)]);
  const mode = what === "status" ? config.get(VOICE.mode) : what;
  const lines = [TERMINAL[mode](keyLabel(config.get(VOICE.recordKey)))];
  if (what === "status")
    lines.push(
      `recorder: ${recorder ?? NO_RECORDER}`,
      `transcription: ${named(hears)}`,
      `speech: ${named(speaks)}`,
      `player: ${player ?? NO_PLAYER}`,
    );
  else if (mode === "tts") {
    const missing = noRecording.filter((one) => one !== undefined);
    if (missing.length > 0) lines.push(`Recording is not available: ${missing.join("; ")}.`);
  }
  return {
    text: lines.join("\n"),
    data: { mode, recorder: recorder ?? null, player: player ?? null, hears, speaks },
    ...(what === "status" ? {} : { next: { screen: { settings: { [VOICE.mode.key]: mode } } } }),
  };
}

const CHAT: Readonly<Record<VoiceMode, string>> = {
  off: "Voice off: answers are text.",
  on: "Voice on: answers to voice messages are also spoken.",
  tts: "Voice on: every answer is also spoken.",
};

async function inChat(
  what: Wanted,
  { hears, speaks }: VoiceParts,
  { ctx, origin }: { readonly ctx: CommandContext; readonly origin: ChatOrigin },
): Promise<CommandResult> {
  if (what === "on" || what === "tts") {
    const noSound = traitsOf(origin.platform).spokenAnswers === "none";
    requireAll("cannot speak answers here", [
      noSound ? `${origin.platform} does not take audio files` : undefined,
      lackOf(speaks),
    ]);
  }
  if (what !== "status") await ctx.voice.setChatMode(origin, what);
  const mode = await ctx.voice.chatMode(origin);
  const lines = [CHAT[mode]];
  if (what === "status") lines.push(`transcription: ${named(hears)}`, `speech: ${named(speaks)}`);
  return { text: lines.join("\n"), data: { mode, hears, speaks } };
}
