import { createHmac } from "node:crypto";
import type { EpochMs } from "../../base/units.js";
import { sameText } from "../../safety/redact/same-text.js";

/** Reads a header by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

const SVIX_SECONDS = 300;

/** Whether a request shows that its sender knows the secret. The first scheme whose header is there decides. Compared in constant time. */
export function isSignedBy(secret: string, header: ReadHeader, body: Buffer, now: EpochMs): boolean {
  if (["svix-id", "svix-timestamp", "svix-signature"].some((name) => header(name) !== undefined))
    return svix(secret, header, body, now);
  const hub = header("x-hub-signature-256");
  if (hub !== undefined) return sameText(hub, `sha256=${hex(secret, body)}`);
  const token = header("x-gitlab-token");
  if (token !== undefined) return sameText(token, secret);
  const own = header("x-webhook-signature");
  return own !== undefined && sameText(own, hex(secret, body));
}

const hex = (secret: string, body: Buffer): string => createHmac("sha256", secret).update(body).digest("hex");

function svix(secret: string, header: ReadHeader, body: Buffer, now: EpochMs): boolean {
  const id = header("svix-id") ?? "";
  const timestamp = header("svix-timestamp") ?? "";
  if (id === "" || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now / 1000 - Number(timestamp)) > SVIX_SECONDS) return false;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
  const right = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  // Every entry is compared, so that the time tells nothing about which one is right.
  let found = false;
  for (const entry of (header("svix-signature") ?? "").split(" ")) if (sameText(entry, `v1,${right}`)) found = true;
  return found;
}
