import { factsOf, readBytes } from "../../../lib/base/files.js";
import type { SendPayload } from "../../../lib/proto/gateway-outbox.js";
import type { UploadFile } from "../common/upload.js";

type OutFile = NonNullable<SendPayload["file"]>;

/** Limits of the platform for what bots send. */
const UPLOAD_BYTES = 50 << 20;
const PHOTO_BYTES = 10 << 20;
const CAPTION_CHARS = 1024;

export type LoadedFile = { readonly method: string; readonly upload: UploadFile } | { readonly refused: string };

/** Read a file that is to be sent, and choose how; `refused`: it can never be. */
export async function loadFile(payload: SendPayload, file: OutFile): Promise<LoadedFile> {
  if (payload.text.length > CAPTION_CHARS) return { refused: `the caption of ${file.name} has more than ${CAPTION_CHARS} characters` };
  const facts = await factsOf(file.path);
  if (facts === undefined || facts.kind !== "file") return { refused: `the file ${file.name} is not there any more` };
  if (facts.size > UPLOAD_BYTES) return { refused: `the file ${file.name} is larger than ${UPLOAD_BYTES >> 20} MB` };
  const bytes = await readBytes(file.path);
  if (bytes === undefined) return { refused: `the file ${file.name} is not there any more` };
  const { method, field } = wayOf(file, bytes.length, payload.extra?.["asDocument"] === true);
  return { method, upload: { field, name: file.name, mime: file.mime, bytes } };
}

const DOCUMENT = { method: "sendDocument", field: "document" } as const;

/** The platform plays voice only of these, and shows as photos only what is small. */
function wayOf({ kind, name, mime }: OutFile, size: number, asDocument: boolean): { readonly method: string; readonly field: string } {
  if (asDocument) return DOCUMENT;
  if (/\.(?:ogg|opus)$/i.test(name)) return { method: "sendVoice", field: "voice" };
  if (/\.(?:mp3|m4a)$/i.test(name)) return { method: "sendAudio", field: "audio" };
  if (kind === "video") return { method: "sendVideo", field: "video" };
  if (kind !== "image") return DOCUMENT;
  if (mime === "image/gif") return { method: "sendAnimation", field: "animation" };
  const photo = /^image\/(?:jpeg|png|webp)$/.test(mime) && size <= PHOTO_BYTES;
  return photo ? { method: "sendPhoto", field: "photo" } : DOCUMENT;
}
