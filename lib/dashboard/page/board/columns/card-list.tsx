import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ColumnRow } from "../../state/board/lanes.js";
import { partInSight, scrolledTo } from "../../state/board/window.js";
import { CardItem } from "../card/card.js";
import { useView } from "../desk.js";

/** Room between cards, and the height of a card that was not drawn yet. */
const GAP = 6;
const GUESS = 86;

const keyOf = (row: ColumnRow): string => ("card" in row ? row.card : `lane ${row.lane}`);

/** The cards of a column. Only those in sight are drawn, so that a column may hold thousands. */
export function CardList({ rows, of, label }: { rows: readonly ColumnRow[]; of: number; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const heights = useRef(new Map<string, number>());
  const [sight, look] = useState({ top: 0, height: 900 });
  const heightOf = (at: number): number => {
    const row = rows[at];
    return (row && heights.current.get(keyOf(row))) ?? GUESS;
  };
  const seen = (): void => {
    const { scrollTop: top = 0, clientHeight: height = 900 } = box.current ?? {};
    look((now) => (now.top === top && now.height === height ? now : { top, height }));
  };
  useMeasured(list, heights.current, seen);
  useCursorInSight(rows, (at) => {
    const element = box.current;
    if (element) element.scrollTop = scrolledTo(at, heightOf, { top: element.scrollTop, height: element.clientHeight });
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    seen();
    const watch = new ResizeObserver(seen);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const { from, to, above, below } = partInSight(rows.length, heightOf, sight);
  return (
    <div class="card-box" ref={box} onScroll={seen}>
      <ul ref={list} aria-label={label} style={{ paddingTop: `${above}px`, paddingBottom: `${below}px` }}>
        {rows.slice(from, to).map((row) =>
          "card" in row ? (
            <CardItem key={row.card} id={row.card} at={row.at} of={of} />
          ) : (
            <li key={keyOf(row)} class="lane" data-lane={row.lane}>
              {row.lane} <span class="count">{row.count}</span>
            </li>
          ),
        )}
      </ul>
    </div>
  );
}

/** Remembers how high what is drawn is; where a guess was far off the list is laid out again. */
function useMeasured(
  list: { readonly current: HTMLUListElement | null },
  heights: Map<string, number>,
  again: () => void,
): void {
  useLayoutEffect(() => {
    for (const child of list.current?.children ?? []) {
      if (!(child instanceof HTMLElement)) continue;
      const key = child.dataset["card"] ?? `lane ${child.dataset["lane"]}`;
      heights.set(key, child.offsetHeight + GAP);
    }
    again();
  });
}

/** Scrolls when keys have moved the cursor to a card that is out of sight. */
function useCursorInSight(rows: readonly ColumnRow[], show: (row: number) => void): void {
  const moved = useView(({ focus }) => focus);
  const cursor = useView((view) => view.cursor);
  useLayoutEffect(() => {
    if (moved === 0) return;
    const at = rows.findIndex((row) => "card" in row && row.card === cursor);
    if (at >= 0) show(at);
  }, [moved]);
}
