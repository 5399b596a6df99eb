import { basename, join } from "node:path";
import { makeDirectory, openNew, removeFile, writeAtomic } from "../../base/fs/files.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { NamedFiles, RefusedFile, SendFile } from "../../contracts/gateway/courier.js";
import type { HomeView } from "../../contracts/gateway/reach.js";
import type { PrivateTmp } from "../../safety/cage/temporary.js";
import { type OpenOutbound, type OutboundScope, openOutbound } from "../../safety/outbound.js";
import type { Fetched } from "./fetch-picture.js";
import { toMediaKind } from "./file-kinds.js";
import { type Marker, markersIn, withoutMarkers } from "./file-markers.js";

export interface OutboundDeps {
  readonly scope: () => OutboundScope;
  /** Where copies of files wait until they are sent. */
  readonly folder: string;
  readonly ids: Ids;
  readonly log: Log;
  /** Fetches a picture that a text names by its address. */
  readonly picture: (url: string) => Promise<Fetched>;
}

/** Most files of one message, and the largest one. */
const FILES = 20;
const FILE_BYTES = 64 << 20;
const CHUNK = 1 << 20;

/** The author of a text that names files. */
export interface Writer {
  readonly view?: HomeView | undefined;
  readonly tmp?: PrivateTmp | undefined;
}

export interface Outbound {
  /**
   * The files that a text names, as copies that nothing changes any more, and the text without what named them.
   *
   * @param how `keepsPaths`: bare paths stay words of the text, because people have read them as such; `view`: what its author may see of homes
   * wrote it; `tmp`: what it sees as `/tmp`
   */
  named(text: string, how?: Writer & { readonly keepsPaths?: boolean }): Promise<NamedFiles>;
  /** The same for one path. */
  take(path: string): Promise<{ readonly file: SendFile } | { readonly refused: RefusedFile }>;
}

/** Files on their way out (gateway part, 12.1 and 12.2). */
export function createOutbound(deps: OutboundDeps): Outbound {
  return {
    named: (text, how) => named(seenBy(deps, how ?? {}), text, how?.keepsPaths === true),
    take: async (path) => logged(deps, await take(deps, path)),
  };
}

const seenBy = (deps: OutboundDeps, { view, tmp }: Writer): OutboundDeps => ({
  ...deps,
  scope: () => ({ ...deps.scope(), ...(view === undefined ? {} : { view }), ...(tmp === undefined ? {} : { tmp }) }),
});

async function named(deps: OutboundDeps, text: string, keepsPaths: boolean): Promise<NamedFiles> {
  const { markers, voice, document } = markersIn(text);
  const files: SendFile[] = [];
  const refused: RefusedFile[] = [];
  const gone: Marker[] = [];
  const elsewhere: string[] = [];
  // In any case the answer waits once.
  const pictures = markers.filter(({ remote }) => remote).slice(0, FILES);
  const fetched = new Map(
    await Promise.all(pictures.map(async (one) => [one, await keptPicture(deps, one.path)] as const)),
  );
  for (const marker of markers) {
    const got =
      files.length < FILES
        ? (fetched.get(marker) ?? (await take(deps, marker.path)))
        : { refused: { path: marker.path, reason: `more than ${FILES} files` } };
    if (marker.remote) {
      // The reader can still look at what could not be fetched. It stands last, so that what was seen of the text before stays.
      if ("refused" in got) elsewhere.push(logged(deps, got).refused.path);
      else files.push(asWanted(got.file, { voice, document }));
      gone.push(marker);
      continue;
    }
    if ("file" in got) files.push(asWanted(got.file, { voice, document }));
    // A bare path that is not sent is a word of the text.
    else if (!marker.bare) refused.push(logged(deps, got).refused);
    if (!marker.bare || ("file" in got && !keepsPaths)) gone.push(marker);
  }
  const rest = withoutMarkers(text, gone);
  return {
    text: elsewhere.length === 0 ? rest : [rest, elsewhere.join("\n")].filter((one) => one !== "").join("\n\n"),
    files,
    refused,
  };
}

async function keptPicture(deps: OutboundDeps, url: string): ReturnType<Outbound["take"]> {
  const got = await deps.picture(url);
  if ("reason" in got) return refuse(url, got.reason);
  const { name, bytes } = got;
  try {
    const path = await placeOf(deps, name);
    await writeAtomic(path, bytes, 0o600, false);
    return { file: { path, name, ...toMediaKind(name) } };
  } catch {
    return refuse(url, "it cannot be stored");
  }
}

async function placeOf({ folder, ids }: OutboundDeps, name: string): Promise<string> {
  await makeDirectory(folder, 0o700);
  return join(folder, `${ids.hex(8)}_${name.replace(/[^\w.-]/g, "_").slice(-80)}`);
}

function asWanted(
  file: SendFile,
  { voice, document }: { readonly voice: boolean; readonly document: boolean },
): SendFile {
  if (document) return { ...file, kind: "document" };
  return voice && file.kind === "audio" ? { ...file, kind: "voice" } : file;
}

async function take(deps: OutboundDeps, path: string): ReturnType<Outbound["take"]> {
  const answer = await openOutbound(path, deps.scope());
  if (!answer.ok) return refuse(path, answer.reason);
  try {
    if (answer.size > FILE_BYTES) return refuse(path, `it has ${answer.size} bytes (limit ${FILE_BYTES})`);
    if (answer.size === 0) return refuse(path, "it is empty");
    const name = basename(answer.path);
    return { file: { path: await copied(deps, answer, name), name, ...toMediaKind(name) } };
  } catch {
    return refuse(path, "it cannot be copied");
  } finally {
    await answer.file.close();
  }
}

const refuse = (path: string, reason: string): { readonly refused: RefusedFile } => ({ refused: { path, reason } });

function logged<T extends Awaited<ReturnType<Outbound["take"]>>>({ log }: OutboundDeps, got: T): T {
  if ("refused" in got) log.warning("failed to send a file", { ...got.refused });
  return got;
}

/** What was judged is copied from the open file, so that it is what is sent, however late. */
async function copied(deps: OutboundDeps, { file }: OpenOutbound, name: string): Promise<string> {
  const path = await placeOf(deps, name);
  const to = await openNew(path, 0o600);
  try {
    const buffer = Buffer.alloc(CHUNK);
    for (let at = 0; at <= FILE_BYTES; ) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) return path;
      await to.appendFile(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    throw new Error("it is still growing");
  } catch (error) {
    await removeFile(path);
    throw error;
  } finally {
    await to.close();
  }
}
