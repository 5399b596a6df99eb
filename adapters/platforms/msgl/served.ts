import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, extname, join, sep } from "node:path";
import { openToRead, realPath, statPath } from "../../../lib/base/fs/files.js";
import type { Ids } from "../../../lib/base/ids.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { EpochMs, Ms } from "../../../lib/base/units.js";
import type { Inlet } from "../../../lib/contracts/board/platform-tag.js";
import { type HookReply, type HookRequest, type HookRoute, hookText } from "../../../lib/contracts/gateway/listen.js";
import { isBelow } from "../../../lib/safety/paths/paths.js";

const LIFE_MS: Ms = 1_800_000;
/** Addresses that still differ from unknown ones after their end. */
const GONE_MS: Ms = 24 * 3_600_000;
const KEPT = 1000;
const CURSOR = "media";

/** A file that the platform may fetch. Only the digest of its token is kept. */
interface Shared {
  readonly digest: string;
  readonly path: string;
  readonly name: string;
  readonly mime: string;
  readonly until: EpochMs;
}

export interface ServedDeps {
  readonly account: string;
  readonly inlet: Pick<Inlet, "cursor" | "acceptBatch">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly home: string;
}

/** Files that the platform fetches from us by addresses that end soon. They hold over a restart. */
export interface ServedFiles {
  /** Part of an address behind the public one: `/msgl/media/<token>/<name>`. @throws Error when it cannot be stored */
  share(file: { readonly path: string; readonly name: string; readonly mime: string }): Promise<string>;
  readonly route: HookRoute;
}

export function createServed(deps: ServedDeps): ServedFiles {
  const { inlet, clock, ids, account } = deps;
  const at = { platform: "msgl", account } as const;
  let turn: Promise<unknown> = Promise.resolve();
  const shared = async (): Promise<readonly Shared[]> => JSON.parse((await inlet.cursor(at, CURSOR)) ?? "[]");
  const share: ServedFiles["share"] = ({ path, name, mime }) => {
    const token = ids.token();
    const safe = safeName(name);
    const add = async () => {
      const now = clock.now();
      const entry: Shared = { digest: digestOf(token), path, name: safe, mime, until: now + LIFE_MS };
      const kept = (await shared()).filter((one) => one.until + GONE_MS > now).slice(-(KEPT - 1));
      const { result } = await inlet.acceptBatch([], { ...at, name: CURSOR, value: JSON.stringify([...kept, entry]) });
      if (result === "busy") throw new Error("the address of a file cannot be stored");
      return `/msgl/media/${token}/${encodeURIComponent(safe)}`;
    };
    const mine = turn.catch(() => undefined).then(add);
    turn = mine;
    return mine;
  };
  const run = async (request: HookRequest) => {
    const { token = "", name = "" } = request.params;
    const digest = digestOf(token);
    const entry = (await shared()).find((one) => one.digest === digest);
    if (entry === undefined || entry.name !== name) return hookText(404, "no such file");
    if (entry.until <= clock.now()) return hookText(410, "this address has ended");
    return give(deps, entry, request);
  };
  return { share, route: { method: "GET", path: "/msgl/media/:token/:name", run } };
}

const digestOf = (token: string): string => createHash("sha256").update(token).digest("hex");

function safeName(name: string): string {
  const safe = basename(name)
    .replaceAll(/[^\w.-]/g, "_")
    .replace(/^\.+/, "");
  return safe.length > 100 ? `${safe.slice(0, 90)}${extname(safe).slice(0, 10)}` : safe || "file";
}

async function give(deps: ServedDeps, { path, mime }: Shared, request: HookRequest): Promise<HookReply> {
  if (path === PREVIEW)
    return { status: 200, headers: { "content-type": "image/png" }, stream: once(Buffer.from(GREY, "base64")) };
  const real = await realPath(path).catch(() => undefined);
  if (real === undefined) return hookText(404, "the file is gone");
  if (!(await isGivenOut(real, deps.home))) return hookText(403, "this file is not given out");
  const facts = await statPath(real);
  if (facts?.kind !== "file") return hookText(404, "the file is gone");
  const range = rangeOf(request.header("range"), facts.size);
  if (range === "none") return hookText(416, "no such part", { "content-range": `bytes */${facts.size}` });
  const { start, end } = range ?? { start: 0, end: facts.size - 1 };
  const headers = {
    "content-type": mime,
    "content-length": String(end - start + 1),
    "accept-ranges": "bytes",
    "content-security-policy": "sandbox",
    ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end}/${facts.size}` }),
  };
  return { status: range === undefined ? 200 : 206, headers, stream: bytesOf(real, start, end) };
}

/** Folders of the home whose files may leave; everything else there stays, also where the home lies among temporary files. */
const OUTPUTS = ["cache", "cron/output"] as const;

async function isGivenOut(real: string, home: string): Promise<boolean> {
  if (await isInside(real, [home]))
    return isInside(
      real,
      OUTPUTS.map((folder) => join(home, folder)),
    );
  return isInside(real, [tmpdir(), "/tmp"]);
}

/** Real path of a file against real paths of folders: neither is led elsewhere by a link. */
async function isInside(real: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const root = await realPath(folder).catch(() => undefined);
    if (root !== undefined && isBelow(real, root)) return true;
  }
  return false;
}

/** One range; several, or an invalid range, give the whole file. */
function rangeOf(
  header: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | "none" | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  if (match === null || (match[1] === "" && match[2] === "")) return undefined;
  const [, from = "", to = ""] = match;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(size - 1, Number(to));
  return start > end ? "none" : { start, end };
}

const CHUNK = 1 << 16;

async function* bytesOf(path: string, start: number, end: number): AsyncIterable<Uint8Array> {
  const file = await openToRead(path);
  try {
    for (let at = start; at <= end; ) {
      const { bytesRead, buffer } = await file.read(
        Buffer.alloc(Math.min(CHUNK, end - at + 1)),
        0,
        Math.min(CHUNK, end - at + 1),
        at,
      );
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** Stands for a picture before a video, which the platform wants and which was not made. */
export const PREVIEW = join(sep, "msgl-preview");
const GREY = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mOor6//DwAFfwKAlWPq+AAAAABJRU5ErkJggg==";
