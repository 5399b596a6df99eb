import type { ImageBackend, ImageRatio } from "../../../lib/contracts/media/backends.js";
import { IMAGE_GEN } from "../../../lib/contracts/media/keys.js";
import { textAt } from "../wire/exchange.js";
import { generateInQueue, lacksFalKey, queueWords } from "../wire/fal-queue.js";

const SIZES: Readonly<Record<ImageRatio, string>> = {
  landscape: "landscape_16_9",
  square: "square_hd",
  portrait: "portrait_16_9",
};

const words = queueWords("image_gen.provider");

/** Text-to-image endpoints behind the public queue. */
export const queueImage: ImageBackend = {
  name: "queue",
  knowsKeys: false,
  aliases: ["fal"],
  defaultModel: "fal-ai/flux-2/klein/9b",
  chosenModel: (config) => config.get(IMAGE_GEN.queueModel),
  lacks: async (around) => lacksFalKey(around),
  generate: async ({ model, prompt, aspectRatio }, call, around) => {
    const base = around.config.get(IMAGE_GEN.queueUrl).replace(/\/+$/, "");
    const body = { prompt, image_size: SIZES[aspectRatio], num_images: 1 };
    const read = (result: unknown) => textAt(result, "images", 0, "url") ?? textAt(result, "image", "url");
    return generateInQueue({ base, endpoint: model, body, words, wanted: "image", read }, call, around);
  },
};
