import type { ChatMessage, ModelChoice, ModelEvent, ModelRequest } from "../proto/model.js";
import type { ImageData, MessagePicture } from "../proto/pictures.js";
import { seesPictures } from "./vision.js";

/** `auto`: models that are known to see get pictures; `native`: all do; `text`: none does. */
export const IMAGE_MODES = ["auto", "native", "text"] as const;
export type ImageMode = (typeof IMAGE_MODES)[number];

export interface PictureDeps {
  readonly mode: () => ImageMode;
  /** Undefined: it is gone, or larger than `max` bytes. */
  readonly read: (path: string, max: number) => Promise<Uint8Array | undefined>;
}

type Ask = (choice: ModelChoice, request: ModelRequest, signal: AbortSignal, fallbackLeft?: boolean) => AsyncIterable<ModelEvent>;

/** In base64 4 MiB. */
const PICTURE_BYTES = 3 << 20;
/** Of one request: what stands in older messages is left to its text. */
const MOST = 16;
const ALL_BYTES = 12 << 20;

/** Requests whose pictures are shown to models that see; others read where they lie. */
export function withPictures(ask: Ask, deps: PictureDeps): Ask {
  const known = recentPictures();
  return async function* (choice, request, signal, fallbackLeft) {
    const messages = await shown(request.messages, choice, { ...deps, known });
    yield* ask(choice, messages === request.messages ? request : { ...request, messages }, signal, fallbackLeft);
  };
}

interface Showing extends PictureDeps {
  readonly known: ReturnType<typeof recentPictures>;
}

async function shown(messages: readonly ChatMessage[], { model }: ModelChoice, deps: Showing): Promise<readonly ChatMessage[]> {
  const mode = deps.mode();
  const sees = mode === "native" || (mode === "auto" && seesPictures(model));
  if (!sees || !messages.some((one) => one.role === "user" && one.pictures !== undefined)) return messages;
  const out: ChatMessage[] = [];
  let [left, bytes] = [MOST, ALL_BYTES];
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

/** What a file is by its first bytes: endpoints refuse pictures that are called something else. */
function mimeOf(bytes: Uint8Array): ImageData["mime"] | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
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
