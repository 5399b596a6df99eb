import type { Store } from "../../../storage/store.js";
import * as records from "../../../storage/tables/sessions/lineage.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as upkeep from "../../../storage/tables/sessions/upkeep.js";
import { toAppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { DeletedSession, PruneFilter } from "../../contracts/chat/sessions.js";
import type { Config } from "../../contracts/config/config.js";
import { AUTO_PRUNE, PRUNE_INTERVAL, RETENTION_DAYS } from "../config/session-keys.js";
import type { ListedSession, Sessions } from "./sessions.js";

/** Sources in which a person talks. */
const PEOPLE: ReadonlySet<string> = new Set(["cli", "workspace", "inline", "acp"]);
const LOOKED_AT = 100;
const DAY_MS = 24 * 60 * 60_000;

/** The newest session of a person in a directory, else the newest of all. */
export async function latestSession(
  book: Pick<Sessions, "list">,
  cwd: string,
): Promise<{ readonly session: SessionRecord; readonly elsewhere: boolean } | undefined> {
  const newest = async (filter: { cwd?: string }): Promise<ListedSession | undefined> =>
    (await book.list({ ...filter, limit: LOOKED_AT })).find(({ source }) => PEOPLE.has(source));
  const here = await newest({ cwd });
  if (here) return { session: here, elsewhere: false };
  const anywhere = await newest({});
  return anywhere && { session: anywhere, elsewhere: true };
}

/** Conversations that have ended and in which nothing has happened for so many days. */
export async function prunable(
  store: Store,
  clock: Clock,
  { days, source }: PruneFilter,
): Promise<readonly SessionRecord[]> {
  const before = clock.now() - days * DAY_MS;
  return store.read(async (q) => {
    const found: SessionRecord[] = [];
    for (const id of await upkeep.rested(q, { before, source })) {
      const session = await sessions.get(q, id);
      if (session) found.push(session);
    }
    return found;
  });
}

/** It runs again, or is gone already. */
const LEFT_ALONE: ReadonlySet<string> = new Set(["E_RUNNING", "E_STATE", "E_NOT_FOUND"]);

/** Delete them one after the other; one that cannot go any more is left alone. @returns those that are deleted */
export async function pruneSessions(
  found: readonly SessionRecord[],
  remove: (id: SessionId) => Promise<DeletedSession>,
): Promise<readonly SessionRecord[]> {
  const removed: SessionRecord[] = [];
  for (const session of found) {
    try {
      await remove(session.id);
      removed.push(session);
    } catch (error) {
      if (!LEFT_ALONE.has(toAppError(error).code)) throw error;
    }
  }
  return removed;
}

export interface AutoPruneDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: Config;
}

/** Where the time of the last pruning is kept: a record of no lineage. */
const RECORD = { root: "", name: "pruned" } as const;
const HOUR_MS = 60 * 60_000;

/** Prune by the settings, at most once in `sessions.min_interval_hours`. A conversation that cannot go now is left for the next time. */
export async function autoPrune(
  deps: AutoPruneDeps,
  remove: (id: SessionId) => Promise<DeletedSession>,
): Promise<number> {
  const { store, clock, config } = deps;
  if (!config.get(AUTO_PRUNE)) return 0;
  const at = clock.now();
  const last = Number((await store.read((q) => records.get(q, RECORD.root, RECORD.name))) ?? 0);
  if (at - last < config.get(PRUNE_INTERVAL) * HOUR_MS) return 0;
  await store.write("chat.pruned", (tx) => records.set(tx, { ...RECORD, json: String(at) }, at));
  const found = await prunable(store, clock, { days: config.get(RETENTION_DAYS) });
  return (await pruneSessions(found, remove)).length;
}
