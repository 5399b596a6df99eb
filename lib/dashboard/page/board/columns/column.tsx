import { useMemo } from "preact/hooks";
import { Icon } from "../../shell/icon.js";
import type { ColumnKind } from "../../state/board/columns.js";
import { isFiltered } from "../../state/board/filter.js";
import { laneRows, plainRows } from "../../state/board/lanes.js";
import { explainRefusedMove } from "../../state/board/moves.js";
import { columnsOf } from "../../state/board/view.js";
import { useStore } from "../../state/use-store.js";
import { formatGroupedCount } from "../../words/amounts.js";
import { useBoard, useBoardState } from "../board-context.js";
import { InlineCreate } from "../create/inline-create.js";
import { useBoardController, useView } from "../desk.js";
import { CardList } from "./card-list.js";
import { MoreCards } from "./more-cards.js";

/** Columns in which a task can be made. */
const MAKES = new Set<string>(["triage", "ready", "blocked", "scheduled"]);

/** One column: its name, how many tasks it has, and its cards. */
export function Column({ kind }: { kind: ColumnKind }) {
  const { name, title, empty } = kind;
  const desk = useBoardController();
  const board = useBoard();
  const ids = useStore(desk.shown, (columns) => columns[name]);
  const total = useBoardState(({ totals }) => totals[name]);
  const filter = useView((view) => isFiltered(view.filter));
  const lanes = useView((view) => view.lanes && name === "running");
  const creating = useView((view) => view.creating === name);
  const drop = useDrop(name);
  // Who works a card is part of a lane, so lanes follow the cards; plain rows follow the ids alone.
  const cards = useBoardState((state) => (lanes ? state.cards : board));
  const rows = useMemo(() => (lanes ? laneRows(ids, board.state.get().cards) : plainRows(ids)), [ids, lanes, cards]);
  const others = useBoardState(({ totals }) => columnsOf({ archived: true }).some((other) => totals[other.name] > 0));
  // An empty column gives its room to the others; where all are empty each says what it is for.
  const narrow = others && total === 0 && rows.length === 0 && !creating;
  const count = filter
    ? `${formatGroupedCount(ids.length)} of ${formatGroupedCount(total)}`
    : formatGroupedCount(total);
  return (
    <section
      class={`column${narrow ? " column-narrow" : ""}${drop}`}
      aria-labelledby={`column-${name}`}
      data-drop={name}
      {...(narrow && { title: empty, tabIndex: 0 })}
    >
      <header class="column-head">
        <span class={`status-dot status-${name}`} aria-hidden="true" />
        <h2 id={`column-${name}`}>
          {title} <span class="count">{count}</span>
        </h2>
        <span class="grow" />
        {MAKES.has(name) && (
          <button
            type="button"
            class="icon-button"
            aria-label={`New task in ${title}`}
            title="New task (c)"
            onClick={() => desk.view.update((now) => ({ ...now, creating: name }))}
          >
            <Icon name="plus" />
          </button>
        )}
      </header>
      {creating && <InlineCreate column={name} />}
      {rows.length === 0 && !creating && !narrow && (
        <p class="column-empty">{filter ? "No task matches the filter." : empty}</p>
      )}
      {!narrow && <CardList rows={rows} of={ids.length} label={`${title} tasks`} />}
      <MoreCards name={name} />
    </section>
  );
}

/** How the column looks while cards hang on the pointer. */
function useDrop(name: ColumnKind["name"]): string {
  const { drag, board } = useBoardController();
  return useStore(drag, (now) => {
    if (now === undefined) return "";
    const { cards } = board.state.get();
    const fits = now.ids.some((id) => {
      const card = cards.get(id);
      return card !== undefined && explainRefusedMove(card, name) === undefined;
    });
    return fits ? ` drop-fits${now.over === name ? " drop-over" : ""}` : " drop-not";
  });
}
