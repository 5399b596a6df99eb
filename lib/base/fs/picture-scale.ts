import type { Sharp } from "sharp";
import {
  fitsModels,
  holdsMore,
  longestSide,
  mimeOf,
  PICTURE_BYTES,
  PICTURE_SCALED_SIDE,
  type PictureSize,
  type PictureType,
  pictureSize,
} from "./picture-facts.js";

export interface PictureBounds {
  /** Longest side in pixels. */
  readonly maxSide: number;
  readonly maxBytes: number;
}

/** A picture within its bounds, or why it could not be made, with what to do about it. */
export type ScaledPicture = { readonly bytes: Buffer; readonly mime: PictureType } | { readonly why: string };

/** Pixels of the largest picture that is decoded. A small file may claim to have any number of them; each takes four bytes of memory. */
const MOST_PIXELS = 1 << 27;

/** Seconds that one decoding may take. */
const SECONDS = 30;

const PACKAGE = "sharp";
const VERSION = "0.35.5";

/** Gives the library. @throws when it is not installed, or not for this machine */
export type LoadSharp = () => Promise<typeof import("sharp").default>;

const loadSharp: LoadSharp = async () => {
  const { default: sharp } = await import("sharp");
  sharp.cache(false); // pictures of conversations are seldom scaled twice
  return sharp;
};

/** What models take (core part, 26.3). */
const FOR_MODELS: PictureBounds = { maxSide: PICTURE_SCALED_SIDE, maxBytes: PICTURE_BYTES };

/**
 * A picture as models get it: scaled where it is too large, upright, without what its file tells beside the pixels (such as the place it was taken
 * at), of an animation the first frame. One that fits stays as it is where it cannot be decoded.
 */
export async function pictureForModels(bytes: Buffer, load: LoadSharp = loadSharp): Promise<ScaledPicture> {
  const mime = mimeOf(bytes);
  if (mime === undefined) return { why: "only PNG, JPEG, GIF and WebP images can be shown" };
  if (fitsModels(bytes) && !holdsMore(bytes)) return { bytes, mime };
  const scaled = await scalePicture(bytes, FOR_MODELS, load);
  return "why" in scaled && fitsModels(bytes) ? { bytes, mime } : scaled;
}

/**
 * Scale a PNG, JPEG, GIF or WebP to fit. One that fits and holds nothing beside its pixels comes back as it is.
 *
 * @param load Gives the library; tests leave it out to do without.
 */
export async function scalePicture(
  bytes: Buffer,
  bounds: PictureBounds,
  load: LoadSharp = loadSharp,
): Promise<ScaledPicture> {
  const mime = mimeOf(bytes);
  // Only these are decoded, whatever else the library reads: drawings and documents may name files and addresses.
  if (mime === undefined) return { why: "only PNG, JPEG, GIF and WebP images can be scaled" };
  const size = pictureSize(bytes);
  const small = bytes.length <= bounds.maxBytes && (longestSide(bytes) ?? 0) <= bounds.maxSide;
  if (small && !holdsMore(bytes)) return { bytes, mime };
  if ((size?.width ?? 0) * (size?.height ?? 0) > MOST_PIXELS)
    return { why: `it has more than ${MOST_PIXELS >> 20} million pixels; make a smaller copy` };
  try {
    const sharp = await load();
    return await oneAtATime(() =>
      shrunk(
        (side) => {
          const source = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "error", sequentialRead: true });
          const within = { width: side, height: side, fit: "inside", withoutEnlargement: true } as const;
          return source.autoOrient().resize(within).timeout({ seconds: SECONDS });
        },
        { bounds, mime },
      ),
    );
  } catch (error) {
    return { why: whyNot(error) };
  }
}

/** Scaled down to fit into so many pixels, as a PNG for a screen; undefined where it cannot be. */
export const pngWithin = async (bytes: Buffer, most: PictureSize): Promise<Buffer | undefined> =>
  await decodedWithin(bytes, most, async (picture) => await picture.png().toBuffer());

/** Its pixels, three bytes each, scaled down to fit into so many; undefined where it cannot be. */
export const pixelsWithin = async (bytes: Buffer, most: PictureSize) =>
  await decodedWithin(bytes, most, async (picture) => {
    const { data, info } = await picture.flatten().toColourspace("srgb").raw().toBuffer({ resolveWithObject: true });
    return info.channels === 3 ? { data, width: info.width, height: info.height } : undefined;
  });

async function decodedWithin<T>(
  bytes: Buffer,
  most: PictureSize,
  write: (picture: Sharp) => Promise<T>,
): Promise<T | undefined> {
  const size = pictureSize(bytes);
  if (size === undefined || size.width * size.height > MOST_PIXELS) return undefined;
  try {
    const sharp = await loadSharp();
    const source = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "error", sequentialRead: true });
    const within = { ...most, fit: "inside", withoutEnlargement: true } as const;
    return await oneAtATime(() => write(source.autoOrient().resize(within).timeout({ seconds: SECONDS })));
  } catch {
    return undefined; // ok to lose: a picture that is not shown is named by its line
  }
}

function whyNot(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/Could not load the "sharp" module|Cannot find (?:module|package)/.test(text))
    return `scaling images needs the optional package ${PACKAGE} ${VERSION}, which is not installed: run npm install ${PACKAGE}@${VERSION}`;
  return `it cannot be decoded (${text.split("\n")[0] ?? ""}); save it again with another program`;
}

interface Wanted {
  readonly bounds: PictureBounds;
  readonly mime: PictureType;
}

/** Times that a picture is made smaller until its bytes fit. */
const TRIES = 8;

async function shrunk(decode: (side: number) => Sharp, { bounds, mime }: Wanted): Promise<ScaledPicture> {
  let side = bounds.maxSide;
  // A PNG stays one when that is small enough: text in screenshots is sharp in it.
  const same = await encoded(decode(side), mime === "image/gif" ? "image/png" : mime);
  if (same.data.length <= bounds.maxBytes) return outcome(same.data);
  const packed: PictureType = same.info.channels === 4 ? "image/webp" : "image/jpeg";
  let last = same;
  for (let tries = 0; tries < TRIES; tries++) {
    last = await encoded(decode(side), packed);
    if (last.data.length <= bounds.maxBytes) return outcome(last.data);
    const share = Math.sqrt(bounds.maxBytes / last.data.length);
    side = Math.max(1, Math.floor(Math.max(last.info.width, last.info.height) * Math.min(0.9, share * 0.95)));
  }
  return { why: `it still has ${last.data.length} bytes when it is scaled down; make a smaller copy` };
}

function outcome(bytes: Buffer): ScaledPicture {
  const mime = mimeOf(bytes);
  return mime === undefined ? { why: "it cannot be written again; make a smaller copy" } : { bytes, mime };
}

const QUALITY = 85;

function encoded(picture: Sharp, mime: PictureType) {
  if (mime === "image/jpeg") return picture.jpeg({ quality: QUALITY }).toBuffer({ resolveWithObject: true });
  if (mime === "image/webp") return picture.webp({ quality: QUALITY }).toBuffer({ resolveWithObject: true });
  return picture.png().toBuffer({ resolveWithObject: true });
}

let before: Promise<unknown> = Promise.resolve();

/** Several large pictures at once would take their memory at once. */
async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const mine = before.then(work, work);
  before = mine;
  return await mine;
}
