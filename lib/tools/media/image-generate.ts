import * as z from "zod";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { envelopeResult, GENERATION_MS, mediaCallerOf } from "./caller.js";

const params = z.object({
  prompt: z.string().max(20_000).describe("What the picture shows."),
  aspect_ratio: z.string().max(40).default("landscape").describe("landscape, square or portrait."),
});

const ABOUT = "Make a picture from text. It is billed by the provider; the result is a file.";

export default defineTool({
  name: "image_generate",
  toolset: "image_gen",
  description: ABOUT,
  params,
  risk: "external",
  core: false,
  secrets: "refused",
  available: async ({ outside }) => (await outside?.media?.offered("image")) ?? "pictures cannot be made here",
  adapt: async ({ outside }) => {
    const backend = await outside?.media?.describe("image");
    return backend === undefined ? {} : { description: `${ABOUT} ${backend}`.slice(0, 600) };
  },
  effects: () => ({ reads: ["net"], writes: [] }),
  limits: { ms: GENERATION_MS, chars: 50_000 },
  preview: ({ prompt, aspect_ratio }) => `${aspect_ratio}: ${prompt}`.slice(0, 120),
  run,
});

async function run({ prompt, aspect_ratio }: z.output<typeof params>, ctx: ToolContext): Promise<ToolResult> {
  const { media } = ctx.ports;
  if (media === undefined) {
    const error = "pictures cannot be made here";
    return envelopeResult({ success: false, image: null, error, error_type: "no_provider_configured" });
  }
  const request = { prompt, aspectRatio: aspect_ratio };
  const made = await media.generateImage(request, mediaCallerOf(ctx, "image_generate"));
  const { image } = made;
  const images = typeof image === "string" ? [{ path: image, unsent: true as const }] : [];
  return { ...envelopeResult(made), images };
}
