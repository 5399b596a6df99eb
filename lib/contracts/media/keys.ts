import { type ConfigKey, configKey } from "../config/config.js";

/** How long the media cache keeps what tools made (extensions part, 10.1). */
export const MEDIA_RETENTION_DAYS = configKey<number>({
  key: "media.retention_days",
  kind: { type: "integer", min: 0, max: 36_500 },
  default: 30,
  help: "Days that pictures, videos and sounds made by tools are kept in the cache; 0 keeps them.",
});

const text = (key: string, help: string, env?: string): ConfigKey<string> =>
  configKey<string>({ key, kind: { type: "string" }, default: "", help, ...(env === undefined ? {} : { env }) });

const address = (key: string, fallback: string, help: string): ConfigKey<string> =>
  configKey<string>({ key, kind: { type: "string" }, default: fallback, form: "http_address", help });

const prices = (key: string, help: string): ConfigKey<unknown> =>
  configKey<unknown>({ key, kind: { type: "any" }, default: {}, help });

const QUEUE_URL = "https://queue.fal.run";

/** Videos (extensions part, 10.2). */
export const VIDEO_GEN = {
  provider: text(
    "video_gen.provider",
    "Backend of video_generate: direct, queue, or that of a plugin; empty: the only one available.",
  ),
  model: text("video_gen.model", "Model of video_generate; empty: the default of the backend."),
  directModel: text(
    "video_gen.direct.model",
    "Model of the backend direct: grok-imagine-video or grok-imagine-video-1.5-preview.",
    "SEARCH_VENDOR_VIDEO_MODEL",
  ),
  queueModel: text(
    "video_gen.queue.model",
    "Model of the backend queue: ltx-2.3, pixverse-v6, veo3.1, seedance-2.0, kling-v3-4k or happy-horse.",
    "FAL_VIDEO_MODEL",
  ),
  pluginModel: text("video_gen.*.model", "Model of a backend of video_generate that a plugin brings."),
  directUrl: address(
    "video_gen.direct.base_url",
    "",
    "Address of the backend direct in place of that of its login or key.",
  ),
  queueUrl: address("video_gen.queue.base_url", QUEUE_URL, "Address of the backend queue."),
  prices: prices(
    "video_gen.prices",
    "USD for a second of video by model, so that costs are shown and counted: { pixverse-v6: 0.05 }.",
  ),
} as const;

/** Pictures (extensions part, 10.3). */
export const IMAGE_GEN = {
  provider: text(
    "image_gen.provider",
    "Backend of image_generate: queue, or that of a plugin; empty: the first one available.",
  ),
  model: text("image_gen.model", "Model of image_generate; empty: the default of the backend."),
  queueModel: text(
    "image_gen.queue.model",
    "Model of the backend queue: any text-to-image endpoint that takes image_size.",
    "FAL_IMAGE_MODEL",
  ),
  pluginModel: text("image_gen.*.model", "Model of a backend of image_generate that a plugin brings."),
  queueUrl: address("image_gen.queue.base_url", QUEUE_URL, "Address of the backend queue."),
  prices: prices(
    "image_gen.prices",
    "USD for a picture by model, so that costs are shown and counted: { fal-ai/flux-2/klein/9b: 0.01 }.",
  ),
} as const;

export const MEDIA_TOOL_KEYS: readonly ConfigKey<unknown>[] = [
  MEDIA_RETENTION_DAYS,
  ...Object.values(VIDEO_GEN),
  ...Object.values(IMAGE_GEN),
];
