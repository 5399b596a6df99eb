import { readFileBytes, statPath } from "../../../lib/base/fs/files.js";
import type { SendPayload } from "../../../lib/contracts/gateway/outbox.js";
import type { UploadFile } from "./api.js";

/** More than any server takes from bots; what this one takes, the platform says. */
const UPLOAD_BYTES = 500 << 20;

export type LoadedFile = { readonly upload: UploadFile } | { readonly refused: string };

/** Read a file that is to be sent; `refused`: it can never be. */
export async function loadFile({ path, name, mime }: NonNullable<SendPayload["file"]>): Promise<LoadedFile> {
  const facts = await statPath(path);
  if (facts === undefined || facts.kind !== "file") return { refused: `the file ${name} no longer exists` };
  if (facts.size > UPLOAD_BYTES) return { refused: `the file ${name} is larger than ${UPLOAD_BYTES >> 20} MB` };
  const bytes = await readFileBytes(path);
  return bytes === undefined ? { refused: `the file ${name} no longer exists` } : { upload: { name, mime, bytes } };
}
