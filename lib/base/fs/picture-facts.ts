/** What models take. */
export type PictureType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** Width and height in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Largest picture in bytes that a model is shown: 4 MiB when it is written in base64. */
export const PICTURE_BYTES = 3 << 20;
/** Longest side that models take. */
export const PICTURE_SIDE = 8_000;
/** Longest side of what is scaled for them (core part, 26.3). */
export const PICTURE_SCALED_SIDE = 7_900;
/** Largest picture that is read to be scaled. */
export const PICTURE_SOURCE_BYTES = 64 << 20;

/** What a file is by its first bytes: endpoints refuse pictures that are called something else. */
export function mimeOf(bytes: Uint8Array): PictureType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

/** The longer side in pixels; undefined where these bytes do not tell it. */
export function longestSide(bytes: Uint8Array): number | undefined {
  const size = pictureSize(bytes);
  return size === undefined ? undefined : Math.max(size.width, size.height);
}

/** Small enough for models as it is. */
export const fitsModels = (bytes: Uint8Array): boolean =>
  bytes.length <= PICTURE_BYTES && (longestSide(bytes) ?? 0) <= PICTURE_SIDE;

/** Undefined where these bytes do not tell it. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mime = mimeOf(data);
  if (mime === "image/png" && data.length >= 24) return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  if (mime === "image/gif" && data.length >= 10) return { width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
  if (mime === "image/webp" && data.length >= 30) return webpSize(data);
  return mime === "image/jpeg" ? jpegSize(data) : undefined;
}

function webpSize(data: Buffer): PictureSize | undefined {
  const kind = data.toString("latin1", 12, 16);
  if (kind === "VP8X") return { width: 1 + data.readUIntLE(24, 3), height: 1 + data.readUIntLE(27, 3) };
  if (kind === "VP8 ") return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = data.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** Segments up to the one that begins a frame. */
function jpegSize(data: Buffer): PictureSize | undefined {
  for (let at = 2; at + 9 < data.length; ) {
    if (data[at] !== 0xff) return undefined;
    const mark = data[at + 1] ?? 0;
    const frame = mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc;
    if (frame) return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    at += mark === 0xff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The file holds more than the pixels of one picture: further frames, or notes such as the place and the turned camera of a photo. */
export function holdsMore(bytes: Uint8Array): boolean {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (mimeOf(data)) {
    case "image/png":
      return pngChunks(data).some(
        ({ kind, start }) =>
          kind === "eXIf" ||
          kind === "acTL" ||
          (kind === "iTXt" && data.toString("latin1", start, start + 17) === "XML:com.adobe.xmp"),
      );
    case "image/jpeg":
      return jpegNotes(data);
    case "image/webp":
      return data.toString("latin1", 12, 16) === "VP8X" && ((data[20] ?? 0) & WEBP_MORE) !== 0;
    case "image/gif":
      return gifFrames(data) > 1;
    default:
      return false;
  }
}

/** Flags of an extended WebP: Exif, XMP, animation. */
const WEBP_MORE = 0x08 | 0x04 | 0x02;

function pngChunks(data: Buffer): readonly { readonly kind: string; readonly start: number }[] {
  const chunks: { kind: string; start: number }[] = [];
  for (let at = 8; at + 8 <= data.length; at += 12 + data.readUInt32BE(at))
    chunks.push({ kind: data.toString("latin1", at + 4, at + 8), start: at + 8 });
  return chunks;
}

/** Exif and XMP are in segments APP1, notes of image editors in APP13. */
function jpegNotes(data: Buffer): boolean {
  for (let at = 2; at + 4 <= data.length && data[at] === 0xff; ) {
    const mark = data[at + 1] ?? 0;
    if (mark === 0xe1 || mark === 0xed) return true;
    if (mark === 0xda) return false;
    at += mark === 0xff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
  return false;
}

/** Up to the second one. */
function gifFrames(data: Buffer): number {
  const table = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
  let frames = 0;
  let at = 13 + table(data[10] ?? 0);
  while (at < data.length && frames < 2) {
    const mark = data[at];
    if (mark === 0x2c) {
      frames += 1;
      at = behindBlocks(data, at + 11 + table(data[at + 9] ?? 0));
    } else if (mark === 0x21) at = behindBlocks(data, at + 2);
    else break;
  }
  return frames;
}

/** Behind blocks that each begin with their length, up to an empty one. */
function behindBlocks(data: Buffer, from: number): number {
  let at = from;
  while ((data[at] ?? 0) !== 0) at += 1 + (data[at] ?? 0);
  return at + 1;
}
