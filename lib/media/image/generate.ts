import type { ImageBackend, ImageRatio } from "../../contracts/media/backends.js";
import { IMAGE_GEN } from "../../contracts/media/keys.js";
import type { ImageRequest, MediaCaller, MediaEnvelope } from "../../contracts/media/media.js";
import { chooseMediaBackend, priceIn } from "../generation/choose-backend.js";
import { type GenerationDeps, runGeneration } from "../generation/generation.js";

export interface ImageDeps extends GenerationDeps {
  readonly backends: () => readonly ImageBackend[];
}

const RATIOS: readonly string[] = ["landscape", "square", "portrait"];
const isRatio = (text: string): text is ImageRatio => RATIOS.includes(text);

/** Documented at `MediaApi.generateImage`. */
export async function generateImage(
  deps: ImageDeps,
  request: ImageRequest,
  caller: MediaCaller,
): Promise<MediaEnvelope> {
  if (request.prompt.trim() === "") return failure("missing_prompt", "prompt must not be blank");
  const chosen = await chooseImageBackend(deps);
  if (!chosen.ok) return failure(chosen.code, chosen.message);
  const { backend } = chosen;
  const wanted = request.aspectRatio ?? "landscape";
  const aspectRatio = isRatio(wanted) ? wanted : "landscape";
  const model = chooseImageModel(deps, backend);
  const usd = priceIn(deps.config.get(IMAGE_GEN.prices), model);
  const job = { model, prompt: request.prompt, aspectRatio };
  const produced = await runGeneration(
    deps,
    { backend, job, model, usd, source: { kind: "images", prefix: "image" }, shown: `${model}, ${aspectRatio}` },
    caller,
  );
  if (!produced.ok) return { ...failure(produced.code, produced.message), provider: backend.name, model };
  const unknown = `unknown aspect_ratio '${wanted}': landscape was used (known: ${RATIOS.join(", ")})`;
  const warnings = [produced.warning, produced.note, isRatio(wanted) ? undefined : unknown].filter(
    (one) => one !== undefined,
  );
  return {
    success: true,
    image: produced.path,
    source_url: produced.sourceUrl,
    ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
    provider: backend.name,
    model,
    prompt: request.prompt,
    aspect_ratio: aspectRatio,
    ...(usd === undefined ? {} : { cost_usd: usd }),
  };
}

export const chooseImageBackend = (deps: ImageDeps) =>
  chooseMediaBackend(deps.backends(), deps, {
    wanted: deps.config.get(IMAGE_GEN.provider).trim(),
    setting: IMAGE_GEN.provider.key,
    first: true,
  });

/** In order: variable or setting of the backend, setting of the tool, default of the backend. */
export const chooseImageModel = ({ config }: Pick<ImageDeps, "config">, backend: ImageBackend): string =>
  [backend.chosenModel(config), config.get(IMAGE_GEN.model)].find((name) => name.trim() !== "")?.trim() ??
  backend.defaultModel;

const failure = (type: string, error: string): MediaEnvelope => ({
  success: false,
  image: null,
  error,
  error_type: type,
});
