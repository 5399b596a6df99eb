import type { Store } from "../../../storage/store.js";
import { sendsWith } from "../../../storage/tables/gateway/outbox.js";
import { type DeliveryRow, setDelivery } from "../../../storage/tables/gateway/webhooks.js";
import { aborted } from "../../base/async/aborted.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { HookReply } from "../../contracts/gateway/listen.js";
import type { OutboxRow, SendTarget } from "../../contracts/gateway/outbox.js";
import type { WebhookRoute } from "../../contracts/gateway/webhooks.js";
import type { Outbox } from "../outbox/outbox.js";
import { toMessageParts } from "../text/message-parts.js";
import type { Delivering } from "./webhook-target.js";

/** How long the result of a send is waited for. */
const RESULT_MS: Ms = 10_000;

export interface NowDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly outbox: Pick<Outbox, "insert" | "retry" | "drop" | "onEnd">;
  /** The platform can send now. */
  readonly connected: (target: SendTarget) => boolean;
  readonly resendUnknown: () => boolean;
  /** Post a comment to a pull request. @throws Error */
  readonly comment: (to: { readonly repo: string; readonly number: string }, text: string) => Promise<void>;
}

interface Delivery {
  readonly route: WebhookRoute;
  readonly delivery: DeliveryRow;
  readonly where: Delivering;
  readonly text: string;
}

/** Send what a delivery says, and answer when it is known what became of it (gateway part, 18.5). */
export async function deliverNow(deps: NowDeps, given: Delivery): Promise<HookReply> {
  const { where, delivery } = given;
  const failed: HookReply = {
    status: 502,
    json: { status: "error", error: "Delivery failed", delivery_id: delivery.delivery_id },
  };
  if (where.to === "log" || given.text.trim() === "") return failed;
  if (where.to === "comment") return commented(deps, given, where, failed);
  const key = `webhook:${delivery.route}:${delivery.delivery_id}:${delivery.first_at}:`;
  const before = await deps.store.read((q) => sendsWith(q, key));
  const early = before.length === 0 ? undefined : await judged(deps, given, before);
  if (early !== undefined) return early;
  if (!deps.connected(where.target)) return failed;
  await put(deps, { ...given, target: where.target, key }, before);
  const rows = await settled(deps, key);
  return (await ended(deps, { ...given, name: where.name }, rows)) ?? failed;
}

/** The answer to a repetition, by what became of the rows of the times before; undefined: it is sent (again). */
async function judged(
  deps: NowDeps,
  { delivery }: Delivery,
  rows: readonly OutboxRow[],
): Promise<HookReply | undefined> {
  const id = delivery.delivery_id;
  if (rows.some(({ state }) => state === "pending" || state === "sending"))
    return { status: 409, json: { status: "in_progress" } };
  if (rows.every(({ state }) => state === "sent")) {
    await deps.store.write("webhook.sent", (tx) => setDelivery(tx, delivery, "finished"));
    return { status: 200, json: { status: "duplicate", delivery_id: id } };
  }
  const doubtful = rows.some(({ state }) => state === "unknown");
  return doubtful && !deps.resendUnknown() ? { status: 200, json: { status: "unknown", delivery_id: id } } : undefined;
}

async function put(
  { outbox }: NowDeps,
  { target, key, text }: Delivery & { readonly target: SendTarget; readonly key: string },
  before: readonly OutboxRow[],
): Promise<void> {
  if (before.length > 0) {
    for (const row of before) if (row.state !== "sent") await outbox.retry(row.id);
    return;
  }
  const parts = toMessageParts(target.platform, text, { format: "markdown", asked: false });
  await outbox.insert(parts.map(({ payload }, at) => ({ kind: "webhook", target, payload, sourceKey: `${key}${at}` })));
}

/** The rows when none of them is underway any more, or the time is over. */
async function settled({ store, clock, outbox }: NowDeps, key: string): Promise<readonly OutboxRow[]> {
  const over = new AbortController();
  const cancel = clock.after(RESULT_MS, () => over.abort());
  let wake: () => void = () => undefined;
  const end = outbox.onEnd(() => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const rows = await store.read((q) => sendsWith(q, key));
      if (over.signal.aborted || rows.every(({ state }) => state !== "pending" && state !== "sending")) return rows;
      if (rows.some(({ state }) => state === "failed" || state === "unknown")) return rows;
      await Promise.race([changed, aborted(over.signal)]);
    }
  } finally {
    end();
    cancel();
  }
}

/** Undefined: it failed for certain. What waits is closed; what is being sent at this moment is left, and its outcome counts for a repetition. */
async function ended(
  deps: NowDeps,
  given: Delivery & { readonly name: string },
  rows: readonly OutboxRow[],
): Promise<HookReply | undefined> {
  const { delivery, route, name } = given;
  if (rows.every(({ state }) => state === "sent")) {
    await deps.store.write("webhook.sent", (tx) => setDelivery(tx, delivery, "finished"));
    return {
      status: 200,
      json: { status: "delivered", route: route.name, target: name, delivery_id: delivery.delivery_id },
    };
  }
  for (const row of rows) if (row.state === "pending") await deps.outbox.drop(row.id).catch(() => undefined); // it began meanwhile
  if (rows.some(({ state }) => state === "unknown"))
    await deps.store.write("webhook.unknown", (tx) => setDelivery(tx, delivery, "unknown"));
  return undefined;
}

async function commented(
  deps: NowDeps,
  { route, delivery, text }: Delivery,
  where: Extract<Delivering, { readonly to: "comment" }>,
  failed: HookReply,
): Promise<HookReply> {
  try {
    await deps.comment(where, text);
  } catch {
    return failed; // the log says why
  }
  await deps.store.write("webhook.sent", (tx) => setDelivery(tx, delivery, "finished"));
  const target = `github_comment:${where.repo}#${where.number}`;
  return { status: 200, json: { status: "delivered", route: route.name, target, delivery_id: delivery.delivery_id } };
}
