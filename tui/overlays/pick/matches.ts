import { match, pattern } from "../fuzzy.js";
import type { PickItem, PickOverlay } from "./state.js";

/** An item that the filter lets through, with the places of the letters that it found in the label. */
export interface Found {
  readonly item: PickItem;
  readonly marks: readonly number[];
}

/** What the filter finds in the label comes first, then what it finds in the detail; without a filter all in the order they came. */
export function matches({ items = [], filter }: Pick<PickOverlay, "items" | "filter">): readonly Found[] {
  const given = pattern(filter);
  if (given.words === "") return items.map((item) => ({ item, marks: [] }));
  const found = items.flatMap((item) => {
    const label = match(given, item.label);
    if (label !== undefined) return [{ item, marks: label.at, score: label.score + BY_LABEL }];
    const other = match(given, `${item.value} ${item.detail}`);
    return other === undefined ? [] : [{ item, marks: [], score: other.score }];
  });
  return found.sort((a, b) => b.score - a.score);
}

const BY_LABEL = 10_000;
