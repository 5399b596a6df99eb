import type { InboundMedia } from "../../../lib/proto/gateway.js";
import type { Api } from "./api.js";
import { FileShape } from "./wire.js";

/** What bots may fetch from the platform. */
const DOWNLOAD_BYTES = 20 << 20;

/** Fetch a file of a message. @throws Error that says why it cannot be had */
export async function fetchMedia(api: Api, { ref, size }: InboundMedia, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const fileId = typeof ref === "object" && ref !== null && "fileId" in ref ? ref.fileId : undefined;
  if (typeof fileId !== "string") throw new Error("the file has no id");
  if (size !== null && size > DOWNLOAD_BYTES) throw new Error(`the file is larger than ${DOWNLOAD_BYTES >> 20} MB`);
  const answer = await api.call("getFile", { file_id: fileId }, { signal });
  if (!answer.ok) throw new Error(answer.seen.error);
  const path = FileShape.safeParse(answer.result).data?.file_path ?? "";
  if (path === "" || path.split("/").some((part) => part === ".." || part === ".")) throw new Error("the platform names no file");
  return api.download(path, DOWNLOAD_BYTES, signal);
}
