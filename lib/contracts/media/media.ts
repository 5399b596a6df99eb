/** Media that tools make: pictures, videos, speech (extensions part, 10.1 to 10.4). Every result is a file of this disk. */

/** Folder of the cache that a medium lies in. */
export type MediumKind = "images" | "videos" | "audio" | "screenshots";

/** As the model asked for it. Images are `https:` or `data:`; what is absent was not said. */
export interface VideoRequest {
  readonly prompt: string;
  readonly imageUrl?: string;
  readonly referenceImageUrls?: readonly string[];
  readonly duration?: number;
  readonly aspectRatio?: string;
  readonly resolution?: string;
  readonly negativePrompt?: string;
  readonly audio?: boolean;
  readonly seed?: number;
  readonly model?: string;
}

export interface ImageRequest {
  readonly prompt: string;
  readonly aspectRatio?: string;
}

/** An envelope as the tool answers it: `success` and the fields of the specification. */
export type MediaEnvelope = Readonly<Record<string, unknown>> & { readonly success: boolean };

/** What goes along with a request. */
export interface MediaCaller {
  /** The conversation: the same request of it is the same generation until that one has ended. */
  readonly session: string;
  /** Says who is asked for what, and at what price where that is known, before anything is sent; then how far it is. */
  progress(text: string): void;
  /** What it has cost, where that is known. */
  spent(cost: MediaCost): Promise<void>;
  readonly signal: AbortSignal;
}

export interface MediaCost {
  readonly provider: string;
  readonly model: string;
  readonly usd: number;
}

export type MediaSort = "video" | "image";

export interface MediaApi {
  /** Whether a backend is there; else what to do about it. Offline. */
  offered(sort: MediaSort): Promise<true | string>;
  /** The backend and model that would be asked now, with what it takes, in one sentence; undefined: none. Offline. */
  describe(sort: MediaSort): Promise<string | undefined>;
  /** Never throws but when the signal aborts. */
  generateVideo(request: VideoRequest, caller: MediaCaller): Promise<MediaEnvelope>;
  generateImage(request: ImageRequest, caller: MediaCaller): Promise<MediaEnvelope>;
}
