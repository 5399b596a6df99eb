import { join } from "node:path";
import { makeDirectory, openNew } from "../base/fs/files.js";
import type { Home } from "../base/home.js";
import { sha256 } from "../base/text/hash.js";
import type { Clock } from "../base/time/clock.js";

const FILE_BYTES = 64 << 20;

const FOLDERS = { image: "images", audio: "audio", video: "videos" } as const;

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/ogg": "ogg",
  "audio/mp4": "m4a",
  "video/mp4": "mp4",
  "application/pdf": "pdf",
  "application/json": "json",
  "application/zip": "zip",
  "application/gzip": "gz",
  "text/plain": "txt",
};

/** Keeps what servers send as bytes, as files of the media cache (extensions part, 10.1). */
export type KeepMedia = (base64: string, mime: string) => Promise<string | undefined>;

/** @returns what stores bytes and gives their path; undefined for invalid base64, empty, or too large */
export function createMediaKeeper({
  home,
  clock,
}: {
  readonly home: Pick<Home, "cache">;
  readonly clock: Clock;
}): KeepMedia {
  return async (base64, mime) => {
    const bytes = Buffer.from(base64, "base64");
    if (bytes.length === 0 || bytes.length > FILE_BYTES) return undefined;
    const kind = mime.split("/")[0];
    const folder = kind === "image" || kind === "audio" || kind === "video" ? FOLDERS[kind] : "documents";
    const dir = join(home.cache, folder);
    const stamp = new Date(clock.now())
      .toISOString()
      .replace(/[-:]|\.\d+Z/g, "")
      .replace("T", "_");
    const extension = EXTENSIONS[mime.split(";")[0]?.trim().toLowerCase() ?? ""] ?? "bin";
    await makeDirectory(dir, 0o700);
    for (let n = 0; n < TRIES; n++) {
      const path = join(dir, `mcp_${stamp}_${sha256(`${base64}${n}${clock.mono()}`).slice(0, 8)}.${extension}`);
      const file = await openNew(path, 0o600).catch(() => undefined); // taken: another name
      if (file === undefined) continue;
      try {
        await file.writeFile(bytes);
      } finally {
        await file.close();
      }
      return path;
    }
    return undefined;
  };
}

const TRIES = 3;
