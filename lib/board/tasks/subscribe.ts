import type { Tx } from "../../../storage/store.js";
import {
  deliveriesOf,
  dropSubscription,
  type Place,
  putSubscription,
  subscriptionAt,
  subscriptionsOf,
  type Wish,
} from "../../../storage/tables/board/subscriptions.js";
import { AppError, assert } from "../../base/errors.js";
import { type BoardSlug, type EpochMs, type TaskId, toUnix } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import { type ChatPlace, EVENT_KINDS, type NotifyApi, type Subscribing } from "../../contracts/board/notify.js";
import { type Core, mustTask, toStamp } from "../core/core.js";

/** The verbs about subscriptions (board part, 13.2). */
export function notifyVerbs(core: Core): NotifyApi {
  return {
    subscribe: (board, params, by) => subscribe(core, board, params, by),
    subscriptions: async (board, task) =>
      (await (await core.reading(board))?.read((q) => subscriptionsOf(q, task))) ?? [],
    unsubscribe: (board, params, by) => unsubscribe(core, board, params, by),
    deliveries: async (board, subscription) =>
      (await (await core.reading(board))?.read((q) => deliveriesOf(q, subscription))) ?? [],
  };
}

async function subscribe(
  core: Core,
  board: BoardSlug,
  params: Subscribing,
  by: Actor,
): ReturnType<NotifyApi["subscribe"]> {
  refuseWorker(by);
  const place = placeOf(params);
  const wish = wishOf(params);
  const store = place.task_id === null ? await core.making(board) : await core.store(board, place.task_id);
  const { at } = toStamp(core, by);
  if (wish.kinds !== null) core.usualKinds.widen(board);
  return store.write("board.subscribe", async (tx) => {
    const warnings = place.task_id === null ? [] : overWarnings(await mustTask(tx, place.task_id));
    const created = await putSubscription(tx, place, wish, toUnix(at));
    const subscription = await subscriptionAt(tx, place);
    assert(subscription !== undefined, "a subscription that was just written is there");
    return { subscription, created, warnings };
  });
}

const overWarnings = ({
  id,
  status,
  verdict,
}: {
  id: TaskId;
  status: string;
  verdict: string | null;
}): readonly string[] =>
  status === "archived" || (status === "done" && verdict !== "rejected")
    ? [`${id} is already ${status}; the chat is only notified if it is reopened`]
    : [];

async function unsubscribe(
  core: Core,
  board: BoardSlug,
  params: ChatPlace & Pick<Subscribing, "task" | "tenant">,
  by: Actor,
): Promise<boolean> {
  refuseWorker(by);
  const place = placeOf(params);
  const store = await core.reading(board);
  return store === undefined ? false : store.write("board.unsubscribe", (tx) => dropSubscription(tx, place));
}

/** Subscribe the chat that a task was made from, in the transaction that makes it: no event of the task is missed. */
export async function subscribeMaker(
  tx: Tx,
  task: TaskId,
  chat: ChatPlace & { readonly user_id?: string | undefined },
  at: EpochMs,
) {
  await putSubscription(tx, placeOf({ ...chat, task }), wishOf(chat), toUnix(at));
}

function refuseWorker(by: Actor): void {
  if (by.kind === "worker") throw new AppError("E_NOT_OWNER", "a worker may not change subscriptions");
}

function placeOf(params: ChatPlace & Pick<Subscribing, "task" | "tenant">): Place {
  const platform = params.platform.trim().toLowerCase();
  if (!/^[a-z0-9][a-z0-9_-]{0,31}$/.test(platform)) {
    throw new AppError("E_USAGE", `unknown platform '${params.platform}'`);
  }
  const tenant = params.tenant?.trim() || null;
  if (params.task !== undefined && tenant !== null) throw new AppError("E_USAGE", "a tenant requires --all-tasks");
  const chat_id = named("--chat-id", params.chat_id);
  if (chat_id === "") throw new AppError("E_USAGE", "missing --chat-id");
  return {
    task_id: params.task ?? null,
    tenant,
    platform,
    chat_id,
    thread_id: named("--thread-id", params.thread_id ?? ""),
  };
}

const ID_CHARACTERS = 256;

function named(flag: string, given: string): string {
  const text = given.trim();
  if (text.length > ID_CHARACTERS || /[\x00-\x1f\x7f]/.test(text)) {
    throw new AppError("E_USAGE", `${flag} must be at most ${ID_CHARACTERS} characters, without control characters`);
  }
  return text;
}

function wishOf(params: Pick<Subscribing, "user_id" | "notifier_profile" | "kinds" | "artifacts">): Wish {
  const kinds =
    params.kinds === undefined
      ? null
      : [...new Set(params.kinds.map((kind) => kind.trim()).filter((kind) => kind !== ""))];
  const known: readonly string[] = EVENT_KINDS;
  const unknown = kinds?.filter((kind) => !known.includes(kind)) ?? [];
  if (unknown.length > 0) throw new AppError("E_USAGE", `--kinds: unknown event kind: ${unknown.join(", ")}`);
  if (kinds?.length === 0) throw new AppError("E_USAGE", "--kinds requires at least one event kind");
  return {
    user_id: named("--user-id", params.user_id ?? "") || null,
    notifier_profile: named("--notifier-profile", params.notifier_profile ?? "") || null,
    kinds,
    artifacts: params.artifacts ?? true,
  };
}
