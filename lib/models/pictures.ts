import type { ChatMessage, ModelChoice, ModelEvent, ModelRequest } from "../contracts/models/model.js";
import type { ImageData, MessagePicture } from "../contracts/models/pictures.js";
import type { ImageMode } from "./keys.js";
import { mimeOf, PICTURE_BYTES } from "./picture-facts.js";
import { seesPictures } from "./vision.js";

export interface PictureDeps {
  readonly mode: () => ImageMode;
  /** Undefined: it is gone, or larger than `max` bytes. */
  readonly read: (path: string, max: number) => Promise<Uint8Array | undefined>;
  /** What a picture shows, for models that see none; undefined: nobody says it. The same picture is described the same way each time. */
  readonly describe?: (picture: MessagePicture, image: ImageData, signal: AbortSignal) => Promise<string | undefined>;
}

type Ask = (
  choice: ModelChoice,
  request: ModelRequest,
  signal: AbortSignal,
  fallbackLeft?: boolean,
) => AsyncIterable<ModelEvent>;

/** Of one request: what stands in older messages is left to its text. */
const MOST = 16;
const ALL_BYTES = 12 << 20;

/** Requests whose pictures are shown to models that see; others read where they lie. */
export function withPictures(ask: Ask, deps: PictureDeps): Ask {
  const known = recentPictures();
  return async function* (choice, request, signal, fallbackLeft) {
    const messages = await shown(request.messages, choice, { ...deps, known, signal });
    yield* ask(choice, messages === request.messages ? request : { ...request, messages }, signal, fallbackLeft);
  };
}

interface Showing extends PictureDeps {
  readonly known: ReturnType<typeof recentPictures>;
  readonly signal: AbortSignal;
}

async function shown(
  messages: readonly ChatMessage[],
  { model }: ModelChoice,
  deps: Showing,
): Promise<readonly ChatMessage[]> {
  const mode = deps.mode();
  const sees = mode === "native" || (mode === "auto" && seesPictures(model));
  if (!messages.some((one) => one.role === "user" && one.pictures !== undefined)) return messages;
  if (!sees) return described(messages, deps);
  const out: ChatMessage[] = [];
  let left = MOST;
  let bytes = ALL_BYTES;
  for (const message of messages.toReversed()) {
    const images: ImageData[] = [];
    if (message.role !== "user") {
      out.push(message);
      continue;
    }
    for (const picture of message.pictures ?? []) {
      const image = left > 0 ? await imageOf(picture, deps) : undefined;
      if (image === undefined || image.base64.length > bytes) continue;
      images.push(image);
      left -= 1;
      bytes -= image.base64.length;
    }
    out.push(images.length === 0 ? message : { ...message, images });
  }
  return out.toReversed();
}

/** Behind the words of a message: what its pictures show. */
async function described(messages: readonly ChatMessage[], deps: Showing): Promise<readonly ChatMessage[]> {
  const { describe, signal } = deps;
  if (describe === undefined) return messages;
  const out: ChatMessage[] = [];
  let left = MOST;
  for (const message of messages.toReversed()) {
    const told: string[] = [];
    for (const picture of message.role === "user" ? (message.pictures ?? []) : []) {
      const image = left > 0 ? await imageOf(picture, deps) : undefined;
      left -= 1;
      const text = image && (await describe(picture, image, signal));
      if (text) told.push(`[What the image ${picture.name} shows, as another model describes it: ${text}]`);
    }
    out.push(
      message.role !== "user" || told.length === 0
        ? message
        : { ...message, content: [message.content, ...told].join("\n") },
    );
  }
  return out.toReversed();
}

async function imageOf({ path }: MessagePicture, { read, known }: Showing): Promise<ImageData | undefined> {
  const before = known.get(path);
  if (before !== undefined) return before;
  const bytes = await read(path, PICTURE_BYTES);
  const mime = bytes && mimeOf(bytes);
  if (bytes === undefined || mime === undefined) return undefined;
  const image = { mime, base64: Buffer.from(bytes).toString("base64") };
  known.keep(path, image);
  return image;
}

/** Every request of a turn shows the same pictures. */
function recentPictures() {
  const kept = new Map<string, ImageData>();
  let size = 0;
  return {
    get: (path: string) => kept.get(path),
    keep: (path: string, image: ImageData) => {
      kept.set(path, image);
      size += image.base64.length;
      for (const [oldest, { base64 }] of kept) {
        if (size <= ALL_BYTES) break;
        kept.delete(oldest);
        size -= base64.length;
      }
    },
  };
}
