import * as z from "zod";
import type { Query, Store, Tx } from "../../../storage/store.js";
import * as records from "../../../storage/tables/sessions/lineage.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as turns from "../../../storage/tables/sessions/turns.js";
import * as visible from "../../../storage/tables/sessions/visible.js";
import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, SessionId, TurnId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { Redone, Undone, UndoWhat } from "../../contracts/chat/sessions.js";
import type { RestoredFiles, TurnFiles, UndoableFiles } from "../../contracts/chat/turn-files.js";
import { noSession, sessionInfo } from "../transcript/session-record.js";
import { goesOnElsewhere } from "./sessions.js";

export interface UndoDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Absent while no checkpoints are kept. */
  readonly files?: TurnFiles | undefined;
}

/** Name of the lineage record: undos that can be taken back, the newest last. */
const RECORD = "undo";
const KEPT = 50;
const PORTION = 200;

const entry = z.object({
  session: z.string(),
  /** Place of the next message when it was undone: another one means that something was sent since. */
  next: z.number(),
  /** First and last place of each stretch of hidden messages. */
  places: z.array(z.tuple([z.number(), z.number()])),
  token: z.string().optional(),
});

type Entry = z.output<typeof entry>;

/** The exchanges at the end of a session. */
interface Tail {
  readonly session: SessionRecord;
  readonly exchanges: number;
  /** In the order of the conversation. */
  readonly rows: readonly visible.Visible[];
  readonly turns: readonly TurnId[];
}

/** Files of the last exchanges that could be put back. */
export async function undoableFiles(deps: UndoDeps, id: SessionId, exchanges: number): Promise<UndoableFiles> {
  const { files } = deps;
  if (files === undefined) return { files: [], partial: [] };
  const tail = await deps.store.read((q) => tailOf(q, id, exchanges));
  return files.changed(tail.session.lineage_root, tail.turns);
}

/**
 * Take back the last exchanges (core part, 11.5). Files come first: when they cannot be restored nothing is hidden. Nothing is deleted.
 *
 * @throws E_STATE (a turn runs, there is nothing to undo), E_INVALID (files without checkpoints)
 */
export async function undo(deps: UndoDeps, id: SessionId, exchanges: number, what: UndoWhat): Promise<Undone> {
  const tail = await deps.store.read((q) => tailOf(q, id, exchanges));
  const files = what === "chat" ? undefined : await restored(deps, tail);
  const at = deps.clock.now();
  const text = await deps.store.write("chat.undo", (tx) =>
    hide(tx, tail, { chat: what !== "files", at, token: files?.token }),
  );
  return {
    exchanges: tail.exchanges,
    turns: tail.turns,
    messages: what === "files" ? 0 : tail.rows.length,
    text: what === "files" ? "" : text,
    ...(files === undefined ? {} : { files }),
  };
}

async function restored({ files }: UndoDeps, tail: Tail): Promise<RestoredFiles> {
  if (files === undefined)
    throw new AppError("E_INVALID", "cannot restore files: checkpoints are off", {
      hint: "agent --checkpoints or the checkpoints.enabled setting enables checkpoints; /undo --chat removes the exchange only",
    });
  return files.restore(tail.session.lineage_root, tail.turns);
}

/** The segment in which the conversation goes on. */
async function currentOf(q: Query, id: SessionId): Promise<SessionRecord> {
  const session = await sessions.get(q, id);
  if (!session) throw noSession(id);
  return goesOnElsewhere(session) ? ((await sessions.current(q, session.lineage_root)) ?? session) : session;
}

async function tailOf(q: Query, named: SessionId, exchanges: number): Promise<Tail> {
  const session = await currentOf(q, named);
  const { id } = session;
  await refuseOpenTurn(q, id);
  const rows: visible.Visible[] = [];
  let found = 0;
  for (let before = Number.MAX_SAFE_INTEGER; found < exchanges; ) {
    const page = await visible.newest(q, id, before, PORTION);
    for (const row of page) {
      if (row.kind === "summary")
        throw beyond(found, exchanges, "the rest was replaced by a summary; /compress undo restores it");
      rows.push(row);
      if (row.role === "user" && row.kind === "normal") found += 1;
      if (found === exchanges) break;
    }
    before = page.at(-1)?.ordinal ?? 0;
    if (page.length < PORTION) break;
  }
  if (found === 0)
    throw new AppError("E_STATE", "nothing to undo", { session: id, hint: "no messages were sent here" });
  if (found < exchanges) throw beyond(found, exchanges, `/undo ${found} undoes all of them`);
  const inOrder = rows.reverse();
  return { session, exchanges, rows: inOrder, turns: [...new Set(inOrder.map((row) => row.turn_id))] };
}

const beyond = (found: number, wanted: number, hint: string) =>
  new AppError(
    "E_STATE",
    `${found === 1 ? "only 1 exchange" : `only ${found} exchanges`} can be undone here, not ${wanted}`,
    {
      found,
      wanted,
      hint,
    },
  );

async function refuseOpenTurn(q: Query, id: SessionId): Promise<void> {
  if (await turns.openTurn(q, id))
    throw new AppError("E_STATE", `a turn of session ${id} is running`, { session: id, hint: "wait, or run /stop" });
}

interface Hiding {
  readonly chat: boolean;
  readonly at: EpochMs;
  readonly token: string | undefined;
}

async function hide(tx: Tx, { session, rows }: Tail, { chat, at, token }: Hiding): Promise<string> {
  await refuseOpenTurn(tx, session.id);
  const ids = chat ? rows.map((row) => row.id) : [];
  await visible.setActive(tx, ids, false);
  await visible.recount(tx, session.id, -ids.length, 1);
  const next = await visible.nextPlace(tx, session.id);
  const kept = (await readStack(tx, session)).filter((one) => one.session === session.id && one.next === next);
  const made: Entry = {
    session: session.id,
    next,
    places: chat ? stretches(rows) : [],
    ...(token === undefined ? {} : { token }),
  };
  await writeStack(tx, session, [...kept, made].slice(-KEPT), at);
  tell(tx, session, { kind: "message.hidden", ids, at });
  await tellInfo(tx, session.id, at);
  // Instructions of directories that stood in hidden results are given again.
  if (chat) await records.remove(tx, session.lineage_root, "directory_context");
  const [first] = rows;
  return first === undefined ? "" : visible.contentOf(tx, first.id);
}

/** Places that follow each other without a gap between visible messages are one stretch. */
function stretches(rows: readonly visible.Visible[]): [number, number][] {
  const found: [number, number][] = [];
  for (const { ordinal } of rows) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === ordinal - 1) last[1] = ordinal;
    else found.push([ordinal, ordinal]);
  }
  return found;
}

/**
 * Take back the newest undo: its messages are visible again and its files as they were before it.
 *
 * @throws E_STATE when no such turn exists, or something was sent since
 */
export async function redo(deps: UndoDeps, id: SessionId): Promise<Redone> {
  const { session, last } = await deps.store.read((q) => redoable(q, id));
  const files = last.token === undefined ? undefined : await deps.files?.again(session.lineage_root, last.token);
  const at = deps.clock.now();
  const messages = await deps.store.write("chat.redo", (tx) => show(tx, id, at));
  return { messages, ...(files === undefined ? {} : { files }) };
}

async function redoable(
  q: Query,
  named: SessionId,
): Promise<{ session: SessionRecord; last: Entry; stack: readonly Entry[] }> {
  const session = await currentOf(q, named);
  const { id } = session;
  await refuseOpenTurn(q, id);
  const stack = await readStack(q, session);
  const last = stack.at(-1);
  if (last === undefined || last.session !== id)
    throw new AppError("E_STATE", "nothing to redo", { session: id, hint: "use /undo first" });
  if (last.next !== (await visible.nextPlace(q, id)))
    throw new AppError("E_STATE", "nothing to redo: a message was sent since the last undo", {
      session: id,
      hint: "agent sessions show shows the current messages",
    });
  return { session, last, stack };
}

async function show(tx: Tx, named: SessionId, at: EpochMs): Promise<number> {
  const { session, last, stack } = await redoable(tx, named);
  const { id } = session;
  const back: number[] = [];
  for (const [from, to] of last.places) back.push(...(await visible.hiddenBetween(tx, id, from, to)));
  await visible.setActive(tx, back, true);
  await visible.recount(tx, id, back.length, 0);
  await writeStack(tx, session, stack.slice(0, -1), at);
  tell(tx, session, { kind: "message.restored", ids: back, at });
  await tellInfo(tx, id, at);
  return back.length;
}

async function readStack(q: Query, session: SessionRecord): Promise<readonly Entry[]> {
  const json = await records.get(q, session.lineage_root, RECORD);
  const parsed = z.array(entry).safeParse(json === undefined ? [] : JSON.parse(json));
  return parsed.success ? parsed.data : [];
}

async function writeStack(tx: Tx, session: SessionRecord, stack: readonly Entry[], at: EpochMs): Promise<void> {
  await records.set(tx, { root: session.lineage_root, name: RECORD, json: JSON.stringify(stack) }, at);
}

interface Told {
  readonly kind: "message.hidden" | "message.restored";
  readonly ids: readonly number[];
  readonly at: EpochMs;
}

function tell(tx: Tx, session: SessionRecord, { kind, ids, at }: Told): void {
  for (const id of ids) tx.emit({ kind, at, session: session.id, payload: { message_id: id } });
}

async function tellInfo(tx: Tx, id: SessionId, at: EpochMs): Promise<void> {
  const session = await sessions.get(tx, id);
  if (session) tx.emit({ kind: "session.info", at, session: id, payload: sessionInfo(session) });
}
