/** Where media of tools are stored (extensions part, 10.1): `<AGENT_HOME>/cache/<kind>/<prefix>_<YYYYMMDD_HHMMSS>_<8 hex>.<ext>`. */
import type { MediumKind } from "./media.js";

/** A medium to fetch at once: addresses of providers expire. */
export interface MediumSource {
  readonly kind: MediumKind;
  /** What its name begins with: lowercase letters, digits and `-`. */
  readonly prefix: string;
  readonly url: string;
}

/** `warning` says in one line why no file was written. */
export type FetchedMedium =
  | { readonly ok: true; readonly path: string; readonly mime: string; readonly bytes: number }
  | { readonly ok: false; readonly warning: string };

export interface MediaCache {
  /**
   * The absolute path of the new file, which is on the disk then. Its first bytes decide the ending.
   *
   * @throws E_INVALID bytes of another kind; E_TOO_LARGE more than the kind may have; E_STORE, E_STORE_FULL the disk refuses
   */
  save(kind: MediumKind, prefix: string, bytes: Uint8Array): Promise<string>;
  /** Download through the address guard, straight to the disk. Rejects only when the signal aborts. */
  fetch(source: MediumSource, signal: AbortSignal): Promise<FetchedMedium>;
}
