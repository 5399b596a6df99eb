import { join } from "node:path";
import * as z from "zod";
import { writeAtomic } from "../../base/fs/files.js";
import { makeTemporaryDirectory } from "../../base/fs/tree.js";
import { programOnPath } from "../../base/process/program-path.js";
import { chooseCage } from "../core/caged.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { markUntrusted } from "../core/untrusted.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";
import { type FrameSheet, PROGRAM, type VideoFrames, videoFrames } from "./frames.js";
import { type MediumOfDisk, type MediumOfWeb, mediumEffects, namedMedium } from "./named-medium.js";

const params = z.object({
  video_url: z.string().min(1).describe("http(s) URL (at most 20 MiB) or path of a video."),
  question: z.string().min(1).max(4_000).describe("What you want to know about it."),
});

type Params = z.output<typeof params>;

const NAME = "video_analyze";

export default defineTool({
  name: NAME,
  toolset: "video",
  description:
    "Look at a video to answer a question about it: up to twelve frames, evenly spread, four on each picture. Its sound is not heard. If you see images you get the frames; otherwise another model answers.",
  params,
  risk: "read",
  core: false,
  secrets: "refused",
  available: ({ env }) => programOnPath(PROGRAM, env["PATH"]) !== undefined || `${PROGRAM} is not installed`,
  effects: ({ video_url }, place) => mediumEffects(video_url, place),
  limits: { ms: 240_000, chars: 20_000 },
  preview: ({ video_url }) => video_url,
  run,
});

async function run({ video_url, question }: Params, ctx: ToolContext): Promise<ToolResult> {
  const found = await namedMedium(video_url, ctx);
  if ("error" in found) {
    const { error, ...more } = found;
    return toFailureResult(error, more);
  }
  const frames = "url" in found ? await ofDownload(found, ctx) : await videoFrames(found.path, ctx);
  if ("error" in frames) return toFailureResult(frames.error);
  return answer(found, frames, question);
}

/** A video is read at its ends and in between: it becomes a file as long as that takes. */
async function ofDownload({ bytes }: MediumOfWeb, ctx: ToolContext): ReturnType<typeof videoFrames> {
  const choice = await chooseCage(ctx);
  const folder = await makeTemporaryDirectory("agent-video", choice.how === "caged" ? choice.cage.plan.tmp : undefined);
  try {
    const path = join(folder.path, "video");
    await writeAtomic(path, bytes, 0o600, false);
    return await videoFrames(path, ctx);
  } finally {
    await folder.remove();
  }
}

function answer(
  found: MediumOfDisk | MediumOfWeb,
  { durationSeconds, sheets }: VideoFrames,
  question: string,
): ToolResult {
  const text = jsonResult({
    success: true,
    ...("url" in found ? { source_url: found.url } : { path: found.path }),
    duration_seconds: durationSeconds,
    pictures: sheets.map(({ times }) => ({ frames_at_seconds: times })),
    question,
    hint: "the pictures, or what another model says about them, follow; frames go from left to right, then below",
  });
  const asked = ({ times }: FrameSheet) =>
    `These are frames of a video at ${times.join(", ")} seconds, from left to right, then below. ${question}`;
  return {
    text: "url" in found ? markUntrusted(NAME, text) : text,
    images: sheets.map((sheet, n) => ({
      data: sheet.bytes.toString("base64"),
      name: `${found.name} frames ${n + 1}`,
      question: asked(sheet),
    })),
  };
}
