import { createHash } from "node:crypto";
import { join } from "node:path";
import { changedAt, makeDurableDirectory, readText, removeFile, writeAtomic } from "../../base/fs/files.js";
import type { Home } from "../../base/home.js";
import type { Ids } from "../../base/ids.js";
import { isRecord, jsonOf } from "../../base/json/record.js";
import type { Log } from "../../base/log/log.js";
import { findProcess, readBootId } from "../../base/process/process.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { RequestHandle } from "../../contracts/media/backends.js";

/**
 * Generations that a provider may be working on. Each has a file from before it is sent until it has ended, so that the same request, asked for
 * again after a kill, an interrupt or a timeout, goes on with the generation that is paid already.
 */
export interface OpenRequest {
  /** Names the generation to the provider. */
  readonly key: string;
  /** What the provider said when it accepted the earlier request. */
  readonly accepted: RequestHandle | undefined;
  /** The earlier request was cut short before the provider answered: whether it arrived is unknown. */
  readonly doubtful: boolean;
  /** Never rejects: without the record, a kill may cost a second generation, and nothing else. */
  onAccepted(handle: RequestHandle): Promise<void>;
  /** @param open the provider may go on with it */
  end(open: boolean): Promise<void>;
}

export interface OpenRequestsDeps {
  readonly home: Pick<Home, "cache">;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Pick<Ids, "hex">;
  readonly log: Pick<Log, "warning">;
}

interface StoredRequest {
  readonly key: string;
  readonly accepted?: RequestHandle;
  /** The process that waits for it. */
  readonly holder: string;
}

export const REQUESTS_DIR = "requests";

/** Results of providers are gone by then. */
export const REQUEST_KEPT_MS: Ms = 86_400_000;

/** Equal requests that may run at once; more of them have no record. */
const SIDE_BY_SIDE = 8;

/** Records that a generation of this process holds. */
const held = new Set<string>();

/** Begin a generation, or go on with one that was left. `what` tells equal requests from others. */
export async function beginRequest(deps: OpenRequestsDeps, what: unknown): Promise<OpenRequest> {
  const { home, ids, log } = deps;
  const dir = join(home.cache, REQUESTS_DIR);
  const digest = createHash("sha256").update(JSON.stringify(what)).digest("hex").slice(0, 32);
  const place = await freePlace(deps, dir, digest);
  const earlier = place?.earlier;
  const key = earlier?.key ?? `${digest}-${ids.hex(8)}`;
  const write = async (accepted: RequestHandle | undefined, holder: string) => {
    if (place === undefined) return;
    try {
      await makeDurableDirectory(dir, 0o700);
      const record: StoredRequest = { key, holder, ...(accepted === undefined ? {} : { accepted }) };
      await writeAtomic(place.path, JSON.stringify(record), 0o600);
    } catch (error) {
      log.warning("failed to store a request for media", { error: String(error) });
    }
  };
  let known = earlier?.accepted;
  await write(known, thisProcess());
  return {
    key,
    accepted: known,
    doubtful: earlier !== undefined && known === undefined,
    onAccepted: async (handle) => {
      known = handle;
      await write(handle, thisProcess());
    },
    end: async (open) => {
      if (place === undefined) return;
      if (open) await write(known, "");
      else await removeFile(place.path).catch(() => undefined); // as above: it is found again and asked about in vain
      held.delete(place.path);
    },
  };
}

interface Place {
  readonly path: string;
  readonly earlier: StoredRequest | undefined;
}

/** The first record of such a request that no living process holds. Taken before anything is awaited again. */
async function freePlace({ clock }: OpenRequestsDeps, dir: string, digest: string): Promise<Place | undefined> {
  for (let index = 0; index < SIDE_BY_SIDE; index++) {
    const path = join(dir, `${digest}-${index}.json`);
    if (held.has(path)) continue;
    held.add(path);
    const stored = clock.now() - changedAt(path) > REQUEST_KEPT_MS ? undefined : parse(await readText(path));
    if (stored === undefined || !isAlive(stored.holder)) return { path, earlier: stored };
    held.delete(path);
  }
  return undefined;
}

function parse(text: string | undefined): StoredRequest | undefined {
  const value = text === undefined ? undefined : jsonOf(text);
  if (!isRecord(value) || typeof value["key"] !== "string" || typeof value["holder"] !== "string") return undefined;
  return value as unknown as StoredRequest; // written by `beginRequest`
}

/** Names this process among all that there ever were. */
function thisProcess(): string {
  return `${process.pid} ${findProcess(process.pid)?.start ?? ""} ${readBootId()}`;
}

function isAlive(holder: string): boolean {
  const [pid = "", start = "", boot = ""] = holder.split(" ");
  return holder !== "" && boot === readBootId() && findProcess(Number(pid))?.start === start;
}
