import type { ImageData } from "../contracts/models/pictures.js";

/** Largest picture in bytes that a model is shown: 4 MiB when it is written in base64. */
export const PICTURE_BYTES = 3 << 20;
/** Longest side that models take. */
export const PICTURE_SIDE = 8_000;

/** What a file is by its first bytes: endpoints refuse pictures that are called something else. */
export function mimeOf(bytes: Uint8Array): ImageData["mime"] | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

/** The longer side in pixels; undefined where these bytes do not tell it. */
export function longestSide(bytes: Uint8Array): number | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mime = mimeOf(data);
  if (mime === "image/png" && data.length >= 24) return Math.max(data.readUInt32BE(16), data.readUInt32BE(20));
  if (mime === "image/gif" && data.length >= 10) return Math.max(data.readUInt16LE(6), data.readUInt16LE(8));
  if (mime === "image/webp" && data.length >= 30) return webpSide(data);
  return mime === "image/jpeg" ? jpegSide(data) : undefined;
}

function webpSide(data: Buffer): number | undefined {
  const kind = data.toString("latin1", 12, 16);
  if (kind === "VP8X") return 1 + Math.max(data.readUIntLE(24, 3), data.readUIntLE(27, 3));
  if (kind === "VP8 ") return Math.max(data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff);
  if (kind !== "VP8L") return undefined;
  const bits = data.readUInt32LE(21);
  return 1 + Math.max(bits & 0x3fff, (bits >>> 14) & 0x3fff);
}

/** Segments up to the one that begins a frame. */
function jpegSide(data: Buffer): number | undefined {
  for (let at = 2; at + 9 < data.length; ) {
    if (data[at] !== 0xff) return undefined;
    const mark = data[at + 1] ?? 0;
    const frame = mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc;
    if (frame) return Math.max(data.readUInt16BE(at + 5), data.readUInt16BE(at + 7));
    at += mark === 0xff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
  return undefined;
}
