import { AppError, fromWireError, toAppError } from "../base/errors.js";
import type { SubFrame, Subscribed, WireEvent } from "../contracts/wire/wire.js";
import type { Link } from "./link.js";

/** What a subscription brings: events in order, or the news that the cursor was useless and the state must be read afresh. */
export type SubItem =
  | { readonly kind: "events"; readonly events: readonly WireEvent[] }
  | { readonly kind: "reset"; readonly lastSeq: number };

export interface SubscribeOptions {
  /** Cursor: the last seq the caller has. Absent: from now on. */
  readonly after?: number | undefined;
  readonly signal: AbortSignal;
  /** Called once the owner sends every event after this seq, so that what the caller does next is seen. Again after a lost connection. */
  readonly onBegin?: ((after: number) => void) | undefined;
}

/** Gives links, one after the other. */
export interface LinkSource {
  /** The link that works now; waits for one when it may. @throws E_OWNER_LOST when there will be none, the signal's reason on abort */
  link(signal?: AbortSignal): Promise<Link>;
  /** A lost link is replaced. */
  readonly lasting: boolean;
}

/** Frames that wait for a slow consumer. Above, the subscription is given up and taken again from the cursor. */
const WAITING_MAX = 256;

/** Each event after the cursor once and in order, over lost and new links alike. Ends on abort. */
export async function* subscribeOver(
  source: LinkSource,
  store: string,
  options: SubscribeOptions,
): AsyncGenerator<SubItem> {
  const { signal } = options;
  let cursor = options.after;
  while (!signal.aborted) {
    const link = await linkFor(source, signal);
    if (link === undefined) return;
    try {
      const asked = cursor === undefined ? { store } : { store, after_seq: cursor };
      const collected = await collect(link, asked, signal);
      cursor = collected.after;
      options.onBegin?.(cursor);
      for await (const item of frames(link, collected, signal)) {
        const fresh = newer(item, cursor);
        if (fresh === undefined) continue;
        cursor = lastOf(fresh, cursor);
        yield fresh;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!source.lasting || toAppError(error).code !== "E_OWNER_LOST") throw error;
    }
  }
}

/** The next link; undefined when the subscription was ended meanwhile. That there will be none is thrown. */
async function linkFor(source: LinkSource, signal: AbortSignal): Promise<Link | undefined> {
  try {
    return await source.link(signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function newer(item: SubItem, cursor: number): SubItem | undefined {
  if (item.kind === "reset") return item;
  const events = item.events.filter((event) => event.seq !== undefined && event.seq > cursor);
  return events.length === 0 ? undefined : { kind: "events", events };
}

function lastOf(item: SubItem, cursor: number): number {
  return item.kind === "reset" ? item.lastSeq : (item.events.at(-1)?.seq ?? cursor);
}

function subscribedOf(result: unknown): Subscribed {
  const given = typeof result === "object" && result !== null ? (result as Partial<Subscribed>) : {}; // both fields are looked at below
  if (typeof given.sub !== "number" || typeof given.after_seq !== "number")
    throw new AppError("E_OWNER", "invalid response of the owner to a subscription");
  return { sub: given.sub, after_seq: given.after_seq };
}

interface Collected {
  readonly sub: number;
  readonly after: number;
  readonly waiting: SubFrame[];
  /** More came than may wait; nothing is collected any more. */
  full: boolean;
  wake: () => void;
  forget(): void;
}

/** Subscribe, and collect the frames from the first one on. */
async function collect(link: Link, asked: object, signal: AbortSignal): Promise<Collected> {
  let collected: Collected | undefined;
  const onResult = (result: unknown) => {
    const { sub, after_seq } = subscribedOf(result);
    const mine: Collected = {
      sub,
      after: after_seq,
      waiting: [],
      full: false,
      wake: () => undefined,
      forget: () => undefined,
    };
    mine.forget = link.onSub(sub, (frame) => {
      if (mine.waiting.length >= WAITING_MAX) mine.full = true;
      if (!mine.full) mine.waiting.push(frame);
      mine.wake();
    });
    collected = mine;
  };
  const result = await link.request("events.subscribe", asked, { signal, onResult });
  if (!collected)
    throw new AppError("E_OWNER", `invalid response of the owner to a subscription: ${JSON.stringify(result)}`);
  return collected;
}

/** Items of one subscription on one link. Ends on abort and when too much waited; throws when the link is lost. */
async function* frames(link: Link, own: Collected, signal: AbortSignal): AsyncGenerator<SubItem> {
  const stir = () => own.wake();
  const unclose = link.onClose(stir);
  signal.addEventListener("abort", stir, { once: true });
  try {
    while (!signal.aborted) {
      const frame = own.waiting.shift();
      if (frame) yield toItem(frame);
      else if (own.full) return;
      else if (!link.open) throw new AppError("E_OWNER_LOST", "the owner exited while its events were followed");
      else await new Promise<void>((resolve) => (own.wake = resolve));
    }
  } finally {
    own.forget();
    unclose();
    signal.removeEventListener("abort", stir);
    if (link.open) link.request("events.unsubscribe", { sub: own.sub }).catch(() => undefined); // a lost link has no subscriptions either
  }
}

function toItem(frame: SubFrame): SubItem {
  if ("events" in frame) return { kind: "events", events: frame.events };
  if ("reset" in frame) return { kind: "reset", lastSeq: frame.reset.last_seq };
  throw fromWireError(frame.ended);
}
