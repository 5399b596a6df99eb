import { join } from "node:path";
import * as z from "zod";
import { guardWrite, isWithin } from "../../safety/paths/paths.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { pathOf, scopeOf, toRefusalResult } from "../run/scope.js";

const params = z.object({
  text: z.string().max(100_000).describe("What is said, as plain sentences."),
  output_path: z
    .string()
    .max(4_000)
    .optional()
    .describe("File below the working directory, .mp3, .m4a, .wav, .ogg or .flac; default: one of the cache."),
});

type Given = z.output<typeof params>;

export default defineTool({
  name: "text_to_speech",
  toolset: "tts",
  description:
    "Make an audio file that speaks a text. To send it in a chat, write the media_tag of the result in your answer. " +
    "A long text is cut at a sentence end.",
  params,
  risk: "external",
  core: false,
  secrets: "refused",
  available: ({ outside }) => outside?.speech?.offered() ?? "nothing speaks here",
  effects: () => ({ reads: ["net"], writes: ["world"] }),
  limits: { ms: 15 * 60_000, chars: 20_000 },
  preview: ({ text }) => `${[...text].length} characters: ${text}`.replace(/\s+/g, " ").slice(0, 120),
  run,
});

async function run(given: Given, ctx: ToolContext): Promise<ToolResult> {
  const { speech } = ctx.ports;
  if (speech === undefined) return failed("not_available", "nothing speaks here");
  const target = given.output_path === undefined ? undefined : await targetOf(given.output_path, ctx);
  if (target !== undefined && typeof target !== "string") return target;
  const envelope = await speech.speak(
    {
      text: given.text,
      ...(target === undefined ? {} : { outputPath: target }),
      voice: target === undefined && ctx.origin !== undefined,
    },
    ctx.progress,
    ctx.signal,
  );
  if (!envelope.success) return { text: jsonResult(envelope), status: "error" };
  return { text: jsonResult(envelope), ...(target === undefined ? {} : { filesChanged: [target] }) };
}

const failed = (type: string, error: string): ToolResult => ({
  text: jsonResult({ success: false, error, error_type: type }),
  status: "error",
});

/** The file that may be written, or the answer that says why it may not. */
async function targetOf(given: string, ctx: ToolContext): Promise<string | ToolResult> {
  if (given.split(/[\\/]/).includes("..")) return failed("invalid_arguments", "output_path must not contain ..");
  const allowed = guardWrite(pathOf(given, ctx), scopeOf(ctx));
  if (!allowed.ok) return { ...failed("invalid_arguments", allowed.why), status: "blocked" };
  const places = [ctx.state.cwd, ctx.state.launchDir, join(ctx.home.cache, "audio")];
  if (!places.some((dir) => isWithin(allowed.path, dir)))
    return failed("invalid_arguments", "output_path must be below the working directory or the cache");
  const answer = await ctx.permit({
    kind: "write",
    tool: "text_to_speech",
    command: `write ${allowed.path}`,
    cwd: ctx.state.cwd,
    paths: [allowed.path],
  });
  return answer.allowed ? allowed.path : toRefusalResult(answer, { success: false });
}
