import { resolve } from "node:path";
import { AppError } from "../../../base/errors.js";
import type { Attachment, GivenFile } from "../../../contracts/board/records.js";
import type { CommandContext } from "../../define.js";
import { plain } from "../../render/plain.js";
import { stamp } from "../../render/times.js";

/** A file of the caller, who stands somewhere else than the process that reads it. @throws E_FORBIDDEN from a chat on a platform: its files are not here */
export function fileAt(ctx: CommandContext, given: string): GivenFile {
  if (ctx.origin !== undefined)
    throw new AppError("E_FORBIDDEN", "files can be attached on the command line or in the dashboard, not in a chat");
  return { path: resolve(ctx.cwd, given) };
}

/** `#id name (type, size) by whom, when`. */
export const attachmentLine = (one: Attachment): string =>
  `#${one.id} ${plain(one.filename)} (${plain(one.content_type)}, ${sizeText(one.size)}) by ${plain(one.uploaded_by)} ${stamp(one.created_at)}`;

/** A size in the unit that fits: bytes, KB, MB, GB. */
function sizeText(bytes: number): string {
  const units = ["KB", "MB", "GB"] as const;
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1] ?? "GB"}`;
}
