import type { Query, Store, Tx } from "../../../storage/store.js";
import * as records from "../../../storage/tables/sessions/lineage.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as parked from "../../../storage/tables/sessions/parked.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as turns from "../../../storage/tables/sessions/turns.js";
import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { DeletedSession } from "../../contracts/chat/sessions.js";
import { noSession } from "../transcript/session-record.js";

/** Files of sessions beside the store. */
export interface SessionFiles {
  remove(lineage: string, sessions: readonly string[]): void;
  /** Copies made earlier, which still hold what is deleted. */
  backups(): readonly string[];
}

export interface DeleteDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly files: SessionFiles;
}

/** Mark of a lineage that is being deleted: `{ lineages: [...] }`. It holds no text, and it goes last. */
const MARK = "deleting";
/** Messages of one transaction, so that others get their turn in between. */
const PORTION = 200;
/** Delegated children of delegated children; delegation is bounded far below. */
const MAX_LINEAGES = 1_000;

/**
 * Delete a lineage with its delegated children: rows, index entries, lineage records, events, files. When it resolves no file of the store
 * holds the texts. A deletion that a crash cut off is completed by `completeDeletions`.
 *
 * @throws E_NOT_FOUND, E_STATE while one of its turns runs
 */
export async function deleteLineage(deps: DeleteDeps, id: SessionId): Promise<DeletedSession> {
  const at = deps.clock.now();
  const root = await deps.store.write("chat.mark", async (tx) => {
    const session = await sessions.get(tx, id);
    if (!session) throw noSession(id);
    const all = await family(tx, session.lineage_root);
    for (const one of all) await refuseRunning(tx, one);
    const lineages = [...new Set(all.map((one) => one.lineage_root))];
    await records.set(tx, { root: session.lineage_root, name: MARK, json: JSON.stringify({ lineages }) }, at);
    return session.lineage_root;
  });
  const lineages = await marked(deps.store, root);
  return finish(deps, root, lineages);
}

/** Complete what an earlier owner began. Called at the start of an owner. Harmless twice. */
export async function completeDeletions(deps: DeleteDeps): Promise<number> {
  const open = await deps.store.read((q) => records.having(q, MARK));
  for (const { root, value } of open) await finish(deps, root, parseMark(root, value));
  return open.length;
}

async function finish(deps: DeleteDeps, root: string, lineages: readonly string[]): Promise<DeletedSession> {
  let count = { sessions: 0, messages: 0 };
  for (const lineage of lineages) count = add(count, await emptyLineage(deps, lineage));
  // The mark stays until the journal is empty: a crash before that must not leave the texts in it.
  await deps.store.purge(async (tx) => {
    for (const lineage of lineages) await removeRows(tx, lineage);
  });
  await deps.store.write("chat.unmark", (tx) => records.remove(tx, root, MARK));
  return { ...count, backups: deps.files.backups() };
}

async function emptyLineage(
  { store, files }: DeleteDeps,
  lineage: string,
): Promise<{ sessions: number; messages: number }> {
  const segments = await store.read((q) => sessions.lineage(q, lineage));
  files.remove(
    lineage,
    segments.map((session) => session.id),
  );
  let removed = 0;
  for (const session of segments) {
    for (let some = PORTION; some === PORTION; removed += some) {
      some = await store.write("chat.delete", (tx) => messages.removeSome(tx, session.id, PORTION));
    }
  }
  return { sessions: segments.length, messages: removed };
}

async function removeRows(tx: Tx, lineage: string): Promise<void> {
  for (const session of await sessions.lineage(tx, lineage)) {
    // A turn that began after the mark may have added some.
    for (let some = PORTION; some === PORTION; ) some = await messages.removeSome(tx, session.id, PORTION);
    await sessions.remove(tx, session.id);
  }
  await parked.removeLineage(tx, lineage);
  await records.removeAll(tx, lineage, MARK);
}

/** The lineage and the lineages of everything it delegated. */
async function family(tx: Tx, root: string): Promise<SessionRecord[]> {
  const seen = new Set([root]);
  const all: SessionRecord[] = [];
  for (const lineage of seen) {
    all.push(...(await sessions.lineage(tx, lineage)));
    for (const child of await sessions.delegated(tx, lineage))
      if (seen.size < MAX_LINEAGES) seen.add(child.lineage_root);
  }
  return all;
}

async function refuseRunning(tx: Tx, session: SessionRecord): Promise<void> {
  const open = await turns.openTurn(tx, session.id);
  if (!open) return;
  throw new AppError("E_STATE", `a turn of session ${session.id} is running`, {
    session: session.id,
    hint: "interrupt it first",
  });
}

async function marked(store: Store, root: string): Promise<readonly string[]> {
  return parseMark(root, await store.read((q: Query) => records.get(q, root, MARK)));
}

function parseMark(root: string, value: string | undefined): readonly string[] {
  const mark: unknown = value === undefined ? undefined : JSON.parse(value);
  const lineages = typeof mark === "object" && mark !== null && "lineages" in mark ? mark.lineages : undefined;
  return Array.isArray(lineages) ? lineages.filter((one) => typeof one === "string") : [root];
}

const add = (a: { sessions: number; messages: number }, b: { sessions: number; messages: number }) => ({
  sessions: a.sessions + b.sessions,
  messages: a.messages + b.messages,
});
