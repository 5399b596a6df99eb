import { join } from "node:path";
import { AppError } from "../base/errors.js";
import { writeAtomic } from "../base/fs/files.js";
import type { MediaCache } from "../contracts/media/cache.js";
import type { MediumKind } from "../contracts/media/media.js";
import { type DownloadDeps, fetchMedium } from "./download.js";
import {
  KIND_RULES,
  mediumFolder,
  mediumName,
  type PlaceDeps,
  tooLargeText,
  typeOfKind,
  wrongTypeText,
} from "./medium-place.js";

/** The media cache of a home. Other domains get it through their file in `lib/runtime`. */
export function createMediaCache(deps: DownloadDeps): MediaCache {
  return {
    save: (kind, prefix, bytes) => saveMedium(deps, { kind, prefix }, bytes),
    fetch: (source, signal) => fetchMedium(deps, source, signal),
  };
}

/** Documented at `MediaCache.save`. */
async function saveMedium(
  deps: PlaceDeps,
  { kind, prefix }: { readonly kind: MediumKind; readonly prefix: string },
  bytes: Uint8Array,
): Promise<string> {
  const type = typeOfKind(kind, bytes);
  if (type === undefined)
    throw new AppError("E_INVALID", wrongTypeText(kind), { hint: "try another provider or model" });
  if (bytes.length > KIND_RULES[kind].maxBytes) throw new AppError("E_TOO_LARGE", tooLargeText(kind));
  const path = join(await mediumFolder(deps, kind), mediumName(deps, prefix, type.ending));
  await writeAtomic(path, bytes, 0o600);
  return path;
}
