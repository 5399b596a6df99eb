import { type Item, itemTokens } from "./history.js";
import type { Numbers } from "./numbers.js";

/** Where a conversation is cut: indexes into its items. What is neither head, pinned nor tail is summarised. */
export interface Cut {
  /** The head ends before it. */
  readonly head: number;
  /** The tail begins here. */
  readonly tail: number;
  /** Messages of the middle that are kept anyway, in order. */
  readonly pinned: readonly number[];
}

export interface CutWish extends Pick<Numbers, "first" | "last" | "tailBudget"> {
  /** What one roughly estimated token is in the provider's count. */
  readonly scale: number;
  /** Keep exactly so many of the newest exchanges instead. */
  readonly exchanges?: number;
  /** Earlier attempts for the same request: each one keeps less. */
  readonly pass?: number;
}

/** The tail may pass its budget by so much before it ends. */
const OVER = 1.5;
/** Newest messages that are kept however large they are. */
const FLOOR = 8;
/** Below the head there have to be so many messages (core part, 8.3, step 1). */
const BELOW_HEAD = 4;

/**
 * Decide what of a conversation is kept as it is. The cut never parts a call from its results, and the newest user message and the newest
 * text of the assistant are kept. Undefined: there is nothing to summarise.
 */
export function cutOf(items: readonly Item[], wish: CutWish): Cut | undefined {
  const head = pastResults(items, Math.min(wish.first, items.length));
  if (items.length < head + BELOW_HEAD) return undefined;
  const wanted = wish.exchanges === undefined ? tailStart(items, head, wish) : exchangesStart(items, wish.exchanges);
  const tail = wholeCalls(items, wanted, head);
  if (tail <= head) return undefined;
  const pinned = [newest(items, "user"), newest(items, "assistant")]
    .filter((at) => at !== undefined)
    .filter((at) => at >= head && at < tail)
    .toSorted((a, b) => a - b);
  return tail - head - pinned.length < 1 ? undefined : { head, tail, pinned };
}

function tailStart(items: readonly Item[], head: number, { last, tailBudget, scale, pass = 0 }: CutWish): number {
  const most = Math.max(2, last >> pass);
  const floor = floorOf(items.length - head, Math.max(2, Math.min(last, FLOOR) >> pass));
  const budget = (tailBudget * OVER) / 2 ** pass;
  let start = items.length;
  let tokens = 0;
  while (start > head) {
    const item = items[start - 1];
    if (item === undefined) break;
    const kept = items.length - start;
    tokens += itemTokens(item) * scale;
    if (kept >= most || (kept >= floor && tokens > budget)) break;
    start -= 1;
  }
  // Everything fits, and still it was found too large: the older half goes.
  return start > head ? start : items.length - Math.min(most, floorOf(items.length - head, Number.MAX_SAFE_INTEGER));
}

/** A short conversation keeps no more than half of what stands below its head, or there would be nothing to summarise. */
const floorOf = (below: number, floor: number): number => (below > floor ? floor : Math.ceil(below / 2));

/** The place of the user message that begins the last `count` exchanges. */
function exchangesStart(items: readonly Item[], count: number): number {
  let left = count;
  for (let at = items.length - 1; at >= 0; at--) {
    if (items[at]?.role === "user") left -= 1;
    if (left <= 0) return at;
  }
  return 0;
}

function pastResults(items: readonly Item[], from: number): number {
  let at = from;
  while (items[at]?.role === "tool") at += 1;
  return at;
}

/** A tail does not begin with a result: it takes in the message of its call, or leaves the results out when that stands in the head. */
function wholeCalls(items: readonly Item[], from: number, head: number): number {
  let at = from;
  while (at > head && items[at]?.role === "tool") at -= 1;
  return at > head ? at : pastResults(items, from);
}

function newest(items: readonly Item[], role: "user" | "assistant"): number | undefined {
  const at = items.findLastIndex((item) => item.role === role && item.content.trim() !== "");
  return at < 0 ? undefined : at;
}
