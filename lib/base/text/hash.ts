import { createHash, timingSafeEqual } from "node:crypto";

/** SHA-256 of a text, as 64 hex digits. The only form in which a token is stored. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** `secret` has this SHA-256. Takes the same time whatever differs. */
export function matchesDigest(secret: string, digest: string | null): boolean {
  if (digest === null || digest.length !== 64) return false;
  return timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(digest));
}
