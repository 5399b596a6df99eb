import {
  BackendFault,
  type VideoBackend,
  type VideoJob,
  type VideoModality,
  type VideoModel,
} from "../../contracts/media/backends.js";
import { VIDEO_GEN } from "../../contracts/media/keys.js";
import type { MediaCaller, MediaEnvelope, VideoRequest } from "../../contracts/media/media.js";
import { chooseMediaBackend, priceIn } from "../generation/choose-backend.js";
import { type GenerationDeps, runGeneration } from "../generation/generation.js";
import { DEFAULT_RATIO, DEFAULT_RESOLUTION, type Fitted, fitTo } from "./fit.js";

export interface VideoDeps extends GenerationDeps {
  /** Those that ship, and those of plugins; asked for with each call. */
  readonly backends: () => readonly VideoBackend[];
}

/** Documented at `MediaApi.generateVideo`. */
export async function generateVideo(
  deps: VideoDeps,
  request: VideoRequest,
  caller: MediaCaller,
): Promise<MediaEnvelope> {
  if (request.prompt.trim() === "") return failure(request, {}, "missing_prompt", "prompt must not be blank");
  const chosen = await chooseVideoBackend(deps);
  if (!chosen.ok) return failure(request, { provider: chosen.provider }, chosen.code, chosen.message);
  const { backend } = chosen;
  try {
    const { model, note } = await chooseModel(deps, backend, request);
    const facts = { provider: backend.name, model: model.id };
    const refused = refusalOf(model, request);
    if (refused !== undefined) return failure(request, facts, refused.code, refused.message);
    return await produce(deps, { backend, model, note, request }, caller);
  } catch (error) {
    if (!(error instanceof BackendFault)) throw error;
    return failure(request, { provider: backend.name }, error.code, error.message);
  }
}

export const chooseVideoBackend = (deps: VideoDeps) =>
  chooseMediaBackend(deps.backends(), deps, {
    wanted: deps.config.get(VIDEO_GEN.provider).trim(),
    setting: VIDEO_GEN.provider.key,
    first: false,
  });

/** In order: the argument, variable or setting of the backend, setting of the tool, default of the backend. */
export async function chooseModel(
  { config }: Pick<VideoDeps, "config">,
  backend: VideoBackend,
  request: Pick<VideoRequest, "model" | "imageUrl">,
): Promise<{ readonly model: VideoModel; readonly note?: string }> {
  const modality = modalityOf(request);
  const models = await backend.models();
  const fallback = models.find(({ id }) => id === backend.defaultModel(modality)) ?? models[0];
  if (fallback === undefined) throw new BackendFault("provider_contract", `backend ${backend.name} lists no models`);
  const wanted = [request.model, backend.chosenModel(config), config.get(VIDEO_GEN.model)].find((name) => name?.trim());
  if (wanted === undefined) return { model: fallback };
  const model = models.find(({ id }) => id === wanted.trim());
  if (model === undefined) {
    const known = models.map(({ id }) => id).join(", ");
    return { model: fallback, note: `unknown model '${wanted}': ${fallback.id} was used (known: ${known})` };
  }
  if (modality === "text" || model.modalities.includes("image")) return { model };
  const sibling = models.find(({ id }) => id === model.sibling);
  return sibling === undefined
    ? { model }
    : { model: sibling, note: `${model.id} takes no images: ${sibling.id} was used` };
}

const modalityOf = ({ imageUrl }: Pick<VideoRequest, "imageUrl">): VideoModality =>
  imageUrl === undefined ? "text" : "image";

interface Refused {
  readonly code: string;
  readonly message: string;
}

/** What can be refused before anything is sent. */
function refusalOf(model: VideoModel, { imageUrl, referenceImageUrls = [] }: VideoRequest): Refused | undefined {
  const { id, maxReferences, modalities } = model;
  if (maxReferences > 0 && referenceImageUrls.length > 0) {
    if (imageUrl !== undefined)
      return { code: "conflicting_inputs", message: "give image_url or reference_image_urls, not both" };
    if (referenceImageUrls.length > maxReferences) {
      const message = `${id} takes at most ${maxReferences} reference images, not ${referenceImageUrls.length}`;
      return { code: "too_many_references", message };
    }
  }
  if (imageUrl !== undefined && !modalities.includes("image")) {
    const message = `${id} makes videos from text only: leave out image_url, or choose another model`;
    return { code: "modality_unsupported", message };
  }
  if (imageUrl === undefined && !modalities.includes("text")) {
    const message = `${id} makes videos from an image only: give image_url, or choose another model`;
    return { code: "missing_image_url", message };
  }
  return undefined;
}

interface Wanted {
  readonly backend: VideoBackend;
  readonly model: VideoModel;
  readonly note: string | undefined;
  readonly request: VideoRequest;
}

async function produce(deps: VideoDeps, wanted: Wanted, caller: MediaCaller): Promise<MediaEnvelope> {
  const { backend, model, request } = wanted;
  const fitted = fitTo(model, request, backend.defaultSeconds);
  const job = jobOf(wanted, fitted);
  const usd = costOf(deps, model, fitted.seconds);
  const facts = { provider: backend.name, model: model.id };
  const produced = await runGeneration(
    deps,
    { backend, job, model: model.id, usd, source: { kind: "videos", prefix: "video" }, shown: shownOf(model, fitted) },
    caller,
  );
  if (!produced.ok) return failure(request, facts, produced.code, produced.message);
  const notes = [wanted.note, produced.note].filter((one) => one !== undefined);
  return {
    success: true,
    video: produced.path,
    source_url: produced.sourceUrl,
    ...(produced.warning === undefined ? {} : { warning: produced.warning }),
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    model: model.id,
    prompt: request.prompt,
    modality: job.modality,
    aspect_ratio: fitted.aspectRatio ?? null,
    resolution: fitted.resolution ?? null,
    duration: fitted.seconds ?? null,
    provider: backend.name,
    requested: requestedOf(request),
    adjusted: fitted.adjusted,
    ...(usd === undefined ? {} : { cost_usd: usd }),
    ...produced.told,
    extras: produced.extras,
  };
}

const shownOf = ({ id }: VideoModel, { seconds, resolution }: Fitted): string =>
  [id, seconds === undefined ? undefined : `${seconds} s`, resolution].filter((one) => one !== undefined).join(", ");

function jobOf({ model, request }: Wanted, fitted: Fitted): VideoJob {
  const { seconds, aspectRatio, resolution, negativePrompt, audio, seed, references } = fitted;
  return {
    model,
    modality: modalityOf(request),
    prompt: request.prompt,
    references,
    ...(request.imageUrl === undefined ? {} : { imageUrl: request.imageUrl }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(negativePrompt === undefined ? {} : { negativePrompt }),
    ...(audio === undefined ? {} : { audio }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** Known where the model has a price and a length. */
function costOf({ config }: VideoDeps, model: VideoModel, seconds: number | undefined): number | undefined {
  const price = priceIn(config.get(VIDEO_GEN.prices), model.id) ?? model.usdPerSecond;
  return price === undefined || seconds === undefined ? undefined : price * seconds;
}

const requestedOf = ({ duration, aspectRatio, resolution }: VideoRequest) => ({
  duration: duration ?? null,
  aspect_ratio: aspectRatio ?? DEFAULT_RATIO,
  resolution: resolution ?? DEFAULT_RESOLUTION,
});

/** The envelope of a failure. */
function failure(
  request: VideoRequest,
  { provider = null, model = null }: { readonly provider?: string | null; readonly model?: string | null },
  code: string,
  error: string,
): MediaEnvelope {
  return {
    success: false,
    video: null,
    code,
    error_type: code,
    error,
    provider,
    model,
    prompt: request.prompt,
    aspect_ratio: request.aspectRatio ?? DEFAULT_RATIO,
  };
}
