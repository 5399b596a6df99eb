import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";
import type { EditedFile } from "../../lib/contracts/owner/language-servers.js";
import type { LanguageClient, Launch } from "./client.js";
import { type Finding, introducedBy } from "./findings.js";
import { lineMap } from "./lines.js";
import type { Pool, Slot } from "./pool.js";
import { RpcTimeout } from "./rpc.js";
import type { Waits } from "./settings.js";

/** How long a server that was too slow for the first write may take to show that it works after all. */
const WARM_MS: Ms = 45_000;
/** In mode `full`, other open files that are looked at again. */
const OTHERS_AT_MOST = 20;

export interface EditDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wait: Waits;
}

/** Files of one edit that belong to one server. */
export interface Group {
  readonly key: string;
  readonly launch: Launch;
  readonly files: readonly EditedFile[];
}

/** What a server knew before an edit. */
export interface Baseline {
  readonly slot: Slot;
  readonly files: readonly EditedFile[];
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
}

/** What was found in one file. */
export interface FileFindings {
  readonly path: string;
  readonly findings: readonly Finding[];
}

/** What is known of each file before it is written; undefined when the server cannot tell, which then is left alone. Never rejects. */
export async function baseline(group: Group, deps: EditDeps, signal: AbortSignal): Promise<Baseline | undefined> {
  const { pool, clock } = deps;
  if (pool.brokenReason(group.key) !== undefined) return undefined;
  const began = clock.mono();
  const slot = await begin(group, deps);
  if (slot === undefined) return undefined;
  pool.used(slot);
  const limit = slot.warm ? deps.wait.ms : deps.wait.firstMs;
  const findings = await limited({ slot, deps, signal, began, limit }, async (client, until, stop) => {
    const found = await lookBefore(client, group, until, stop);
    if (group.files.some(({ before }) => before !== undefined)) slot.warm = true;
    return found;
  });
  return findings === undefined ? undefined : { slot, files: group.files, findings };
}

async function begin({ key, launch }: Group, { pool }: EditDeps): Promise<Slot | undefined> {
  try {
    return await pool.start(key, launch);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    pool.breakDown(key, { server: launch.definition.id, root: launch.root }, `it cannot be started: ${message}`);
    return undefined;
  }
}

async function lookBefore(
  { documents, look }: LanguageClient,
  { files }: Group,
  until: Ms,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly Finding[]>> {
  const findings = new Map<string, readonly Finding[]>();
  for (const { path, before } of files) if (before !== undefined) documents.put(path, before);
  for (const { path, before } of files)
    if (before !== undefined) findings.set(path, documents.get(path)?.known ?? (await look(path, until, signal)));
  for (const { path, known } of documents.all())
    if (known !== undefined && !findings.has(path)) findings.set(path, known);
  return findings;
}

/** Tell the server what was written, and what is wrong now that was not wrong before, file by file. Never rejects. */
export async function introduced(
  base: Baseline,
  after: ReadonlyMap<string, string | undefined>,
  deps: EditDeps,
  signal: AbortSignal,
): Promise<readonly FileFindings[]> {
  const { slot } = base;
  const began = deps.clock.mono();
  const limit = slot.warm ? deps.wait.ms : Math.max(deps.wait.ms, deps.wait.firstMs - (began - slot.startedAt));
  const found = await limited({ slot, deps, signal, began, limit }, async (client, until, stop) => {
    const changed = tell(client, base, after);
    const own: FileFindings[] = [];
    for (const { path, before } of changed) {
      const moved = await lineMap(before ?? "", after.get(path) ?? "");
      own.push({
        path,
        findings: introducedBy(base.findings.get(path) ?? [], await client.look(path, until, stop), moved),
      });
    }
    if (own.length > 0) slot.warm = true;
    return deps.wait.full ? [...own, ...(await lookAtOthers(client, base, until, stop))] : own;
  });
  return found ?? [];
}

/** The files that are still there. */
function tell(
  { documents }: LanguageClient,
  base: Baseline,
  after: ReadonlyMap<string, string | undefined>,
): readonly EditedFile[] {
  return base.files.filter(({ path }) => {
    const text = after.get(path);
    if (text === undefined) documents.remove(path);
    else documents.saved(documents.put(path, text));
    return text !== undefined;
  });
}

/** Files that were not edited, but may not fit the edited ones any more. */
async function lookAtOthers(
  client: LanguageClient,
  base: Baseline,
  until: Ms,
  signal: AbortSignal,
): Promise<readonly FileFindings[]> {
  const edited = new Set(base.files.map(({ path }) => path));
  const others = client.documents.all().filter(({ path }) => !edited.has(path) && base.findings.has(path));
  return Promise.all(
    others.slice(-OTHERS_AT_MOST).map(async ({ path }) => {
      const now = await client.look(path, until, signal);
      return { path, findings: introducedBy(base.findings.get(path) ?? [], now, (line) => line) };
    }),
  );
}

interface Limit {
  readonly slot: Slot;
  readonly deps: EditDeps;
  readonly signal: AbortSignal;
  /** Instant of the monotonic clock from which the limit counts. */
  readonly began: Ms;
  readonly limit: Ms;
}

type Work<T> = (client: LanguageClient, until: Ms, signal: AbortSignal) => Promise<T>;

/**
 * Work with a server within a limit; undefined when it took longer or failed. A server that works already breaks by one timeout. One that has
 * never told anything may be loading a large project: it is set aside, goes on in the background, and is used again when it has shown that it works.
 */
async function limited<T>(given: Limit, work: Work<T>): Promise<T | undefined> {
  const { slot, deps, signal, began, limit } = given;
  if (slot.leaving || signal.aborted) return undefined;
  const wasWarm = slot.warm;
  const until = began + (wasWarm ? limit : Math.max(limit, WARM_MS));
  const stop = wasWarm ? signal : new AbortController().signal;
  const done = begun(slot).then((client) => work(client, until, stop));
  const told = done.then(
    (result) => {
      deps.pool.used(slot);
      if (!wasWarm && slot.warm) deps.pool.mend(slot.key);
      return result;
    },
    (error: unknown) => blame(slot, deps, error),
  );
  return wasWarm ? told : inTime(told, given);
}

async function begun(slot: Slot): Promise<LanguageClient> {
  slot.client ??= await slot.starting.ready;
  return slot.client;
}

async function inTime<T>(
  told: Promise<T | undefined>,
  { slot, deps, signal, began, limit }: Limit,
): Promise<T | undefined> {
  const { clock, pool } = deps;
  const cancels: (() => void)[] = [];
  const late = new Promise<undefined>((resolve) => {
    const onLate = () => {
      if (!slot.leaving) pool.setAside(slot, `no answer within ${Math.round(limit / 1000)} s`);
      resolve(undefined);
    };
    const onAbort = () => resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    cancels.push(clock.after(Math.max(1, began + limit - clock.mono()), onLate), () =>
      signal.removeEventListener("abort", onAbort),
    );
  });
  try {
    return await Promise.race([told, late]);
  } finally {
    for (const cancel of cancels) cancel();
  }
}

/** Silence breaks a server. One that answers "no" works; one that has ended is marked by the pool. */
function blame(slot: Slot, { pool }: EditDeps, error: unknown): undefined {
  if (!slot.leaving && error instanceof RpcTimeout)
    pool.breakDown(slot.key, { server: slot.launch.definition.id, root: slot.launch.root }, error.message);
  return undefined;
}
