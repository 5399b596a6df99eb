import type { VideoBackend, VideoDurations, VideoJob, VideoModel } from "../../../lib/contracts/media/backends.js";
import { VIDEO_GEN } from "../../../lib/contracts/media/keys.js";
import { textAt } from "../wire/exchange.js";
import { generateInQueue, lacksFalKey, queueWords } from "../wire/fal-queue.js";

/** What a family takes, and the names of its fields where they are its own. */
interface Family {
  readonly model: VideoModel;
  /** Absent: it makes no video from text. */
  readonly text?: string;
  readonly image: string;
  readonly imageField?: string;
  /** What follows the number of a duration. */
  readonly durationSuffix?: string;
}

type Taken = Pick<VideoModel, "durations" | "aspectRatios" | "resolutions" | "audio" | "negativePrompt">;

const family = (id: string, taken: Taken, endpoints: Omit<Family, "model">): Family => ({
  ...endpoints,
  model: {
    id,
    modalities: endpoints.text === undefined ? ["image"] : ["text", "image"],
    seed: true,
    maxReferences: 0,
    ...taken,
  },
});

const from = (min: number, max: number): VideoDurations => ({ min, max });

/** Extensions part, 10.2. */
const FAMILIES: readonly Family[] = [
  family(
    "pixverse-v6",
    { durations: from(1, 15), resolutions: ["360p", "540p", "720p", "1080p"], audio: true, negativePrompt: true },
    { text: "fal-ai/pixverse/v6/text-to-video", image: "fal-ai/pixverse/v6/image-to-video" },
  ),
  family(
    "ltx-2.3",
    { audio: true, negativePrompt: true },
    { text: "fal-ai/ltx-2.3-22b/text-to-video", image: "fal-ai/ltx-2.3-22b/image-to-video" },
  ),
  family(
    "veo3.1",
    {
      durations: { values: [4, 6, 8] },
      aspectRatios: ["16:9", "9:16"],
      resolutions: ["720p", "1080p", "4k"],
      audio: true,
      negativePrompt: true,
    },
    { text: "fal-ai/veo3.1", image: "fal-ai/veo3.1/image-to-video", durationSuffix: "s" },
  ),
  family(
    "seedance-2.0",
    {
      durations: from(4, 15),
      aspectRatios: ["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"],
      resolutions: ["480p", "720p", "1080p"],
      audio: true,
      negativePrompt: false,
    },
    { text: "bytedance/seedance-2.0/text-to-video", image: "bytedance/seedance-2.0/image-to-video" },
  ),
  family(
    "kling-v3-4k",
    { durations: from(3, 15), aspectRatios: ["16:9", "9:16", "1:1"], audio: true, negativePrompt: true },
    {
      text: "fal-ai/kling-video/v3/4k/text-to-video",
      image: "fal-ai/kling-video/v3/4k/image-to-video",
      imageField: "start_image_url",
    },
  ),
  family("happy-horse", { audio: false, negativePrompt: false }, { image: "alibaba/happy-horse/image-to-video" }),
];

const words = queueWords("video_gen.provider");

/** Families of models behind the public queue. */
export const queueVideo: VideoBackend = {
  name: "queue",
  knowsKeys: false,
  aliases: ["fal"],
  models: async () => FAMILIES.map(({ model }) => model),
  defaultModel: () => "pixverse-v6",
  defaultSeconds: 5,
  chosenModel: (config) => config.get(VIDEO_GEN.queueModel),
  lacks: async (around) => lacksFalKey(around),
  generate: async (job, call, around) => {
    const found = FAMILIES.find(({ model }) => model.id === job.model.id);
    const endpoint = job.modality === "image" ? found?.image : found?.text;
    if (found === undefined || endpoint === undefined)
      return { ok: false, code: "modality_unsupported", message: `${job.model.id} does not make videos from text` };
    const base = around.config.get(VIDEO_GEN.queueUrl).replace(/\/+$/, "");
    const read = (result: unknown) => textAt(result, "video", "url");
    return generateInQueue({ base, endpoint, body: bodyOf(found, job), words, wanted: "video", read }, call, around);
  },
};

function bodyOf({ durationSuffix = "", imageField = "image_url" }: Family, job: VideoJob): Record<string, unknown> {
  return {
    prompt: job.prompt,
    ...(job.imageUrl === undefined ? {} : { [imageField]: job.imageUrl }),
    ...(job.seconds === undefined ? {} : { duration: `${job.seconds}${durationSuffix}` }),
    ...(job.aspectRatio === undefined ? {} : { aspect_ratio: job.aspectRatio }),
    ...(job.resolution === undefined ? {} : { resolution: job.resolution }),
    ...(job.negativePrompt === undefined ? {} : { negative_prompt: job.negativePrompt }),
    ...(job.audio === undefined ? {} : { generate_audio: job.audio }),
    ...(job.seed === undefined ? {} : { seed: job.seed }),
  };
}
