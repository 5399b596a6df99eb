import { createDecipheriv, createHash } from "node:crypto";

/** Signature of a webhook's body (gateway part, 16.4.2). */
export function signatureOf(given: {
  readonly timestamp: string;
  readonly nonce: string;
  readonly key: string;
  readonly body: Uint8Array;
}): string {
  return createHash("sha256")
    .update(given.timestamp)
    .update(given.nonce)
    .update(given.key)
    .update(given.body)
    .digest("hex");
}

const IV_BYTES = 16;

/** The text of an encrypted body; undefined when it cannot be decrypted. */
export function decrypted(encrypt: string, key: string): string | undefined {
  const bytes = Buffer.from(encrypt, "base64");
  if (bytes.length < 2 * IV_BYTES || bytes.length % IV_BYTES !== 0) return undefined;
  try {
    const decipher = createDecipheriv(
      "aes-256-cbc",
      createHash("sha256").update(key).digest(),
      bytes.subarray(0, IV_BYTES),
    );
    const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES)), decipher.final()]);
    return new TextDecoder("utf-8", { fatal: true }).decode(plain);
  } catch {
    return undefined; // another key, or no cipher text at all
  }
}
