import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { readAtMost, statPath } from "../../base/fs/files.js";
import { NetError, type NetResponse } from "../../base/net/net.js";
import type { Ms } from "../../base/units.js";
import { guardRead } from "../../safety/paths/paths.js";
import { plainText } from "../../safety/redact/text.js";
import type { EffectPlace, Effects, ToolContext } from "../core/define.js";
import { toPathEffect } from "../core/effects.js";
import { similarFiles } from "../file/similar.js";
import { pathOf, scopeOf } from "../run/scope.js";

/** Core part, 26.3. */
const DOWNLOAD_BYTES = 20 << 20;
const DOWNLOAD_MS: Ms = 30_000;

/** A file of this machine, by its real path, after the guard of reads. */
export interface MediumOfDisk {
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

/** What a server of the web answered. */
export interface MediumOfWeb {
  readonly bytes: Buffer;
  readonly name: string;
  /** Address that answered. */
  readonly url: string;
}

/** Why it could not be read, and what to do. */
export interface NoMedium {
  readonly error: string;
  readonly similar_files?: readonly string[];
}

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/** What a model names is an address of the web. */
const isAddress = (given: string): boolean => /^https?:/i.test(given.trim());

/** What a call with an address or a path touches. */
export function mediumEffects(given: string, place: EffectPlace): Effects {
  return { reads: [isAddress(given) ? "net" : toPathEffect("path", pathIn(given), place)], writes: [] };
}

/** A picture or video as a model names it: by URL or by path. Rejects only when the call is stopped. */
export async function namedMedium(given: string, ctx: ToolContext): Promise<MediumOfDisk | MediumOfWeb | NoMedium> {
  const wanted = given.trim();
  if (isAddress(wanted)) return await download(wanted, ctx);
  const scheme = SCHEME.exec(wanted)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "file")
    return { error: `unsupported address ${scheme}: use an http or https URL, or the path of a file` };
  return await onDisk(pathIn(wanted), ctx);
}

function pathIn(given: string): string {
  const wanted = given.trim();
  if (!/^file:/i.test(wanted) || !URL.canParse(wanted)) return wanted;
  try {
    return fileURLToPath(wanted);
  } catch {
    return wanted; // ok to lose: the address of another machine names no file here, and is said to be missing
  }
}

async function onDisk(given: string, ctx: ToolContext): Promise<MediumOfDisk | NoMedium> {
  const allowed = guardRead(pathOf(given, ctx), scopeOf(ctx));
  if (!allowed.ok) return { error: allowed.why };
  const { path } = allowed;
  const facts = await statPath(path);
  if (facts === undefined) return { error: `File not found: ${path}`, similar_files: await similarFiles(path) };
  if (facts.kind !== "file") return { error: `${path} is a ${facts.kind}, not a file` };
  return { path, name: basename(path), size: facts.size };
}

/** The bytes of a file, at most so many; the guard has passed its real path. */
export const bytesOfDisk = async ({ path }: MediumOfDisk, max: number): Promise<Buffer | undefined> =>
  await readAtMost(path, max);

async function download(url: string, ctx: ToolContext): Promise<MediumOfWeb | NoMedium> {
  if (!URL.canParse(url)) return { error: `not a URL: ${url}` };
  const { username, password } = new URL(url);
  if (username !== "" || password !== "") return { error: "the URL contains a user name or password; leave them out" };
  ctx.readUntrusted?.();
  try {
    const response = await ctx.ports.net.fetch({
      method: "GET",
      url,
      headers: { accept: "image/*, video/*;q=0.9, */*;q=0.1", "user-agent": "agent" },
      purpose: "web",
      totalMs: DOWNLOAD_MS,
      maxBytes: DOWNLOAD_BYTES + 1,
      signal: ctx.signal,
    });
    try {
      return await answered(response, url);
    } finally {
      response.cancel();
    }
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof NetError)) throw error;
    return { error: `cannot download ${url}: ${error.message}` };
  }
}

async function answered(response: NetResponse, asked: string): Promise<MediumOfWeb | NoMedium> {
  const { status, url } = response;
  if (status < 200 || status > 299) return { error: `cannot download ${asked}: its server responded ${status}` };
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body) {
    size += part.length;
    if (size > DOWNLOAD_BYTES)
      return {
        error: `${asked} exceeds ${DOWNLOAD_BYTES >> 20} MiB; download it with the terminal and give its path`,
      };
    parts.push(part);
  }
  return { bytes: Buffer.concat(parts), name: nameOf(url), url };
}

const NAME_CHARS = 60;

function nameOf(url: string): string {
  const last = basename(new URL(url).pathname);
  return plainText(last).slice(0, NAME_CHARS) || "download";
}
