import { TOLD_KINDS } from "../../../storage/schema/board-notify.js";
import type { Query } from "../../../storage/store.js";
import { attachmentsOf } from "../../../storage/tables/board/comments.js";
import {
  beginDelivery,
  type Ending,
  endDelivery,
  expireDeliveries,
  heldChildren,
  type OwedRow,
  oldestOwed,
  owedHeads,
  owedRoutes,
} from "../../../storage/tables/board/deliveries.js";
import { namesKinds } from "../../../storage/tables/board/subscriptions.js";
import { getTask } from "../../../storage/tables/board/tasks.js";
import { type BoardSlug, toUnix, type UnixSeconds } from "../../base/units.js";
import type { Notice, NoticeFile, NoticeRoute, PlatformReach, Recalled } from "../../contracts/board/notifier.js";
import type { Core } from "../core/core.js";
import type { Waker } from "../core/wake.js";
import { renderTaskNotice } from "./texts.js";

/** A message that is owed and that no other of its subscription comes before. */
export interface Owed {
  readonly notice: Notice;
  /** Sends that were begun. */
  readonly attempts: number;
  readonly nextAt: UnixSeconds;
  /** An earlier owner began to send it and did not live to see what became of it. */
  readonly begun: boolean;
  /** Why it can no longer be delivered: its event was cleaned away. */
  readonly lost: boolean;
}

/** What the deliverer needs of a board. Each method is one transaction. */
export interface NotifyKernel {
  /** Platforms for which something is owed. */
  owedRoutes(board: BoardSlug): Promise<readonly NoticeRoute[]>;
  /** First message of each subscription on a platform that is connected. */
  owed(board: BoardSlug, route: NoticeRoute, reach: PlatformReach): Promise<readonly Owed[]>;
  /** Committed before the message is handed over. False: it is no longer owed. */
  handing(notice: Notice): Promise<boolean>;
  /** What became of it. `attempts`: sends that were begun, this one counted. */
  handed(notice: Notice, attempts: number, outcome: Recalled): Promise<void>;
  /** Give up what was written at this time or before and still waits. @returns how many */
  expire(board: BoardSlug, before: UnixSeconds): Promise<number>;
  /** When the oldest message that waits was written. */
  oldestOwed(board: BoardSlug): Promise<UnixSeconds | undefined>;
  /** Called right after each commit after which something may be owed. The returned function removes the listener. */
  onOwed(listener: (board: BoardSlug) => void): () => void;
}

/** Waits before the second, third, ... attempt, in seconds (board part, 13.3). */
const WAITS = [5, 30, 120, 600, 3600, 3600, 3600] as const;
const ATTEMPTS = WAITS.length + 1;
const HEADS = 500;
const FILES = 10;

const TOLD: ReadonlySet<string> = new Set(TOLD_KINDS);

export function notifyKernel(core: Core, onCommit: Waker["onCommit"]): NotifyKernel {
  const now = () => toUnix(core.clock.now());
  return {
    onOwed: (listener) =>
      onCommit((board, events) => {
        if (!core.usualKinds.has(board) || events.some(({ kind }) => TOLD.has(kind))) listener(board);
      }),
    owedRoutes: async (board) => (await (await core.reading(board))?.read(owedRoutes)) ?? [],
    owed: async (board, route, reach) =>
      (await (await core.reading(board))?.read((q) => owed(q, { board, route, reach }))) ?? [],
    oldestOwed: async (board) => {
      const store = await core.reading(board);
      if (store === undefined) return undefined;
      if (core.usualKinds.has(board)) return store.read(oldestOwed);
      const { at, own } = await store.read(async (q) => ({ at: await oldestOwed(q), own: await namesKinds(q) }));
      if (!own && (await core.reading(board)) === store) core.usualKinds.found(board);
      return at;
    },
    handing: async (notice) => {
      const at = now();
      const store = await core.reading(notice.board);
      return store === undefined ? false : store.write("notify.handing", (tx) => beginDelivery(tx, rowOf(notice), at));
    },
    handed: async (notice, attempts, outcome) => {
      const at = now();
      const store = await core.reading(notice.board);
      await store?.write("notify.handed", (tx) => endDelivery(tx, rowOf(notice), endingOf(outcome, attempts, at), at));
    },
    expire: async (board, before) => {
      const at = now();
      const store = await core.reading(board);
      return store === undefined ? 0 : store.write("notify.expire", (tx) => expireDeliveries(tx, before, at));
    },
  };
}

const rowOf = (notice: Notice) => ({ subscription_id: notice.subscription, event_id: notice.event });

/** The state of a row after its hand-over. A message that never arrived has not used up an attempt. */
function endingOf(outcome: Recalled, attempts: number, now: UnixSeconds): Ending {
  const row = { attempts, next_at: now, message: null, error: null };
  switch (outcome.result) {
    case "accepted":
      return { ...row, state: "sent", message: outcome.message_id };
    case "unknown":
      return { ...row, state: "uncertain", error: outcome.error };
    case "never":
      return { ...row, state: "pending", attempts: Math.max(0, attempts - 1) };
    default: {
      if (attempts >= ATTEMPTS) return { ...row, state: "failed", error: outcome.error };
      const next_at = Math.max(now + (WAITS[attempts - 1] ?? 3600), outcome.retry_at ?? 0);
      return { ...row, state: "pending", next_at, error: outcome.error };
    }
  }
}

interface Asked {
  readonly board: BoardSlug;
  readonly route: NoticeRoute;
  readonly reach: PlatformReach;
}

async function owed(q: Query, asked: Asked): Promise<Owed[]> {
  const found: Owed[] = [];
  for (const row of await owedHeads(q, asked.route, HEADS)) {
    const state = {
      attempts: row.attempts,
      nextAt: row.next_at,
      begun: row.state === "sending",
      lost: row.kind === null,
    };
    found.push({ ...state, notice: await noticeOf(q, row, asked) });
  }
  return found;
}

async function noticeOf(q: Query, row: OwedRow, { board, route, reach }: Asked): Promise<Notice> {
  const payload = payloadOf(row);
  const task = row.task_id === null ? undefined : await getTask(q, row.task_id);
  const held =
    task !== undefined && row.kind === "completed" && payload["verdict"] === "rejected"
      ? await heldChildren(q, task.id)
      : 0;
  const { files, leftOut } = await filesOf(q, row, payload["artifacts"], reach);
  return {
    board,
    platform: route.platform,
    profile: route.profile,
    subscription: row.subscription_id,
    event: row.event_id,
    chat_id: row.chat_id,
    thread_id: row.thread_id,
    user_id: row.user_id,
    task: row.task_id,
    text: renderTaskNotice({ board, kind: row.kind ?? "", payload, task, held, replies: reach.replies, leftOut }),
    files,
  };
}

function payloadOf(row: OwedRow): Readonly<Record<string, unknown>> {
  return row.payload === null ? {} : JSON.parse(row.payload);
}

/** Files that were declared and stored as attachments of this task; never what a text happens to name (board part, 13.4). */
async function filesOf(q: Query, row: OwedRow, declared: unknown, reach: PlatformReach) {
  const files: NoticeFile[] = [];
  const leftOut: string[] = [];
  const ids: readonly unknown[] =
    row.kind === "completed" && row.artifacts === 1 && Array.isArray(declared) ? declared : [];
  const stored = ids.length === 0 || row.task_id === null ? [] : await attachmentsOf(q, row.task_id);
  for (const file of stored.filter(({ id }) => ids.includes(id))) {
    const { id, filename, stored_path: path, size, content_type } = file;
    if (files.length < FILES && size <= reach.fileBytes) files.push({ id, filename, path, size, content_type });
    else leftOut.push(filename);
  }
  return { files, leftOut };
}
