/** Services that make videos and pictures, as `lib/media` uses them (extensions part, 10.2 and 10.3). One file each in `adapters/media`. */
import type { Net } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import type { Config } from "../config/config.js";
import type { ToolCredentials } from "../models/tool-credentials.js";

/** Seconds that a model makes: any between two, or some. */
export type VideoDurations = { readonly min: number; readonly max: number } | { readonly values: readonly number[] };

export type VideoModality = "text" | "image";

/** What a model takes. What is absent is not sent to it. */
export interface VideoModel {
  readonly id: string;
  readonly display?: string;
  readonly modalities: readonly VideoModality[];
  readonly durations?: VideoDurations;
  readonly aspectRatios?: readonly string[];
  readonly resolutions?: readonly string[];
  readonly audio: boolean;
  readonly negativePrompt: boolean;
  readonly seed: boolean;
  /** 0: it takes no reference images. */
  readonly maxReferences: number;
  /** Longest video in seconds when there are references. */
  readonly maxSecondsWithReferences?: number;
  /** Model of the backend that takes images, where this one does not. */
  readonly sibling?: string;
  /** USD for a second, where it is known. */
  readonly usdPerSecond?: number;
}

/** A video as it is asked for: everything fits the model. */
export interface VideoJob {
  readonly model: VideoModel;
  readonly modality: VideoModality;
  readonly prompt: string;
  /** `https:` or `data:`. */
  readonly imageUrl?: string;
  readonly references: readonly string[];
  readonly seconds?: number;
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly negativePrompt?: string;
  readonly audio?: boolean;
  readonly seed?: number;
}

export interface ImageJob {
  readonly model: string;
  readonly prompt: string;
  readonly aspectRatio: ImageRatio;
}

export type ImageRatio = "landscape" | "square" | "portrait";

/** What a provider said when it accepted a request; enough to ask for its result later. */
export type RequestHandle = Readonly<Record<string, string>>;

/** One generation on its way to a provider. */
export interface MediaCall {
  /** Names the generation to the provider: a request with the same key is not paid twice, where the provider knows keys. */
  readonly key: string;
  /** The provider has accepted this generation before: its result is waited for, and nothing is sent. */
  readonly accepted?: RequestHandle;
  /** Called once it is accepted. What it stores is on the disk when it resolves. */
  onAccepted(handle: RequestHandle): Promise<void>;
  /** One line on how far it is. */
  progress(text: string): void;
  readonly signal: AbortSignal;
}

/**
 * `open`: the provider may go on with it, and the same request could be asked for its result later. Without it nothing runs any more.
 * `message` says what to do.
 */
export type MediaOutcome =
  | {
      readonly ok: true;
      /** `https:` or `data:`. */
      readonly url: string;
      /** More of what the provider said, for the result. */
      readonly extras?: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly open?: true };

/** What backends are given. `env` has the variables of `.env` over those of the process. */
export interface MediaContext {
  readonly net: Pick<Net, "fetch">;
  readonly clock: Clock;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Credentials of `search-vendor`. */
  readonly credentials: ToolCredentials;
}

/** A backend of a plugin threw, or gave what does not hold. */
export class BackendFault extends Error {
  override readonly name = "BackendFault";
  readonly code: "provider_exception" | "provider_contract";
  constructor(code: BackendFault["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

interface MediaBackend<Job> {
  readonly name: string;
  /** Requests with the same key are not paid twice. */
  readonly knowsKeys: boolean;
  /** What it lacks, and what to do about it; undefined: nothing. Offline. */
  lacks(around: MediaContext): Promise<string | undefined>;
  /** Never rejects. Once the signal aborts, what runs at the provider is cancelled, where it can be, and the code is `cancelled`. */
  generate(job: Job, call: MediaCall, around: MediaContext): Promise<MediaOutcome>;
}

export interface VideoBackend extends MediaBackend<VideoJob> {
  /** At least one. @throws BackendFault what a plugin brings does not hold */
  models(): Promise<readonly VideoModel[]>;
  /** The model of `models` that is used unless another is chosen; undefined: the first one. */
  defaultModel(modality: VideoModality): string | undefined;
  /** Seconds of a video, unless a length is given. */
  readonly defaultSeconds: number;
  /** Its model as a setting or variable says; empty: neither does. */
  chosenModel(config: Config): string;
  /** Names in settings that mean it as well. */
  readonly aliases: readonly string[];
}

export interface ImageBackend extends MediaBackend<ImageJob> {
  readonly defaultModel: string;
  chosenModel(config: Config): string;
  readonly aliases: readonly string[];
}
