import * as z from "zod";
import type { VideoRequest } from "../../contracts/media/media.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { toPathEffect } from "../core/effects.js";
import { envelopeResult, GENERATION_MS, mediaCallerOf } from "./caller.js";
import { imageInput, isLocal } from "./local-image.js";

const params = z.object({
  prompt: z.string().max(20_000).describe("What the video shows."),
  image_url: z
    .string()
    .max(48 << 20)
    .optional()
    .describe("Image to animate: https: address, data: URI or file. Without it: from text."),
  reference_image_urls: z
    .array(z.string().max(48 << 20))
    .max(32)
    .optional()
    .describe("Images of what appears in it, up to 7; not together with image_url."),
  duration: z.number().int().optional().describe("Seconds."),
  aspect_ratio: z.enum(["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3"]).optional().describe("Default 16:9."),
  resolution: z.enum(["480p", "540p", "720p", "1080p"]).optional().describe("Default 720p."),
  negative_prompt: z.string().max(20_000).optional().describe("What it must not show."),
  audio: z.boolean().optional().describe("With sound."),
  seed: z.number().int().optional(),
  model: z.string().max(200).optional().describe("Model of the backend; default: that of the settings."),
});

type Given = z.output<typeof params>;

const ABOUT =
  "Make a video from text or an image. Takes minutes and is billed by the provider; the result is a file. " +
  "Values that a model does not take become the nearest and are named in adjusted.";

export default defineTool({
  name: "video_generate",
  toolset: "video_gen",
  description: ABOUT,
  params,
  risk: "external",
  core: false,
  secrets: "refused",
  available: async ({ outside }) => (await outside?.media?.offered("video")) ?? "videos cannot be made here",
  adapt: async ({ outside }) => {
    const backend = await outside?.media?.describe("video");
    return backend === undefined ? {} : { description: `${ABOUT} ${backend}`.slice(0, 600) };
  },
  effects: ({ image_url, reference_image_urls = [] }, place) => ({
    reads: [
      "net",
      ...[...(image_url === undefined ? [] : [image_url]), ...reference_image_urls]
        .filter(isLocal)
        .map((path) => toPathEffect("path", path, place)),
    ],
    writes: [],
  }),
  limits: { ms: GENERATION_MS, chars: 50_000 },
  preview: ({ prompt, model, duration }) => {
    const what = [model, duration === undefined ? undefined : `${duration} s`].filter((one) => one !== undefined);
    return `${what.length === 0 ? "" : `${what.join(", ")}: `}${prompt}`.slice(0, 120);
  },
  run,
});

async function run(given: Given, ctx: ToolContext): Promise<ToolResult> {
  const { media } = ctx.ports;
  const { prompt, model = null, aspect_ratio = "16:9" } = given;
  const refused = (code: string, error: string) =>
    envelopeResult({
      success: false,
      video: null,
      code,
      error_type: code,
      error,
      provider: null,
      model,
      prompt,
      aspect_ratio,
    });
  if (media === undefined) return refused("no_provider_configured", "videos cannot be made here");
  const request = await requestOf(given, ctx);
  if (typeof request === "string") return refused("invalid_arguments", request);
  return envelopeResult(await media.generateVideo(request, mediaCallerOf(ctx, "video_generate")));
}

/** Images as providers take them, or why one cannot be used. */
async function requestOf(given: Given, ctx: ToolContext): Promise<VideoRequest | string> {
  const { prompt, duration, aspect_ratio, resolution, negative_prompt, audio, seed, model } = given;
  const images: string[] = [];
  // An empty text is what models write for "none".
  const first = given.image_url?.trim() ? [given.image_url] : [];
  const references = (given.reference_image_urls ?? []).filter((one) => one.trim() !== "");
  for (const one of [...first, ...references]) {
    const input = await imageInput(one, ctx);
    if (!input.ok) return input.why;
    images.push(input.url);
  }
  const [imageUrl] = images.slice(0, first.length);
  const referenceImageUrls = images.slice(first.length);
  return {
    prompt,
    ...(imageUrl === undefined ? {} : { imageUrl }),
    ...(referenceImageUrls.length === 0 ? {} : { referenceImageUrls }),
    ...(duration === undefined ? {} : { duration }),
    ...(aspect_ratio === undefined ? {} : { aspectRatio: aspect_ratio }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(negative_prompt?.trim() ? { negativePrompt: negative_prompt } : {}),
    ...(audio === undefined ? {} : { audio }),
    ...(seed === undefined ? {} : { seed }),
    ...(model?.trim() ? { model } : {}),
  };
}
