import { readPieces, statPath } from "../../../lib/base/fs/files.js";
import type { SendPayload } from "../../../lib/contracts/gateway/outbox.js";

type OutFile = NonNullable<SendPayload["file"]>;

/** A file that goes along with a call, in the field of that name. */
export interface UploadFile {
  readonly field: string;
  readonly name: string;
  /** To be asked for once for each call. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

/** Limits of the platform for what bots send. */
const UPLOAD_BYTES = 50 << 20;
/** Both ways, with a Bot API server of one's own. */
export const LOCAL_BYTES = 2000 * (1 << 20);
const PHOTO_BYTES = 10 << 20;
const CAPTION_CHARS = 1024;

export type LoadedFile = { readonly method: string; readonly upload: UploadFile } | { readonly refused: string };

/** Look at a file that is to be sent, and choose how; `refused`: it can never be. */
export async function loadFile(payload: SendPayload, file: OutFile, localMode: boolean): Promise<LoadedFile> {
  const most = localMode ? LOCAL_BYTES : UPLOAD_BYTES;
  if (payload.text.length > CAPTION_CHARS)
    return { refused: `the caption of ${file.name} has more than ${CAPTION_CHARS} characters` };
  const facts = await statPath(file.path);
  if (facts === undefined || facts.kind !== "file") return { refused: `the file ${file.name} no longer exists` };
  if (facts.size > most) return { refused: `the file ${file.name} is larger than ${most >> 20} MB` };
  const { method, field } = wayOf(file, facts.size, payload.extra?.["asDocument"] === true);
  return { method, upload: { field, name: file.name, pieces: () => readPieces(file.path, facts.size) } };
}

const DOCUMENT = { method: "sendDocument", field: "document" } as const;

/** The platform plays voice only of these, and shows as photos only what is small. */
function wayOf(
  { kind, name, mime }: OutFile,
  size: number,
  asDocument: boolean,
): { readonly method: string; readonly field: string } {
  if (asDocument) return DOCUMENT;
  if (/\.(?:ogg|opus)$/i.test(name)) return { method: "sendVoice", field: "voice" };
  if (/\.(?:mp3|m4a)$/i.test(name)) return { method: "sendAudio", field: "audio" };
  if (kind === "video") return { method: "sendVideo", field: "video" };
  if (kind !== "image") return DOCUMENT;
  if (mime === "image/gif") return { method: "sendAnimation", field: "animation" };
  const photo = /^image\/(?:jpeg|png|webp)$/.test(mime) && size <= PHOTO_BYTES;
  return photo ? { method: "sendPhoto", field: "photo" } : DOCUMENT;
}
