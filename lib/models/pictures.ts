import { PICTURE_SOURCE_BYTES } from "../base/fs/picture-facts.js";
import { pictureForModels } from "../base/fs/picture-scale.js";
import type { SideUse } from "../contracts/chat/compact.js";
import type { ChatMessage, ModelChoice, ModelEvent, ModelRequest } from "../contracts/models/model.js";
import {
  type ImageData,
  type MessagePicture,
  RESULT_PICTURES,
  removedResultPicture,
} from "../contracts/models/pictures.js";
import { markUntrusted } from "../tools/core/untrusted.js";
import type { ImageMode } from "./keys.js";
import { seesPictures } from "./vision.js";

export interface PictureDeps {
  readonly mode: () => ImageMode;
  /** Undefined: it is gone, or larger than `max` bytes. */
  readonly read: (path: string, max: number) => Promise<Uint8Array | undefined>;
  readonly describe?: DescribePicture;
}

/** What a picture shows, for models that see none; undefined: no model says it. The same picture is described the same way each time. */
export type DescribePicture = (
  picture: MessagePicture,
  image: ImageData,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly used?: SideUse } | undefined>;

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
    const used: SideUse[] = [];
    const messages = await shown(request.messages, choice, { ...deps, known, used, signal });
    for (const one of used) yield { type: "side", ...one };
    yield* ask(choice, messages === request.messages ? request : { ...request, messages }, signal, fallbackLeft);
  };
}

interface Showing extends PictureDeps {
  /** What descriptions of this request have cost. */
  readonly used: SideUse[];
  readonly known: ReturnType<typeof recentPictures>;
  readonly signal: AbortSignal;
}

async function shown(
  messages: readonly ChatMessage[],
  { model, provider }: ModelChoice,
  deps: Showing,
): Promise<readonly ChatMessage[]> {
  const mode = deps.mode();
  const sees = mode === "native" || (mode === "auto" && seesPictures(model));
  // The stand-in reads results as they are, and says itself that it sees none.
  if (provider.id === "offline" || !messages.some((one) => picturesOf(one).length > 0)) return messages;
  const newest = withNewest(messages);
  if (!sees) return described(newest, model, deps);
  const out: ChatMessage[] = [];
  let left = MOST;
  let bytes = ALL_BYTES;
  for (const message of newest.toReversed()) {
    const images: ImageData[] = [];
    for (const picture of picturesOf(message)) {
      const image = left > 0 ? await imageOf(picture, deps) : undefined;
      if (image === undefined || image.base64.length > bytes) continue;
      images.push(image);
      left -= 1;
      bytes -= image.base64.length;
    }
    out.push(images.length === 0 || !holdsPictures(message) ? message : { ...message, images });
  }
  return out.toReversed();
}

type Pictured = Extract<ChatMessage, { role: "user" | "tool" }>;

const holdsPictures = (message: ChatMessage): message is Pictured => message.role === "user" || message.role === "tool";

const picturesOf = (message: ChatMessage): readonly MessagePicture[] =>
  holdsPictures(message) ? (message.pictures ?? []) : [];

/** Older pictures of results become a line of their text. */
function withNewest(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let left = RESULT_PICTURES;
  return messages
    .toReversed()
    .map((message) => {
      if (message.role !== "tool" || message.pictures === undefined) return message;
      const { pictures: all, ...rest } = message;
      // Of one result the last ones are the newest.
      const kept = left === 0 ? [] : all.slice(-left);
      left -= kept.length;
      const gone = all.length - kept.length;
      const marks = Array.from({ length: gone }, () => removedResultPicture(message.name));
      const content = [message.content, ...marks].join("\n").trim();
      return { ...rest, content, ...(kept.length === 0 ? {} : { pictures: kept }) };
    })
    .toReversed();
}

/** Of a result whose picture cannot be described to the model. */
const UNSEEN = "does not see pictures, and no other model describes them: tell the user to set auxiliary.vision";

/** Behind the words of a message: what its pictures show. Pictures of results are of what others made, and so is what they show. */
async function described(
  messages: readonly ChatMessage[],
  model: string,
  deps: Showing,
): Promise<readonly ChatMessage[]> {
  const { describe, signal, used } = deps;
  const out: ChatMessage[] = [];
  let left = MOST;
  for (const message of messages.toReversed()) {
    const told: string[] = [];
    for (const picture of picturesOf(message)) {
      const image = left > 0 ? await imageOf(picture, deps) : undefined;
      left -= 1;
      const found = image && (await describe?.(picture, image, signal));
      if (found?.used !== undefined) used.push(found.used);
      if (found !== undefined) told.push(describedAs(message.role, picture, found.text));
      else if (message.role === "tool") told.push(`[The picture ${picture.name} is not shown: ${model} ${UNSEEN}]`);
    }
    out.push(told.length === 0 ? message : { ...message, content: [message.content, ...told].join("\n") });
  }
  return out.toReversed();
}

function describedAs(role: ChatMessage["role"], { name }: MessagePicture, text: string): string {
  const told = `[What the image ${name} shows, as another model describes it: ${text}]`;
  return role === "tool" ? markUntrusted("vision", told) : told;
}

async function imageOf({ path }: MessagePicture, { read, known }: Showing): Promise<ImageData | undefined> {
  const before = known.get(path);
  if (before !== undefined) return before;
  const bytes = await read(path, PICTURE_SOURCE_BYTES);
  // What came from a chat or an older version may be too large still.
  const shown = bytes && (await pictureForModels(Buffer.from(bytes)));
  if (shown === undefined || "why" in shown) return undefined;
  const image = { mime: shown.mime, base64: shown.bytes.toString("base64") };
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
