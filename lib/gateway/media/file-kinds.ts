import { extname } from "node:path";
import { ownEntry } from "../../base/json/record.js";
import type { SendFile } from "../../contracts/gateway/courier.js";

type Kind = SendFile["kind"];

/** Known files by their extension. `media`: a bare path in a text is meant to be sent. */
const KNOWN: Readonly<Record<string, readonly [Kind, string]>> = {
  png: ["image", "image/png"],
  jpg: ["image", "image/jpeg"],
  jpeg: ["image", "image/jpeg"],
  gif: ["image", "image/gif"],
  webp: ["image", "image/webp"],
  bmp: ["image", "image/bmp"],
  mp3: ["audio", "audio/mpeg"],
  m4a: ["audio", "audio/mp4"],
  aac: ["audio", "audio/aac"],
  wav: ["audio", "audio/wav"],
  flac: ["audio", "audio/flac"],
  ogg: ["audio", "audio/ogg"],
  oga: ["audio", "audio/ogg"],
  opus: ["voice", "audio/ogg"],
  mp4: ["video", "video/mp4"],
  mov: ["video", "video/quicktime"],
  webm: ["video", "video/webm"],
  mkv: ["video", "video/x-matroska"],
  avi: ["video", "video/x-msvideo"],
  svg: ["document", "image/svg+xml"],
  pdf: ["document", "application/pdf"],
  md: ["document", "text/markdown"],
  txt: ["document", "text/plain"],
  csv: ["document", "text/csv"],
  json: ["document", "application/json"],
  html: ["document", "text/html"],
  zip: ["document", "application/zip"],
};

/** Extensions of files that a text names in order to send them. */
export const MEDIA_EXTENSIONS: readonly string[] = Object.keys(KNOWN).filter(
  (name) => KNOWN[name]?.[0] !== "document" || name === "pdf",
);

/** How a file is sent, by its name. */
export function toMediaKind(name: string): { readonly kind: Kind; readonly mime: string } {
  const [kind, mime] =
    ownEntry(KNOWN, extname(name).slice(1).toLowerCase()) ?? (["document", "application/octet-stream"] as const);
  return { kind, mime };
}
