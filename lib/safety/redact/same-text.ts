import { createHash, timingSafeEqual } from "node:crypto";

/** Equal, in a time that tells nothing about where they differ, nor about how long either is. */
export function sameText(given: string | Uint8Array, right: string | Uint8Array): boolean {
  return timingSafeEqual(createHash("sha256").update(given).digest(), createHash("sha256").update(right).digest());
}
