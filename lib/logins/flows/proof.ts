import { createHash } from "node:crypto";
import type { Ids } from "../../base/ids.js";

/** A secret of 86 url-safe characters and its S256 digest, which proves later who has asked (RFC 7636). */
export function proofKey(ids: Pick<Ids, "token">): { readonly verifier: string; readonly challenge: string } {
  const verifier = `${ids.token()}${ids.token()}`;
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}
