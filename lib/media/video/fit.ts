import type { VideoDurations, VideoModel } from "../../contracts/media/backends.js";
import type { VideoRequest } from "../../contracts/media/media.js";

/** What a model is asked for, out of what it takes, and the names of the parameters that were changed for it. */
export interface Fitted {
  readonly seconds: number | undefined;
  readonly aspectRatio: string | undefined;
  readonly resolution: string | undefined;
  readonly negativePrompt: string | undefined;
  readonly audio: boolean | undefined;
  readonly seed: number | undefined;
  readonly references: readonly string[];
  /** In the names of the tool's parameters, and only of those that were given. */
  readonly adjusted: readonly string[];
}

export const DEFAULT_RATIO = "16:9";
export const DEFAULT_RESOLUTION = "720p";

/** Values outside of what a model takes become the nearest; what it does not take at all is left out (extensions part, 10.2). */
export function fitTo(model: VideoModel, request: VideoRequest, defaultSeconds: number): Fitted {
  const references = model.maxReferences > 0 ? (request.referenceImageUrls ?? []) : [];
  const most = references.length > 0 ? model.maxSecondsWithReferences : undefined;
  const { duration = defaultSeconds, aspectRatio = DEFAULT_RATIO, resolution = DEFAULT_RESOLUTION } = request;
  const fitted = {
    seconds: model.durations === undefined ? undefined : nearestSeconds(model.durations, duration, most),
    aspectRatio: nearest(model.aspectRatios, aspectRatio, ratioOf),
    resolution: nearest(model.resolutions, resolution, heightOf),
    negativePrompt: model.negativePrompt ? request.negativePrompt : undefined,
    audio: model.audio ? request.audio : undefined,
    seed: model.seed ? request.seed : undefined,
    references,
  };
  const changes: readonly (readonly [name: string, given: unknown, taken: unknown])[] = [
    ["duration", request.duration, fitted.seconds],
    ["aspect_ratio", request.aspectRatio, fitted.aspectRatio],
    ["resolution", request.resolution, fitted.resolution],
    ["negative_prompt", request.negativePrompt, fitted.negativePrompt],
    ["audio", request.audio, fitted.audio],
    ["seed", request.seed, fitted.seed],
    ["reference_image_urls", request.referenceImageUrls?.length || undefined, references.length || undefined],
  ];
  return {
    ...fitted,
    adjusted: changes.filter(([, given, taken]) => given !== undefined && given !== taken).map(([name]) => name),
  };
}

function nearestSeconds(durations: VideoDurations, wanted: number, most = Number.POSITIVE_INFINITY): number {
  if ("values" in durations) {
    const fitting = durations.values.filter((value) => value <= most);
    return nearestOf(fitting.length > 0 ? fitting : durations.values, wanted, (value) => value);
  }
  return Math.max(durations.min, Math.min(wanted, durations.max, most));
}

function nearest(
  members: readonly string[] | undefined,
  wanted: string,
  measure: (text: string) => number,
): string | undefined {
  if (members === undefined || members.length === 0) return undefined;
  return members.includes(wanted) ? wanted : nearestOf(members, measure(wanted), measure);
}

/** The lower one on a tie. */
function nearestOf<T>(members: readonly T[], wanted: number, measure: (member: T) => number): T {
  const ordered = members.toSorted((a, b) => measure(a) - measure(b));
  const distance = (member: T) => Math.abs(measure(member) - wanted);
  // Logarithms of ratios that are equally far away differ in their last digits.
  return ordered.reduce((best, next) => (distance(next) < distance(best) - 1e-9 ? next : best));
}

/** Logarithm of width to height. */
function ratioOf(text: string): number {
  const [width = 1, height = 1] = text.split(":").map(Number);
  return Math.log(width / height);
}

const heightOf = (text: string): number => (text.toLowerCase() === "4k" ? 2_160 : Number.parseInt(text, 10));
