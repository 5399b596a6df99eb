import type { Store } from "../../../storage/store.js";
import {
  changeSubscription,
  dropSubscription,
  listSubscriptions,
  noteLifecycle,
  putMeetingSubscription,
} from "../../../storage/tables/gateway/meeting-subscriptions.js";
import { defineService, type Service } from "../../base/async/service.js";
import { createWakeup, type Wakeup } from "../../base/async/wakeup.js";
import { AppError, toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import {
  type GraphSubscription,
  LONGEST_HOURS,
  type MeetingSubscription,
  type SubscriptionPorts,
} from "../../contracts/gateway/meetings.js";
import type { KeptSubscription } from "../../contracts/gateway/meetings-api.js";
import type { LifecycleEvent } from "./graph-notifications.js";
import { oneByOne } from "./one-by-one.js";

export interface SubscriptionDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly ports: SubscriptionPorts;
  readonly signals?: { readonly maintained?: TestSignal<readonly KeptSubscription[]> };
}

/** Subscriptions that this home keeps alive. */
export interface MeetingSubscriptions {
  /** Looks after them every hour, and as soon as the graph says that it has to. */
  readonly service: Service;
  list(): Promise<readonly MeetingSubscription[]>;
  /** What the graph has, also of others. @throws Error that says why it cannot be asked */
  atGraph(signal: AbortSignal): Promise<readonly GraphSubscription[]>;
  /** Make one, or take over the one that is there for the same. */
  subscribe(
    wanted: { readonly resource: string; readonly changeType: string; readonly url: string; readonly lasts: Ms },
    signal: AbortSignal,
  ): Promise<MeetingSubscription>;
  /** @throws E_NOT_FOUND */
  renew(id: string, signal: AbortSignal): Promise<KeptSubscription>;
  /** @throws E_NOT_FOUND */
  remove(id: string, signal: AbortSignal): Promise<void>;
  maintain(signal: AbortSignal): Promise<readonly KeptSubscription[]>;
  /** The graph said something about them; stored before this resolves. */
  told(events: readonly LifecycleEvent[]): Promise<"stored" | "busy">;
}

const HOUR: Ms = 3_600_000;
const DAY: Ms = 24 * HOUR;

export function createSubscriptions(deps: SubscriptionDeps): MeetingSubscriptions {
  const { store, clock, ports } = deps;
  const wakeup = createWakeup();
  const list = () => store.read(listSubscriptions);
  const lane = oneByOne();
  const find = async (id: string, signal: AbortSignal): Promise<MeetingSubscription> => {
    const known = (await list()).find((one) => one.id === id);
    const there = known === undefined ? (await ports.all(signal)).find((one) => one.id === id) : undefined;
    if (known !== undefined) return known;
    if (there !== undefined) return rowOf(there, clock.now());
    throw new AppError("E_NOT_FOUND", `no such subscription: ${id}`, {
      id,
      hint: "agent meetings subscriptions lists them",
    });
  };
  const maintain = (signal: AbortSignal) =>
    lane(async () => {
      const kept: KeptSubscription[] = [];
      for (const one of await list()) {
        const isDue = one.due !== 0 || one.state !== "active" || one.expires_at - clock.now() < DAY;
        kept.push(isDue ? await keep(deps, one, signal) : shown(one, "kept"));
      }
      return kept;
    });
  return {
    list,
    maintain,
    atGraph: (signal) => ports.all(signal),
    subscribe: ({ resource, changeType, url, lasts }, signal) =>
      lane(async () => {
        const made = await createOrTake(ports, { resource, changeType, url, expiresAt: clock.now() + lasts }, signal);
        const row = rowOf(made, clock.now());
        await store.write("meetings.subscribe", (tx) => putMeetingSubscription(tx, row));
        return row;
      }),
    renew: (id, signal) => lane(async () => keep(deps, await find(id, signal), signal)),
    remove: (id, signal) =>
      lane(async () => {
        await find(id, signal);
        await ports.remove(id, signal);
        await store.write("meetings.unsubscribe", (tx) => dropSubscription(tx, id));
      }),
    told: async (events) => {
      const answer = await noted(deps, events);
      wakeup.notify();
      return answer;
    },
    service: defineService("meeting-subscriptions", async (scope) =>
      scope.loop(() => hourly(deps, { wakeup, maintain, signal: scope.signal })),
    ),
  };
}

async function noted(
  { store, clock, log }: SubscriptionDeps,
  events: readonly LifecycleEvent[],
): Promise<"stored" | "busy"> {
  const now = clock.now();
  try {
    await store.write("meetings.lifecycle", async (tx) => {
      for (const { subscription, event } of events)
        await noteLifecycle(tx, subscription, event === "subscriptionRemoved" ? "removed" : "active", now);
    });
  } catch (error) {
    log.error("cannot confirm subscription notices: the store cannot be written", {
      error: toAppError(error).message,
    });
    return "busy";
  }
  for (const { subscription, event } of events) {
    if (event === "missed") log.warning("the graph reports lost notifications", { subscription });
  }
  return "stored";
}

interface Hourly {
  readonly wakeup: Wakeup;
  readonly maintain: MeetingSubscriptions["maintain"];
  readonly signal: AbortSignal;
}

async function hourly({ clock, log, signals }: SubscriptionDeps, { wakeup, maintain, signal }: Hourly): Promise<void> {
  try {
    const kept = await maintain(signal);
    signals?.maintained?.emit(kept);
  } catch (error) {
    if (!signal.aborted) log.error("failed to maintain subscriptions", { error: toAppError(error).message });
  }
  const cancel = clock.after(HOUR, () => wakeup.notify());
  try {
    await wakeup.wait(signal);
  } finally {
    cancel();
  }
}

/** Let one last a day longer, or create it again where the graph no longer has it. What fails is noted and tried again within the hour. */
async function keep(deps: SubscriptionDeps, one: MeetingSubscription, signal: AbortSignal): Promise<KeptSubscription> {
  const { ports, clock, log, store } = deps;
  const put = (row: MeetingSubscription) => store.write("meetings.keep", (tx) => changeSubscription(tx, one, row));
  const now = clock.now();
  const until = Math.min(Math.max(one.expires_at, now) + DAY, now + LONGEST_HOURS * HOUR);
  try {
    const renewed = one.state === "removed" ? "gone" : await ports.renew(one.id, until, signal);
    if (renewed !== "gone") {
      const row: MeetingSubscription = {
        ...one,
        expires_at: renewed,
        state: "active",
        due: 0,
        error: null,
        updated_at: now,
      };
      await put(row);
      return shown(row, "renewed");
    }
    const wanted = { resource: one.resource, changeType: one.change_type, url: one.notification_url, expiresAt: until };
    const row = { ...rowOf(await createOrTake(ports, wanted, signal), now), created_at: one.created_at };
    await put(row);
    log.warning("recreated a lost subscription", { before: one.id, now: row.id, resource: one.resource });
    return shown(row, "created");
  } catch (error) {
    if (signal.aborted) throw error;
    const { message } = toAppError(error);
    const state = one.state === "removed" ? "removed" : "failing";
    const row: MeetingSubscription = { ...one, state, error: message, updated_at: now };
    await put(row);
    log.error("failed to store a subscription", { id: one.id, resource: one.resource, error: message });
    return shown(row, "failed");
  }
}

/** An attempt whose answer was lost may have made it: it is taken over, so that there is one. */
async function createOrTake(
  ports: SubscriptionPorts,
  wanted: Omit<GraphSubscription, "id">,
  signal: AbortSignal,
): Promise<GraphSubscription> {
  const same = (await ports.all(signal)).find(
    ({ resource, changeType, url }) =>
      resource === wanted.resource && changeType === wanted.changeType && url === wanted.url,
  );
  if (same === undefined) return ports.create(wanted, signal);
  if (same.expiresAt >= wanted.expiresAt) return same;
  const until = await ports.renew(same.id, wanted.expiresAt, signal);
  return until === "gone" ? ports.create(wanted, signal) : { ...same, expiresAt: until };
}

const rowOf = ({ id, resource, changeType, url, expiresAt }: GraphSubscription, now: EpochMs): MeetingSubscription => ({
  id,
  resource,
  change_type: changeType,
  notification_url: url,
  expires_at: expiresAt,
  state: "active",
  due: 0,
  error: null,
  created_at: now,
  updated_at: now,
});

const shown = (
  { id, resource, expires_at, error }: MeetingSubscription,
  action: KeptSubscription["action"],
): KeptSubscription => ({
  id,
  resource,
  action,
  expires_at: new Date(expires_at).toISOString(),
  error,
});
