import { basename, extname, join } from "node:path";
import { toAppError } from "../../base/errors.js";
import { changedAt, listDirectory, makeDirectory, openNew, readText, removeFile } from "../../base/fs/files.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Inbound, InboundMedia, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import type { MessagePicture } from "../../contracts/models/pictures.js";

export interface InboundDeps {
  /** Holds the folders of kinds (`<home>/cache`). */
  readonly cache: string;
  /** How names of what comes from this chat begin. */
  readonly mark: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The adapter of a platform, once it can be asked; undefined: it is not there. */
  readonly platform: (tag: PlatformTag) => Promise<Platform | undefined>;
  /** The words of a recording; undefined where nothing can transcribe. */
  readonly transcribe?: (path: string, signal: AbortSignal) => Promise<string>;
}

/** What the model learns of the files of a message. */
export interface Received {
  /** Lines that stand before the text of the message. */
  readonly lines: readonly string[];
  /** Transcripts, which the chat is shown once. */
  readonly heard: readonly string[];
  /** Pictures, for models that see. Their lines name them as well. */
  readonly pictures: readonly MessagePicture[];
}

type Folder = "images" | "audio" | "videos" | "documents";

const FILE_BYTES = 64 << 20;
const FETCH_MS: Ms = 120_000;
const INLINE_BYTES = 102_400;
const INLINED: ReadonlySet<string> = new Set(["md", "txt", "log"]);
const DOCUMENTS: ReadonlySet<string> = new Set(
  "pdf md txt csv log json xml yaml yml toml ini cfg zip doc docx xls xlsx ppt pptx ts py sh".split(" "),
);
const FOLDERS: readonly Folder[] = ["images", "audio", "videos", "documents"];
const KEPT: Ms = 24 * 3_600_000;
/** Longer than the text of any message is kept. */
const OUTGOING: Ms = 8 * 24 * 3_600_000;

/** Extensions that a file of a kind may have, the first one is that of a file whose name says nothing. */
const EXTENSIONS: Readonly<Record<Exclude<Folder, "documents">, readonly string[]>> = {
  images: ["jpg", "jpeg", "png", "gif", "webp", "bmp", "heic", "heif", "tiff"],
  audio: ["ogg", "oga", "opus", "mp3", "m4a", "aac", "wav", "flac", "amr"],
  videos: ["mp4", "mov", "webm", "mkv", "avi", "m4v", "3gp"],
};

/** Fetch the files of a message that was accepted. What cannot be had is named with the reason; nothing is thrown but for an abort. */
export async function receiveMedia(deps: InboundDeps, event: Inbound, signal: AbortSignal): Promise<Received> {
  const lines: string[] = [];
  const heard: string[] = [];
  const pictures: MessagePicture[] = [];
  for (const media of event.media) {
    try {
      const told = await receive(deps, { event, media }, signal);
      lines.push(told.line);
      if (told.heard !== undefined) heard.push(told.heard);
      if (told.picture !== undefined) pictures.push(told.picture);
    } catch (error) {
      if (signal.aborted) throw error;
      lines.push(`[file ${nameOf(media)} skipped: ${toAppError(error).message}]`);
    }
  }
  return { lines, heard, pictures };
}

interface Told {
  readonly line: string;
  readonly heard?: string;
  readonly picture?: MessagePicture;
}

interface Asked {
  readonly event: Inbound;
  readonly media: InboundMedia;
}

async function receive(deps: InboundDeps, { event, media }: Asked, signal: AbortSignal): Promise<Told> {
  const folder = folderOf(media);
  const extension = extensionOf(media, folder);
  if (folder === "documents" && media.anyType !== true && !DOCUMENTS.has(extension))
    throw new Error(`files of type ${extension || "unknown"} are not accepted`);
  const limit = limitOf(media);
  if (media.size !== null && media.size > limit) throw new Error(`it has ${media.size} bytes (limit ${limit})`);
  const platform = await deps.platform(event.platform as PlatformTag); // only platforms send files
  if (platform?.fetchMedia === undefined) throw new Error("its platform does not support files");
  const path = join(deps.cache, folder, `${deps.mark}${deps.ids.hex(12)}.${extension || "bin"}`);
  await makeDirectory(join(deps.cache, folder), 0o700);
  const bytes = await fetched(deps, (ended) => platform.fetchMedia?.(media, ended), { path, limit, signal });
  if (folder === "documents" && INLINED.has(extension) && bytes <= INLINE_BYTES) {
    return { line: `[Content of ${nameOf(media)}]:\n${(await readText(path)) ?? ""}` };
  }
  const name = nameOf(media);
  // One without a name is called by its kind, which is said already.
  const what = media.name === null ? WORDS[folder] : `${WORDS[folder]} ${name}`;
  if (folder !== "audio") {
    const line = `[The user sent ${what}: ${path}]`;
    return folder === "images" ? { line, picture: { path, name } } : { line };
  }
  if (deps.transcribe === undefined) {
    return { line: `[The user sent ${what}: ${path}; nothing is set up that could transcribe it]` };
  }
  try {
    const heard = (await deps.transcribe(path, signal)).trim();
    if (heard === "") return { line: `[The user sent ${what}: ${path}; nothing is said in it]` };
    return { line: `[The user said in a recording]: "${heard}"`, heard };
  } catch (error) {
    if (signal.aborted) throw error;
    return { line: `[The user sent ${what}: ${path}; it could not be transcribed: ${toAppError(error).message}]` };
  }
}

/** What the adapter's own settings say, else what every platform may. */
const limitOf = ({ limit = FILE_BYTES }: InboundMedia): number => (limit === 0 ? Number.MAX_SAFE_INTEGER : limit);

const WORDS: Readonly<Record<Folder, string>> = {
  images: "an image",
  audio: "a recording",
  videos: "a video",
  documents: "the file",
};

type Source = (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>> | undefined;

/** @returns bytes that were written; nothing is left of a file that is too large or breaks off */
async function fetched(
  { clock }: InboundDeps,
  source: Source,
  { path, limit, signal }: { readonly path: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<number> {
  const control = new AbortController();
  const stop = () => control.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const cancel = clock.after(FETCH_MS, () => control.abort(new Error("fetching timed out")));
  const to = await openNew(path, 0o600);
  let size = 0;
  try {
    for await (const chunk of (await source(control.signal)) ?? []) {
      if (control.signal.aborted) throw control.signal.reason;
      size += chunk.length;
      if (size > limit) throw new Error(`it exceeds ${limit} bytes`);
      await to.appendFile(chunk);
    }
    return size;
  } catch (error) {
    await removeFile(path);
    throw control.signal.aborted ? control.signal.reason : error;
  } finally {
    cancel();
    signal.removeEventListener("abort", stop);
    await to.close();
  }
}

function folderOf({ kind, mime, name }: InboundMedia): Folder {
  const words = `${kind} ${mime ?? ""}`.toLowerCase();
  if (/image|photo|picture|sticker/.test(words)) return "images";
  if (/voice|audio/.test(words)) return "audio";
  if (/video|animation/.test(words)) return "videos";
  const extension = plainExtension(name);
  return FOLDERS.find((folder) => folder !== "documents" && EXTENSIONS[folder].includes(extension)) ?? "documents";
}

/** Of a name nothing is used but letters and digits of a known ending. */
function extensionOf({ name, mime }: InboundMedia, folder: Folder): string {
  const own = plainExtension(name);
  if (folder === "documents") return own === "" ? plainExtension(mime?.replace("/", ".") ?? null) || "" : own;
  const known = EXTENSIONS[folder];
  if (known.includes(own)) return own;
  const said = mime?.split("/")[1]?.replace("jpeg", "jpg").replace("mpeg", "mp3") ?? "";
  return known.includes(said) ? said : (known[0] ?? "bin");
}

const plainExtension = (name: string | null): string =>
  (/^\.[A-Za-z0-9]{1,8}$/.test(extname(name ?? "")) ? extname(name ?? "").slice(1) : "").toLowerCase();

/** A name as the model sees it: one line, no path. */
const nameOf = ({ name, kind }: InboundMedia): string =>
  [...basename((name ?? kind).replace(/[\p{Cc}\p{Cf}[\]]/gu, "_"))].slice(0, 120).join("") || kind;

/** Remove what was received a day ago, and copies of files that were on their way out for longer than any of them is kept. */
export async function sweepMedia({ cache, clock }: Pick<InboundDeps, "cache" | "clock">): Promise<void> {
  const now = clock.now();
  for (const [folder, mine, age] of [
    ...FOLDERS.map((name) => [name, "in_", KEPT] as const),
    ["outgoing", "", OUTGOING] as const,
  ]) {
    for (const { name, kind } of await listDirectory(join(cache, folder)).catch(() => [])) {
      const path = join(cache, folder, name);
      if (kind === "file" && name.startsWith(mine) && now - changedAt(path) > age)
        await removeFile(path).catch(() => undefined);
    }
  }
}
