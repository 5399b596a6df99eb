import type { ImageBackend, VideoBackend, VideoModel } from "../contracts/media/backends.js";
import type { MediaApi, MediaSort } from "../contracts/media/media.js";
import type { GenerationDeps } from "./generation/generation.js";
import { chooseImageBackend, chooseImageModel, generateImage, type ImageDeps } from "./image/generate.js";
import { chooseModel, chooseVideoBackend, generateVideo, type VideoDeps } from "./video/generate.js";

export interface MediaDeps extends GenerationDeps {
  readonly videoBackends: () => readonly VideoBackend[];
  readonly imageBackends: () => readonly ImageBackend[];
}

/** Makes videos and pictures with the backends of a home. */
export function createMedia(deps: MediaDeps): MediaApi {
  const video: VideoDeps = { ...deps, backends: deps.videoBackends };
  const image: ImageDeps = { ...deps, backends: deps.imageBackends };
  return {
    offered: (sort) => offered(sort === "video" ? deps.videoBackends() : deps.imageBackends(), deps),
    describe: (sort: MediaSort) => (sort === "video" ? describeVideo(video) : describeImage(image)),
    generateVideo: (request, caller) => generateVideo(video, request, caller),
    generateImage: (request, caller) => generateImage(image, request, caller),
  };
}

/** Whichever it is: a setting with an unknown name is reported by the call. */
async function offered(backends: readonly (VideoBackend | ImageBackend)[], deps: MediaDeps): Promise<true | string> {
  const lacking: string[] = [];
  for (const backend of backends) {
    const why = await backend.lacks(deps);
    if (why === undefined) return true;
    lacking.push(`${backend.name}: ${why}`);
  }
  return `no backend is set up. ${lacking.join("; ")}`;
}

async function describeVideo(deps: VideoDeps): Promise<string | undefined> {
  const chosen = await chooseVideoBackend(deps);
  if (!chosen.ok) return undefined;
  const { backend } = chosen;
  try {
    const { model } = await chooseModel(deps, backend, {});
    return `Backend ${backend.name}, model ${model.id}: ${rangesOf(model)}.`;
  } catch {
    return `Backend ${backend.name}.`; // errors of its plugin are reported by the call
  }
}

function rangesOf(model: VideoModel): string {
  const { durations, aspectRatios, resolutions, modalities, audio, maxReferences } = model;
  const seconds =
    durations === undefined
      ? undefined
      : `${"values" in durations ? durations.values.join(", ") : `${durations.min} to ${durations.max}`} s`;
  return [
    modalities.length === 1 ? `from ${modalities[0]} only` : "from text or image",
    seconds,
    aspectRatios?.join(" "),
    resolutions?.join(" "),
    audio ? "audio" : "no audio",
    maxReferences > 0 ? `up to ${maxReferences} references` : undefined,
  ]
    .filter((one) => one !== undefined)
    .join("; ");
}

async function describeImage(deps: ImageDeps): Promise<string | undefined> {
  const chosen = await chooseImageBackend(deps);
  return chosen.ok ? `Backend ${chosen.backend.name}, model ${chooseImageModel(deps, chosen.backend)}.` : undefined;
}
