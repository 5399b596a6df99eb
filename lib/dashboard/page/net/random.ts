/** A unique name. `crypto.randomUUID` exists on encrypted pages and on this machine only; this works everywhere. */
export const randomName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
