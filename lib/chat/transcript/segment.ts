import type { Store, Tx } from "../../../storage/store.js";
import { appendCopies, type Copy, type Written } from "../../../storage/tables/sessions/copies.js";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as turns from "../../../storage/tables/sessions/turns.js";
import { AppError } from "../../base/errors.js";
import type { EpochMs, SessionId } from "../../base/units.js";
import type { MessageRecord, SessionRecord } from "../../contracts/chat/chat.js";
import type { NextSegment, PreviousSegment } from "../../contracts/chat/compact.js";
import { noSession, sessionInfo } from "./session-record.js";

/** A segment with what its conversation now holds. */
export interface TranscriptSegment {
  readonly session: SessionRecord;
  readonly messages: readonly MessageRecord[];
}

/**
 * Close a segment and begin the next one with what is kept: rows, records, open turn and events in one commit, so that a crash leaves either
 * the old conversation or the new one.
 *
 * @throws E_CONFLICT when the segment was closed before
 */
export function beginSegment(
  store: Store,
  from: SessionRecord,
  next: NextSegment,
  at: EpochMs,
): Promise<TranscriptSegment> {
  return store.write("chat.compact", async (tx) => {
    if ((await sessions.closeSegment(tx, from.id, "compaction", at)) === 0) throw closedBefore(from.id);
    const title = await nextTitle(tx, from);
    await sessions.insertSegment(tx, { id: next.id, from: from.id, title, at });
    await appendCopies(
      tx,
      next.id,
      next.items.map((item) => toRow(item, next, at)),
    );
    if (next.turn !== undefined) await turns.move(tx, next.turn, next.id);
    await setRecords(tx, from.lineage_root, next.records, at);
    const payload = { ...next.event, new_session_id: next.id };
    const turn = next.turn === undefined ? {} : { turn: next.turn };
    tx.emit({ kind: "compaction.ended", at, session: from.id, ...turn, payload });
    return segmentOf(tx, next.id, at);
  });
}

/**
 * Open the segment before `from` again and put behind it what was said since. What was compacted stands there as it was.
 *
 * @throws E_CONFLICT when `from` is not the newest segment any more
 */
export function reopenSegment(
  store: Store,
  from: SessionRecord,
  previous: PreviousSegment,
  at: EpochMs,
): Promise<TranscriptSegment> {
  return store.write("chat.uncompact", async (tx) => {
    if ((await sessions.closeSegment(tx, from.id, "compaction_undone", at)) === 0) throw closedBefore(from.id);
    const before = await sessions.get(tx, previous.id);
    if (before?.end_reason !== "compaction") throw closedBefore(previous.id);
    await keepTitle(tx, { from: from.id, to: before });
    await sessions.reopen(tx, previous.id, { cwd: from.cwd, at });
    await appendCopies(tx, previous.id, await saidSince(tx, from.id));
    await setRecords(tx, from.lineage_root, previous.records, at);
    tx.emit({
      kind: "compaction.undone",
      at,
      session: from.id,
      payload: { ...previous.event, new_session_id: previous.id },
    });
    return segmentOf(tx, previous.id, at);
  });
}

async function segmentOf(tx: Tx, id: SessionId, at: EpochMs): Promise<TranscriptSegment> {
  const session = await sessions.get(tx, id);
  if (session === undefined) throw noSession(id);
  tx.emit({ kind: "session.info", at, session: id, payload: sessionInfo(session) });
  return { session, messages: await messages.conversation(tx, id) };
}

async function setRecords(tx: Tx, root: SessionId, records: NextSegment["records"], at: EpochMs): Promise<void> {
  for (const [name, json] of Object.entries(records)) {
    if (json === null) await lineage.remove(tx, root, name);
    else await lineage.set(tx, { root, name, json }, at);
  }
}

const NO_TURN = "" as const;

function toRow(item: NextSegment["items"][number], { turn }: NextSegment, at: EpochMs): Copy | Written {
  return "id" in item ? item : { ...item, turn: turn ?? NO_TURN, at };
}

/** Messages of a segment that no other one holds: neither the copies it began with nor what compaction wrote. */
async function saidSince(tx: Tx, segment: SessionId): Promise<Copy[]> {
  const said = await messages.conversation(tx, segment);
  return said
    .filter(({ copiedFrom, kind }) => copiedFrom === undefined && kind === undefined)
    .map(({ id }) => ({ id }));
}

const NUMBERED = /^(.*) #(\d{1,6})$/s;

/** A title that was given since stays when the segment before is opened again. */
async function keepTitle(
  tx: Tx,
  { from, to }: { readonly from: SessionId; readonly to: SessionRecord },
): Promise<void> {
  const given = await sessions.get(tx, from);
  if (given?.title == null || baseOf(given.title) === baseOf(to.title ?? "")) return;
  await sessions.setTitle(tx, to.id, baseOf(given.title), given.title_source ?? "auto");
}

const baseOf = (title: string): string => NUMBERED.exec(title)?.[1] ?? title;

/** `<base> #<n+1>`, with the greatest number that a segment of the lineage has had. */
async function nextTitle(tx: Tx, from: SessionRecord): Promise<string | null> {
  const stored = await sessions.get(tx, from.id); // a title may have been given beside this conversation
  if (stored?.title == null) return null;
  const base = baseOf(stored.title);
  const titles = (await sessions.lineage(tx, from.lineage_root)).map(({ title }) => title ?? "");
  const numbers = titles
    .map((title) => NUMBERED.exec(title))
    .map((found) => (found?.[1] === base ? Number(found[2]) : 1));
  return `${base} #${Math.max(...numbers, 1) + 1}`;
}

const closedBefore = (session: SessionId): AppError =>
  new AppError("E_CONFLICT", `session ${session} has been compacted; its conversation continues in a newer one`, {
    session,
    hint: "open it again by the same name to get the newest one",
  });
