import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { Net } from "../../base/net/net.js";
import { checkName } from "../../safety/archive/tar-name.js";

const INDEX_BYTES = 2 << 20;
const ENTRIES_MAX = 2_000;
const SKILL_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

const text = (max: number) => z.string().transform((given) => given.replace(/\s+/g, " ").trim().slice(0, max));
const entry = z.object({
  name: z.string().regex(SKILL_NAME),
  description: text(1_024).catch(""),
  version: z.union([z.string(), z.number()]).transform(String).catch(""),
  /** Files below `<index directory>/<name>/`, as the well-known form lists them. */
  files: z.array(z.string().max(1_024)).max(500).optional().catch(undefined),
  /** Where it is, in marketplaces. */
  url: z.string().max(2_000).optional().catch(undefined),
  source: z.string().max(2_000).optional().catch(undefined),
  identifier: z.string().max(2_000).optional().catch(undefined),
});
const index = z.object({ skills: z.array(z.unknown()) });

/** One skill of an index. */
export interface HubIndexEntry {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly files: readonly string[] | undefined;
  /** Another identifier; undefined: its files lie beside the index. */
  readonly points: string | undefined;
}

/** Entries of an index; those that do not have the form are left out. @throws E_INVALID it is not an index */
export function readIndex(json: unknown, address: string): readonly HubIndexEntry[] {
  const whole = index.safeParse(Array.isArray(json) ? { skills: json } : json);
  if (!whole.success)
    throw new AppError("E_INVALID", `${address} is not an index of skills`, {
      hint: 'it needs the form {"skills": [...]}',
    });
  return whole.data.skills.slice(0, ENTRIES_MAX).flatMap((one) => {
    const read = entry.safeParse(one);
    if (!read.success) return [];
    const { name, description, version, files, url, source, identifier } = read.data;
    return [{ name, description, version, files, points: identifier ?? source ?? url }];
  });
}

/** Fetch an index. @throws E_NOT_FOUND, E_INVALID; NetError */
export async function fetchIndex(net: Net, address: string, signal?: AbortSignal): Promise<readonly HubIndexEntry[]> {
  const { bytes } = await fetchBytes(net, address, { max: INDEX_BYTES, ...(signal !== undefined && { signal }) });
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new AppError("E_INVALID", `${address} is not JSON`);
  }
  return readIndex(json, address);
}

/** Address of a file of a skill beside its index. @throws E_INVALID a name that leads elsewhere */
export function fileAddress(index_: string, name: string, file: string): string {
  checkName(file, false);
  const base = new URL(".", index_);
  return new URL([name, ...file.split("/")].map(encodeURIComponent).join("/"), base).href;
}

/** All bytes at an address, through the address guard. @throws E_NOT_FOUND it answers with an error; E_INVALID too much; NetError */
export async function fetchBytes(
  net: Net,
  address: string,
  { max, signal }: { readonly max: number; readonly signal?: AbortSignal },
): Promise<{ readonly bytes: Buffer; readonly url: string; readonly type: string }> {
  const answer = await net.fetch({
    method: "GET",
    url: address,
    headers: { accept: "*/*", "user-agent": "agent-skills" },
    purpose: "web",
    ...(signal !== undefined && { signal }),
  });
  try {
    if (answer.status !== 200)
      throw new AppError("E_NOT_FOUND", `${address} answered ${answer.status}`, { hint: "check the address" });
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of answer.body) {
      size += piece.length;
      if (size > max)
        throw new AppError("E_INVALID", `${address} is larger than ${max >> 20} MiB`, {
          hint: "nothing of it was installed",
        });
      pieces.push(piece);
    }
    return { bytes: Buffer.concat(pieces), url: answer.url, type: answer.headers["content-type"] ?? "" };
  } finally {
    answer.cancel();
  }
}
