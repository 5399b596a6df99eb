import type { RowOf } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import { textCells } from "../draw/width.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { PANE_TRAITS, PANES, type Pane } from "../model/panes.gen.js";
import type { State } from "../model/state.js";

const SHORT_BELOW = 60;

/** Tabs of the narrow layout: a count, `●` for something live, `!` for something unseen. */
export function tabRow(state: State, width: number): RowOf {
  const short = width < SHORT_BELOW;
  const tabs = PANES.flatMap((pane, at): [number, string][] => [
    [
      state.pane === pane ? THEME.selection : THEME.dim,
      short
        ? `${at + 1}${PANE_TRAITS[pane].short}${signs(state, pane)}`
        : ` ${at + 1} ${PANE_TRAITS[pane].title}${marks(state, pane)} `,
    ],
    [THEME.text, " "],
  ]);
  return [...tabs, [THEME.dim, ` ${titleOf(state)}`]];
}

/** What the shown pane names itself, else the conversation. */
const titleOf = (state: State): string => PANE_DEFINITIONS[state.pane].heading?.(state) ?? state.session.title;

function marks(state: State, pane: Pane): string {
  const { count } = PANE_DEFINITIONS[pane].tab(state);
  return `${count === undefined ? "" : ` ${count}`}${signs(state, pane)}`;
}

function signs(state: State, pane: Pane): string {
  const { live = false, unread = false } = PANE_DEFINITIONS[pane].tab(state);
  return `${live ? "●" : ""}${unread ? "!" : ""}`;
}

/** The pane whose tab stands in this column. */
export function tabAt(state: State, column: number): Pane | undefined {
  let end = 0;
  return PANES.find((_, at) => {
    const [[, name = ""] = [], [, gap = ""] = []] = tabRow(state, state.columns).slice(2 * at, 2 * at + 2);
    const from = end;
    end += textCells(name) + textCells(gap);
    return column >= from && column < from + textCells(name);
  });
}
