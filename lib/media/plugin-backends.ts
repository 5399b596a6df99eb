import { aborted } from "../base/async/aborted.js";
import { isRecord } from "../base/json/record.js";
import {
  BackendFault,
  type ImageBackend,
  type ImageJob,
  type MediaCall,
  type MediaContext,
  type MediaOutcome,
  type VideoBackend,
  type VideoDurations,
  type VideoJob,
  type VideoModality,
  type VideoModel,
} from "../contracts/media/backends.js";
import type { PluginProvider } from "../contracts/plugins/context.js";

/** Backends that plugins bring. What they give is checked; what they throw is a result (extensions part, 4.3 and 10.2). */

const GENERATE_MS = 600_000;

/** `registerVideoProvider`. */
export function videoBackendOf(provider: PluginProvider): VideoBackend {
  const { name } = provider;
  return {
    ...common(provider, "video_gen"),
    defaultSeconds: 5,
    defaultModel: () => {
      const told = isRecord(provider) ? called(provider, "defaultModel") : undefined;
      return typeof told === "string" ? told : undefined;
    },
    models: async () => {
      let listed: unknown;
      try {
        listed = await called(provider, "listModels");
      } catch (error) {
        throw new BackendFault("provider_exception", `the plugin of ${name} failed: ${String(error)}`, error);
      }
      const models = Array.isArray(listed) ? listed.flatMap(modelOf) : [];
      if (models.length === 0)
        throw new BackendFault("provider_contract", `the plugin of ${name} lists no valid models`);
      return models;
    },
    generate: (job, call, around) => generated(provider, "video", { request: videoRequestOf(job, call), call, around }),
  };
}

/** `registerImageProvider`. */
export function imageBackendOf(provider: PluginProvider): ImageBackend {
  return {
    ...common(provider, "image_gen"),
    defaultModel: "default",
    generate: (job, call, around) => generated(provider, "image", { request: imageRequestOf(job, call), call, around }),
  };
}

const common = (provider: PluginProvider, section: "video_gen" | "image_gen") => ({
  name: provider.name,
  aliases: [],
  knowsKeys: false,
  chosenModel: (config: MediaContext["config"]): string => {
    const own: unknown = config.raw(`${section}.${provider.name}.model`);
    return typeof own === "string" ? own : "";
  },
  lacks: async (): Promise<string | undefined> => {
    try {
      const there: unknown = await called(provider, "isAvailable");
      return there === true
        ? undefined
        : typeof there === "string"
          ? there
          : "its plugin says that it is not available";
    } catch (error) {
      return `its plugin failed: ${String(error)}`;
    }
  },
});

/** The registry has looked whether the methods that must be there are. */
function called(provider: PluginProvider, method: string, ...args: readonly unknown[]): unknown {
  const found: unknown = Reflect.get(provider, method);
  return typeof found === "function" ? Reflect.apply(found, provider, args) : undefined;
}

interface Asked {
  readonly request: Readonly<Record<string, unknown>>;
  readonly call: MediaCall;
  readonly around: Pick<MediaContext, "clock">;
}

async function generated(provider: PluginProvider, field: "video" | "image", asked: Asked): Promise<MediaOutcome> {
  const { request, call, around } = asked;
  const { name } = provider;
  const stop = new AbortController();
  const abort = () => stop.abort(call.signal.reason);
  call.signal.addEventListener("abort", abort, { once: true });
  if (call.signal.aborted) abort();
  let late = false;
  const release = around.clock.after(GENERATE_MS, () => {
    late = true;
    stop.abort();
  });
  try {
    const answer = await Promise.race([
      (async () => called(provider, "generate", request, stop.signal))(),
      aborted(stop.signal),
    ]);
    if (call.signal.aborted) return { ok: false, code: "cancelled", message: `${name} was told to stop` };
    if (late) return { ok: false, code: "timeout", message: `${name} was not done within ${GENERATE_MS / 1_000} s` };
    return outcomeOf(name, field, answer);
  } catch (error) {
    if (call.signal.aborted) return { ok: false, code: "cancelled", message: `${name} was told to stop` };
    return { ok: false, code: "provider_exception", message: `the plugin of ${name} failed: ${String(error)}` };
  } finally {
    release();
    call.signal.removeEventListener("abort", abort);
  }
}

function outcomeOf(name: string, field: "video" | "image", answer: unknown): MediaOutcome {
  if (!isRecord(answer)) return broken(`the plugin of ${name} answered no object`);
  const { error, code, extras } = answer;
  if (typeof error === "string" && error !== "")
    return {
      ok: false,
      code: typeof code === "string" && /^\w{1,60}$/.test(code) ? code : "api_error",
      message: error,
    };
  const medium: unknown = answer[field];
  const url = medium instanceof Uint8Array ? `data:;base64,${Buffer.from(medium).toString("base64")}` : medium;
  if (typeof url !== "string" || !/^(https?:|data:)/.test(url))
    return broken(`the plugin of ${name} answered no ${field}: an http(s) or data URL or its bytes are wanted`);
  return { ok: true, url, ...(isRecord(extras) ? { extras } : {}) };
}

const broken = (message: string): MediaOutcome => ({ ok: false, code: "provider_contract", message });

const videoRequestOf = (job: VideoJob, call: MediaCall) => ({
  prompt: job.prompt,
  model: job.model.id,
  modality: job.modality,
  image_url: job.imageUrl ?? null,
  reference_image_urls: job.references,
  duration: job.seconds ?? null,
  aspect_ratio: job.aspectRatio ?? null,
  resolution: job.resolution ?? null,
  negative_prompt: job.negativePrompt ?? null,
  audio: job.audio ?? null,
  seed: job.seed ?? null,
  idempotency_key: call.key,
});

const imageRequestOf = (job: ImageJob, call: MediaCall) => ({
  prompt: job.prompt,
  model: job.model,
  aspect_ratio: job.aspectRatio,
  idempotency_key: call.key,
});

function modelOf(given: unknown): readonly VideoModel[] {
  if (!isRecord(given) || typeof given["id"] !== "string" || given["id"] === "") return [];
  const durations = durationsOf(given["durations"]);
  const aspectRatios = textsOf(given["aspect_ratios"])?.filter((text) => /^\d+:\d+$/.test(text));
  const resolutions = textsOf(given["resolutions"]);
  const modalities = (textsOf(given["modalities"]) ?? ["text"]).filter(isModality);
  const { display, max_references: most, usd_per_second: price, sibling } = given;
  return [
    {
      id: given["id"],
      modalities: modalities.length === 0 ? ["text"] : modalities,
      audio: given["audio"] === true,
      negativePrompt: given["negative_prompt"] === true,
      seed: given["seed"] !== false,
      maxReferences: typeof most === "number" && most > 0 ? Math.floor(most) : 0,
      ...(typeof display === "string" ? { display } : {}),
      ...(durations === undefined ? {} : { durations }),
      ...(aspectRatios === undefined ? {} : { aspectRatios }),
      ...(resolutions === undefined ? {} : { resolutions }),
      ...(typeof sibling === "string" ? { sibling } : {}),
      ...(typeof price === "number" && price >= 0 ? { usdPerSecond: price } : {}),
    },
  ];
}

const isModality = (text: string): text is VideoModality => text === "text" || text === "image";

function textsOf(given: unknown): readonly string[] | undefined {
  return Array.isArray(given) ? given.filter((one) => typeof one === "string") : undefined;
}

/** `[4, 6, 8]` or `{ min, max }`. */
function durationsOf(given: unknown): VideoDurations | undefined {
  if (Array.isArray(given)) {
    const values = given.filter((one) => typeof one === "number" && one > 0);
    return values.length === 0 ? undefined : { values };
  }
  if (!isRecord(given)) return undefined;
  const { min, max } = given;
  return typeof min === "number" && typeof max === "number" && min <= max ? { min, max } : undefined;
}
