import { join } from "node:path";
import { toAppError } from "../base/errors.js";
import { moveFile, syncDir } from "../base/fs/directory.js";
import { openNew, removeFile } from "../base/fs/files.js";
import { MEDIUM_HEAD_BYTES, type MediumType } from "../base/fs/medium-type.js";
import { type Net, NetError, type NetResponse } from "../base/net/net.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { FetchedMedium, MediumSource } from "../contracts/media/cache.js";
import type { MediumKind } from "../contracts/media/media.js";
import {
  draftName,
  KIND_RULES,
  mediumFolder,
  mediumName,
  type PlaceDeps,
  tooLargeText,
  typeOfKind,
  wrongTypeText,
} from "./medium-place.js";

/** What a download needs beside the place of the file. */
export interface DownloadDeps extends PlaceDeps {
  readonly clock: Clock;
  readonly net: Pick<Net, "fetch">;
}

const ATTEMPTS = 3;
const REDIRECTS = 3;
const PAUSE_MS: Ms = 1_000;
/** All attempts together. */
const DOWNLOAD_MS: Ms = 300_000;
const SILENCE_MS: Ms = 60_000;

/** Why one attempt failed; `final`: another one would fail in the same way. */
interface Missed {
  readonly why: string;
  readonly final: boolean;
}

/** Documented at `MediaCache.fetch`. */
export async function fetchMedium(
  deps: DownloadDeps,
  source: MediumSource,
  signal: AbortSignal,
): Promise<FetchedMedium> {
  const until = deps.clock.mono() + DOWNLOAD_MS;
  let missed: Missed = { why: "it took too long", final: true };
  for (let attempt = 1; attempt <= ATTEMPTS && deps.clock.mono() < until; attempt++) {
    if (attempt > 1) await deps.clock.sleep(PAUSE_MS * (attempt - 1), signal);
    const got = await attemptOnce(deps, { source, totalMs: Math.max(1, until - deps.clock.mono()) }, signal);
    if ("ok" in got) return got;
    missed = got;
    if (missed.final) break;
  }
  return { ok: false, warning: `the download failed: ${missed.why}; the provider's address may work for some time` };
}

interface Attempt {
  readonly source: MediumSource;
  readonly totalMs: Ms;
}

async function attemptOnce(
  deps: DownloadDeps,
  { source, totalMs }: Attempt,
  signal: AbortSignal,
): Promise<FetchedMedium | Missed> {
  try {
    const response = await deps.net.fetch({
      method: "GET",
      url: source.url,
      headers: { accept: "*/*" },
      purpose: "web",
      redirects: REDIRECTS,
      idleMs: SILENCE_MS,
      totalMs,
      maxBytes: 2 * KIND_RULES[source.kind].maxBytes, // counted below, where the answer can say what the limit is
      signal,
    });
    const refused = refusalOf(response, source.kind);
    if (refused === undefined) return await store(deps, source, response);
    response.cancel();
    return refused;
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof NetError)) return { why: toAppError(error).message, final: true };
    return { why: error.message, final: error.failure === "blocked" };
  }
}

function refusalOf({ status, headers }: NetResponse, kind: MediumKind): Missed | undefined {
  if (status !== 200) return { why: `its server responded ${status}`, final: false };
  const told = Number(headers["content-length"] ?? 0);
  return told > KIND_RULES[kind].maxBytes ? { why: tooLargeText(kind), final: true } : undefined;
}

/** The bytes go to the disk as they come, and get their name once they are complete. */
async function store(
  deps: DownloadDeps,
  { kind, prefix }: MediumSource,
  response: NetResponse,
): Promise<FetchedMedium | Missed> {
  const folder = await mediumFolder(deps, kind);
  const draft = join(folder, draftName(deps));
  try {
    const written = await writeDraft(draft, kind, response);
    if ("why" in written) return written;
    const path = join(folder, mediumName(deps, prefix, written.type.ending));
    moveFile(draft, path);
    syncDir(folder);
    return { ok: true, path, mime: written.type.mime, bytes: written.bytes };
  } finally {
    await removeFile(draft);
  }
}

async function writeDraft(
  draft: string,
  kind: MediumKind,
  response: NetResponse,
): Promise<{ readonly type: MediumType; readonly bytes: number } | Missed> {
  const { maxBytes } = KIND_RULES[kind];
  const file = await openNew(draft, 0o600);
  let head = Buffer.alloc(0);
  let bytes = 0;
  try {
    for await (const piece of response.body) {
      bytes += piece.length;
      if (bytes > maxBytes) return { why: tooLargeText(kind), final: true };
      if (head.length < MEDIUM_HEAD_BYTES) {
        head = Buffer.concat([head, piece]);
        if (head.length >= MEDIUM_HEAD_BYTES && typeOfKind(kind, head) === undefined) break;
      }
      await file.appendFile(piece);
    }
  } finally {
    response.cancel();
    await file.close();
  }
  const type = typeOfKind(kind, head);
  return type === undefined ? { why: wrongTypeText(kind), final: true } : { type, bytes };
}
