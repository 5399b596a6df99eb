import { readPieces, statPath } from "../../../lib/base/fs/files.js";
import type { InboundMedia } from "../../../lib/contracts/board/platform-tag.js";
import type { Api } from "./api.js";
import { LOCAL_BYTES } from "./files.js";
import type { MsgtSettings } from "./settings.js";
import { FileShape } from "./wire.js";

/** What bots may fetch from the platform. */
const DOWNLOAD_BYTES = 20 << 20;

export interface MediaParts {
  readonly api: Api;
  readonly settings: Pick<MsgtSettings, "localMode">;
}

/** Fetch a file of a message. @throws Error that says why it cannot be had */
export async function fetchMedia(
  { api, settings }: MediaParts,
  { ref, size }: InboundMedia,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const most = settings.localMode ? LOCAL_BYTES : DOWNLOAD_BYTES;
  const fileId = typeof ref === "object" && ref !== null && "fileId" in ref ? ref.fileId : undefined;
  if (typeof fileId !== "string") throw new Error("the file has no id");
  if (size !== null && size > most) throw new Error(`the file is larger than ${most >> 20} MB`);
  const answer = await api.call("getFile", { file_id: fileId }, { signal });
  if (!answer.ok) throw new Error(answer.seen.error);
  const path = FileShape.safeParse(answer.result).data?.file_path ?? "";
  if (path === "" || path.split("/").some((part) => part === ".." || part === "."))
    throw new Error("the platform names no file");
  return settings.localMode && path.startsWith("/") ? readHere(path, most) : api.download(path, most, signal);
}

/** A server on this machine names files by their path (gateway part, 16.1.1). */
async function readHere(path: string, most: number): Promise<AsyncIterable<Uint8Array>> {
  const facts = await statPath(path);
  if (facts === undefined || facts.kind !== "file")
    throw new Error("the file of the Bot API server cannot be read on this machine");
  if (facts.size > most) throw new Error(`the file is larger than ${most >> 20} MB`);
  return readPieces(path, facts.size);
}
