import { extname } from "node:path";
import { readFileBytes, statPath } from "../../../lib/base/fs/files.js";
import type { SendPayload } from "../../../lib/contracts/gateway/outbox.js";
import { uploadOf } from "../common/upload.js";
import type { Answer, Api, Refusal } from "./api.js";
import { captioned, type OutMessage } from "./format.js";
import { FileShape, ImageShape } from "./wire.js";

type OutFile = NonNullable<SendPayload["file"]>;

const IMAGE_BYTES = 10 << 20;
const FILE_BYTES = 30 << 20;
const UPLOAD_MS = 100_000;

/** Kinds of files that the platform knows by their ending. */
const KINDS: Readonly<Record<string, string>> = {
  ".opus": "opus",
  ".mp4": "mp4",
  ".pdf": "pdf",
  ".doc": "doc",
  ".docx": "doc",
  ".xls": "xls",
  ".xlsx": "xls",
  ".ppt": "ppt",
  ".pptx": "ppt",
};
const IMAGES = /\.(?:jpe?g|png|webp|gif|tiff?|bmp|ico)$/i;

/** `words`: what could not go along with the file. */
export type Uploaded =
  | { readonly message: OutMessage; readonly words: string }
  | { readonly refused: string }
  | { readonly failed: Refusal };

/** Give a file to the platform, which does not show it yet: if anything goes wrong here, nothing was sent. */
export async function uploadFile(
  api: Api,
  payload: SendPayload,
  file: OutFile,
  signal: AbortSignal,
): Promise<Uploaded> {
  const facts = await statPath(file.path);
  if (facts === undefined || facts.kind !== "file") return { refused: `the file ${file.name} no longer exists` };
  const image =
    file.kind === "image" &&
    payload.extra?.["asDocument"] !== true &&
    IMAGES.test(file.name) &&
    facts.size <= IMAGE_BYTES;
  if (facts.size > FILE_BYTES) return { refused: `the file ${file.name} is larger than ${FILE_BYTES >> 20} MB` };
  const bytes = facts.size === 0 ? undefined : await readFileBytes(file.path);
  if (bytes === undefined)
    return {
      refused: facts.size === 0 ? `the file ${file.name} is empty` : `the file ${file.name} no longer exists`,
    };
  const part = { name: file.name, mime: file.mime, bytes };
  const kind = kindOf(file);
  const form = image
    ? uploadOf({ image_type: "message" }, { ...part, field: "image" })
    : uploadOf({ file_type: kind, file_name: file.name }, { ...part, field: "file" });
  const body = typeof form.body === "string" ? Buffer.from(form.body) : form.body;
  const path = image ? "/open-apis/im/v1/images" : "/open-apis/im/v1/files";
  const answer = await api.call({
    method: "POST",
    path,
    form: { type: form.type, bytes: body },
    signal,
    totalMs: UPLOAD_MS,
  });
  if (!answer.ok) return { failed: unsent(answer) };
  return made(answer.data, { image, kind, text: payload.text });
}

/** Ogg that is sent as a voice message holds Opus, whatever its ending. */
function kindOf({ name, kind }: OutFile): string {
  const ending = extname(name).toLowerCase();
  return kind === "voice" && ending === ".ogg" ? "opus" : (KINDS[ending] ?? "stream");
}

function made(
  data: unknown,
  { image, kind, text }: { readonly image: boolean; readonly kind: string; readonly text: string },
): Uploaded {
  if (image) {
    const key = ImageShape.safeParse(data).data?.image_key;
    if (key === undefined) return { refused: "the platform gave the image no key" };
    if (text !== "") return { message: captioned(key, text), words: "" };
    return { message: { msg_type: "image", content: JSON.stringify({ image_key: key }) }, words: "" };
  }
  const key = FileShape.safeParse(data).data?.file_key;
  if (key === undefined) return { refused: "the platform gave the file no key" };
  const type = kind === "opus" ? "audio" : kind === "mp4" ? "media" : "file";
  return { message: { msg_type: type, content: JSON.stringify({ file_key: key }) }, words: text };
}

/** A cut upload does not leave anything visible. */
function unsent({ seen }: Exclude<Answer, { ok: true }>): Refusal {
  if (seen.saw === "cut") return { saw: "unsent", error: seen.error };
  return seen.saw === "answer" && !seen.ownFormat && seen.status >= 500 ? { saw: "unsent", error: seen.error } : seen;
}
