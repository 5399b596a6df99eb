import * as z from "zod";
import { mimeOf, PICTURE_SOURCE_BYTES, pictureSize } from "../../base/fs/picture-facts.js";
import { pictureForModels } from "../../base/fs/picture-scale.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { markUntrusted } from "../core/untrusted.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";
import { bytesOfDisk, type MediumOfDisk, type MediumOfWeb, mediumEffects, namedMedium } from "./named-medium.js";

const params = z.object({
  image_url: z.string().min(1).describe("http(s) URL or path of a PNG, JPEG, GIF or WebP image."),
  question: z.string().min(1).max(4_000).describe("What you want to know about it."),
});

type Params = z.output<typeof params>;

const NAME = "vision_analyze";

export default defineTool({
  name: NAME,
  toolset: "vision",
  description:
    "Look at an image from the web or from disk to answer a question about it. If you see images you get the image itself; otherwise another model answers.",
  params,
  risk: "read",
  secrets: "refused",
  effects: ({ image_url }, place) => mediumEffects(image_url, place),
  limits: { ms: 60_000, chars: 20_000 },
  preview: ({ image_url }) => image_url,
  run,
});

async function run({ image_url, question }: Params, ctx: ToolContext): Promise<ToolResult> {
  const found = await namedMedium(image_url, ctx);
  if ("error" in found) {
    const { error, ...more } = found;
    return toFailureResult(error, more);
  }
  const bytes = await picturesBytes(found);
  if (bytes === undefined)
    return toFailureResult(`${image_url} exceeds ${PICTURE_SOURCE_BYTES >> 20} MiB; make a smaller copy`);
  const type = mimeOf(bytes);
  if (type === undefined)
    return toFailureResult(`${image_url} is not an image that can be shown: PNG, JPEG, GIF and WebP are`);
  const shown = await pictureForModels(bytes);
  if ("why" in shown) return toFailureResult(`${image_url} cannot be shown: ${shown.why}`);
  const text = jsonResult({
    success: true,
    ...("url" in found ? { source_url: found.url } : { path: found.path }),
    type,
    file_size: bytes.length,
    ...pictureSize(bytes),
    question,
    hint: "the image, or what another model says about it, follows",
  });
  return {
    text: "url" in found ? markUntrusted(NAME, text) : text,
    images: [{ data: shown.bytes.toString("base64"), name: found.name, question }],
  };
}

const picturesBytes = async (found: MediumOfDisk | MediumOfWeb): Promise<Buffer | undefined> =>
  "url" in found ? found.bytes : await bytesOfDisk(found, PICTURE_SOURCE_BYTES);
