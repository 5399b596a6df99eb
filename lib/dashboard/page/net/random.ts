/** A name that nobody else has. `crypto.randomUUID` is there on encrypted pages and on this machine only; this is there everywhere. */
export const randomName = (): string =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
