import { toAppError } from "../../base/errors.js";
import type { MediaCache, MediumSource } from "../../contracts/media/cache.js";

/** Where a generated medium is now. A failed download is still a success of the generation. */
export interface StoredMedium {
  readonly path: string | null;
  /** Address at the provider; null: the bytes came in its answer. */
  readonly sourceUrl: string | null;
  readonly warning?: string;
}

const DATA = /^data:[\w.+/-]*;base64,/;

/** Store what a provider has made. Rejects only when the signal aborts. */
export async function storeMedium(
  cache: MediaCache,
  { kind, prefix, url }: MediumSource,
  signal: AbortSignal,
): Promise<StoredMedium> {
  const inline = DATA.exec(url.slice(0, 200));
  if (inline === null) {
    const fetched = await cache.fetch({ kind, prefix, url }, signal);
    return fetched.ok
      ? { path: fetched.path, sourceUrl: url }
      : { path: null, sourceUrl: url, warning: fetched.warning };
  }
  try {
    const bytes = Buffer.from(url.slice(inline[0].length), "base64");
    return { path: await cache.save(kind, prefix, bytes), sourceUrl: null };
  } catch (error) {
    return { path: null, sourceUrl: null, warning: `the result could not be saved: ${toAppError(error).message}` };
  }
}
