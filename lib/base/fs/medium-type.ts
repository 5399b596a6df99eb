/** A medium by its first bytes: what it is called does not count. */

export interface MediumType {
  /** Ending of its file, without the point. */
  readonly ending: string;
  readonly mime: string;
  readonly sort: "image" | "video" | "audio";
}

/** So many bytes tell what a medium is. */
export const MEDIUM_HEAD_BYTES = 64;

const type = (sort: MediumType["sort"], ending: string, mime: string): MediumType => ({ sort, ending, mime });

const PNG = type("image", "png", "image/png");
const JPEG = type("image", "jpg", "image/jpeg");
const GIF = type("image", "gif", "image/gif");
const WEBP = type("image", "webp", "image/webp");
const MP4 = type("video", "mp4", "video/mp4");
const MOV = type("video", "mov", "video/quicktime");
const WEBM = type("video", "webm", "video/webm");
const MP3 = type("audio", "mp3", "audio/mpeg");
const WAV = type("audio", "wav", "audio/wav");
const OGG = type("audio", "ogg", "audio/ogg");
const FLAC = type("audio", "flac", "audio/flac");
const M4A = type("audio", "m4a", "audio/mp4");

/** Beginnings that say it all. */
const BEGINNINGS: readonly (readonly [beginning: string, type: MediumType])[] = [
  ["\x89PNG\r\n\x1a\n", PNG],
  ["\xff\xd8\xff", JPEG],
  ["GIF87a", GIF],
  ["GIF89a", GIF],
  ["OggS", OGG],
  ["fLaC", FLAC],
  ["ID3", MP3],
];

/** Undefined for everything that no tool makes. @param bytes the file, or at least its first `MEDIUM_HEAD_BYTES` */
export function mediumType(bytes: Uint8Array): MediumType | undefined {
  const head = Buffer.from(bytes.subarray(0, MEDIUM_HEAD_BYTES)).toString("latin1");
  const found = BEGINNINGS.find(([beginning]) => head.startsWith(beginning));
  if (found !== undefined) return found[1];
  if (head.startsWith("RIFF")) return riffType(head.slice(8, 12));
  if (head.startsWith("ftyp", 4)) return brandType(head.slice(8, 12));
  if (head.startsWith("\x1a\x45\xdf\xa3")) return head.includes("webm") ? WEBM : undefined;
  return isMpegAudio(bytes) ? MP3 : undefined;
}

const riffType = (form: string): MediumType | undefined => (form === "WEBP" ? WEBP : form === "WAVE" ? WAV : undefined);

/** Brands of pictures (HEIC, AVIF) share the container. */
function brandType(brand: string): MediumType | undefined {
  if (brand === "qt  ") return MOV;
  if (brand === "M4A " || brand === "M4B ") return M4A;
  return /^(heic|heix|mif1|msf1|avif|avis)$/.test(brand) ? undefined : MP4;
}

/** A frame of MPEG audio, layer III, without a tag before it. */
const isMpegAudio = ([first = 0, second = 0, third = 0]: Uint8Array): boolean =>
  first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08 && (third & 0xf0) !== 0xf0;

/** What providers take in the place of an address. */
export const dataUri = (bytes: Uint8Array, mime: string): string =>
  `data:${mime};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`;
