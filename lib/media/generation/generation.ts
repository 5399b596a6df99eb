import type { MediaCall, MediaContext, MediaOutcome } from "../../contracts/media/backends.js";
import type { MediaCache, MediumSource } from "../../contracts/media/cache.js";
import type { MediaCaller } from "../../contracts/media/media.js";
import { mediaPriceText } from "./choose-backend.js";
import { type StoredMedium, storeMedium } from "./medium-result.js";
import { beginRequest, type OpenRequest, type OpenRequestsDeps } from "./open-requests.js";

/** What one generation needs, whatever it makes. */
export interface GenerationDeps extends OpenRequestsDeps, MediaContext {
  readonly clock: MediaContext["clock"];
  readonly cache: MediaCache;
}

/** A request whose values were checked. */
export interface Generation<Job> {
  readonly backend: {
    readonly name: string;
    readonly knowsKeys: boolean;
    generate(job: Job, call: MediaCall, around: MediaContext): Promise<MediaOutcome>;
  };
  readonly job: Job;
  readonly model: string;
  /** Price in USD, where it is known. */
  readonly usd: number | undefined;
  readonly source: Pick<MediumSource, "kind" | "prefix">;
  /** Model and values, as people see them before anything is sent. */
  readonly shown: string;
}

/** A medium that lies on the disk, or the code and message that the tool answers. */
export type Produced =
  | (StoredMedium & {
      readonly ok: true;
      readonly note?: string;
      readonly extras: Readonly<Record<string, unknown>>;
      /** Which credential was used, where a provider has several. */
      readonly told: { readonly credential_source?: unknown };
    })
  | { readonly ok: false; readonly code: string; readonly message: string };

const DOUBT =
  "an earlier request of the same content was cut short before the provider answered; it may be billed as well";

/**
 * Say what is going to be paid, ask the provider, and store what it makes. The request is on the disk from before it is sent until it has ended: the
 * same one, asked for again after a kill, an interrupt or a timeout, goes on with what is paid already. Rejects only when the signal aborts.
 */
export async function runGeneration<Job>(
  deps: GenerationDeps,
  generation: Generation<Job>,
  caller: MediaCaller,
): Promise<Produced> {
  const { backend, job, usd, shown, source } = generation;
  const open = await beginRequest(deps, { session: caller.session, backend: backend.name, kind: source.kind, job });
  const price = open.accepted === undefined ? mediaPriceText(usd) : "goes on with a request that is paid already";
  caller.progress(`${backend.name}: ${shown}; ${price}`);
  let ended = false;
  try {
    const outcome = await backend.generate(job, callOf(open, generation, caller), deps);
    if (!outcome.ok) {
      ended = outcome.open !== true;
      caller.signal.throwIfAborted();
      return outcome;
    }
    caller.progress(`${backend.name}: done, saving it`);
    const stored = await storeMedium(deps.cache, { ...source, url: outcome.url }, caller.signal);
    ended = true;
    const { credential_source, ...extras } = outcome.extras ?? {};
    return {
      ok: true,
      ...stored,
      ...(open.doubtful && !backend.knowsKeys ? { note: DOUBT } : {}),
      extras,
      told: credential_source === undefined ? {} : { credential_source },
    };
  } finally {
    await open.end(!ended);
  }
}

function callOf<Job>(open: OpenRequest, { backend, model, usd }: Generation<Job>, caller: MediaCaller): MediaCall {
  return {
    key: open.key,
    ...(open.accepted === undefined ? {} : { accepted: open.accepted }),
    onAccepted: async (handle) => {
      await open.onAccepted(handle);
      if (usd !== undefined) await caller.spent({ provider: backend.name, model, usd });
    },
    progress: caller.progress,
    signal: caller.signal,
  };
}
