import type { SegmentItem } from "../../contracts/chat/compact.js";
import type { Cut } from "./cut.js";
import { type ConversationHistory, type Item, sumTokens } from "./history.js";
import { oldPicturesRemoved } from "./old-pictures.js";
import { callsOf, pruned, withoutDuplicates } from "./prune.js";
import { summaryText } from "./summary-text.js";

/** A conversation taken apart: what stays, and what its summary stands for. */
export interface HistoryParts {
  readonly head: readonly Item[];
  /** Messages of the middle that stay, and the newest messages. */
  readonly kept: readonly Item[];
  readonly middle: readonly Item[];
}

/** Take it apart at the cut. Results that repeat, or are long and old, are shortened without a model; the middle keeps its whole texts. */
export function splitHistory({ items }: ConversationHistory, { head, tail, pinned }: Cut): HistoryParts {
  const single = withoutDuplicates(items);
  const callOf = callsOf(items);
  const middle = single.slice(head, tail).filter((_, at) => !pinned.includes(at + head));
  const withoutOld = oldPicturesRemoved(items, tail);
  const pins = pinned.flatMap((at) => single[at] ?? []).map(withoutCalls);
  return {
    head: single.slice(0, head).map((item) => withoutOld(pruned(item, callOf))),
    kept: [...pins, ...single.slice(tail)].map(withoutOld),
    middle,
  };
}

/** A message that is kept without the results of its calls calls nothing. */
const withoutCalls = (item: Item): Item =>
  item.toolCalls.length === 0 ? item : { ...item, toolCalls: [], changed: { ...item.changed, toolCalls: true } };

export interface Assembled {
  readonly items: readonly SegmentItem[];
  /** Rough tokens of them. */
  readonly tokens: number;
  readonly messages: number;
}

/** What the new segment begins with: head, summary, what is kept, and the note on what goes on (core part, 8.3, steps 6 to 8). */
export function assembleSegment(parts: HistoryParts, summary: string, note: string): Assembled {
  const text = summaryText(summary);
  const role = summaryRole(parts.head.at(-1)?.role, parts.kept[0]?.role);
  const [first, ...rest] = parts.kept;
  const merged = role === undefined && first !== undefined;
  const kept = merged
    ? [
        { ...first, content: `${text}\n\n${first.content}`, changed: { ...first.changed, content: true as const } },
        ...rest,
      ]
    : parts.kept;
  const items: SegmentItem[] = [
    ...parts.head.map(toSegmentItem),
    ...(merged ? [] : [{ role: role ?? "user", content: text, kind: "summary" } as const]),
    ...kept.map((item, at) =>
      merged && at === 0 ? { ...toSegmentItem(item), kind: "summary" as const } : toSegmentItem(item),
    ),
    ...(note === "" ? [] : [{ role: "user", content: note, kind: "note" } as const]),
  ];
  const tokens = sumTokens([...parts.head, ...kept, { content: merged ? "" : text }, { content: note }]);
  return { items, tokens, messages: items.length };
}

/** The same without a summary: nothing was taken out. */
export function unsummarised(kept: readonly Item[], note: string): Assembled {
  const noted = note === "" ? [] : [{ role: "user", content: note, kind: "note" } as const];
  const items = [...kept.map(toSegmentItem), ...noted];
  return { items, tokens: sumTokens([...kept, { content: note }]), messages: items.length };
}

/** The role that makes no equal neighbours; undefined when each would. */
function summaryRole(
  before: Item["role"] | undefined,
  after: Item["role"] | undefined,
): "user" | "assistant" | undefined {
  const wanted = before === "assistant" || before === "tool" || before === undefined ? "user" : "assistant";
  if (wanted !== after) return wanted;
  const other = wanted === "user" ? "assistant" : "user";
  return other === before || other === after ? undefined : other;
}

function toSegmentItem({ id, content, toolCalls, pictures = [], unsentPictures = [], changed }: Item): SegmentItem {
  return {
    id,
    ...(changed.content ? { content } : {}),
    ...(changed.toolCalls ? { toolCalls } : {}),
    ...(changed.pictures ? { pictures: [...pictures, ...unsentPictures] } : {}),
  };
}
