import * as z from "zod";
import type { Store, Tx } from "../../../storage/store.js";
import { appendCopies } from "../../../storage/tables/sessions/copies.js";
import * as records from "../../../storage/tables/sessions/lineage.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as turns from "../../../storage/tables/sessions/turns.js";
import * as visible from "../../../storage/tables/sessions/visible.js";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { ForkOptions } from "../../contracts/chat/sessions.js";
import { noSession, sessionInfo } from "../transcript/session-record.js";
import { cleanTitle, parseTitleNumber } from "../transcript/sessions-title.js";
import { SKILLS_RECORD } from "./session-skills.js";

export interface ForkDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Records of a lineage that its branch takes along as they are; the goal goes along as well, paused. */
const TAKEN = ["todo", "grants", "files_changed", SKILLS_RECORD] as const;

/**
 * A new lineage that begins with copies of the visible messages of this one (core part, 11.5). The old one stays as it is.
 *
 * @throws E_NOT_FOUND (session, message), E_CONFLICT (the title is in use)
 */
export async function fork(deps: ForkDeps, id: SessionId, { at, title }: ForkOptions): Promise<SessionRecord> {
  const now = deps.clock.now();
  const fresh = deps.ids.session(now);
  const wanted = title === undefined ? undefined : cleanTitle(title);
  return deps.store.write("chat.fork", async (tx) => {
    const parent = await sessions.get(tx, id);
    if (!parent) throw noSession(id);
    const along = await chosen(tx, id, at);
    const name = await titleFor(tx, parent, wanted);
    const session = branchOf(parent, fresh, { now, title: name, byUser: wanted !== undefined });
    await sessions.insert(tx, session, undefined);
    await sessions.inherit(tx, session.id, parent.id);
    await appendCopies(
      tx,
      session.id,
      along.map((one) => ({ id: one })),
    );
    await takeRecords(tx, parent.lineage_root, session.id, now);
    const stored = (await sessions.get(tx, session.id)) ?? session;
    tx.emit({
      kind: "session.info",
      at: now,
      session: session.id,
      payload: { ...sessionInfo(stored), parent_session_id: parent.id },
    });
    return stored;
  });
}

/** Visible messages up to the chosen one. Results of its calls go along, so that no call is left without its result. */
async function chosen(tx: Tx, session: SessionId, at: number | undefined): Promise<readonly number[]> {
  const open = await turns.openTurn(tx, session);
  const rows = await visible.newest(tx, session, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  // What a running turn has done so far is half a thought: the branch begins before it.
  const all = rows.filter((row) => row.turn_id !== open?.turn_id).reverse();
  if (at === undefined) return all.map((row) => row.id);
  const last = all.findIndex((row) => row.id === at);
  if (last < 0)
    throw new AppError("E_NOT_FOUND", `message ${at} of session ${session} is not visible`, {
      session,
      message: at,
      hint: "agent sessions show --json lists messages with their ids",
    });
  let end = last + 1;
  while (all[end]?.role === "tool") end += 1;
  return all.slice(0, end).map((row) => row.id);
}

/** The name that was wanted, when no open session has it; else the next number of the parent's. */
async function titleFor(tx: Tx, parent: SessionRecord, wanted: string | undefined): Promise<string | null> {
  if (wanted !== undefined) {
    const holder = await sessions.titleHolder(tx, wanted, "");
    if (holder === undefined) return wanted;
    throw new AppError("E_CONFLICT", `the title "${wanted}" is already in use by session ${holder}`, {
      session: holder,
    });
  }
  if (parent.title === null) return null;
  const { base } = parseTitleNumber(parent.title);
  const used = (await sessions.byTitle(tx, base))
    .map((one) => parseTitleNumber(one.title ?? ""))
    .filter((one) => one.base === base);
  return `${base} #${Math.max(1, ...used.map((one) => one.number)) + 1}`;
}

function branchOf(
  parent: SessionRecord,
  id: SessionId,
  made: { now: EpochMs; title: string | null; byUser: boolean },
): SessionRecord {
  return {
    ...parent,
    id,
    lineage_root: id,
    parent_session_id: parent.id,
    relation: "branch",
    title: made.title,
    title_source: made.title === null ? null : made.byUser ? "user" : "auto",
    started_at: made.now,
    last_active_at: made.now,
    ended_at: null,
    end_reason: null,
    archived: false,
  };
}

async function takeRecords(tx: Tx, from: string, to: string, at: EpochMs): Promise<void> {
  for (const name of TAKEN) {
    const json = await records.get(tx, from, name);
    if (json !== undefined) await records.set(tx, { root: to, name, json }, at);
  }
  const goal = await records.get(tx, from, "goal");
  if (goal !== undefined) await records.set(tx, { root: to, name: "goal", json: paused(goal) }, at);
}

const active = z.looseObject({ status: z.literal("active") });

/** An active goal waits in the branch until it is resumed there. */
function paused(goal: string): string {
  const parsed = active.safeParse(JSON.parse(goal));
  return parsed.success ? JSON.stringify({ ...parsed.data, status: "paused", paused_reason: "user" }) : goal;
}
