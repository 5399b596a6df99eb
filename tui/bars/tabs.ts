import type { RowOf } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import { textCells } from "../draw/width.js";
import { PANE_KINDS } from "../model/panes.js";
import { PANES, type Pane, type State } from "../model/state.js";

const SHORT: Readonly<Record<Pane, string>> = { chat: "chat", board: "brd", runs: "run", logs: "log" };
const SHORT_BELOW = 60;

/** Tabs of the narrow layout: a count, `●` for something live, `!` for what nobody has seen. */
export function tabRow(state: State, width: number): RowOf {
  const short = width < SHORT_BELOW;
  const tabs = PANES.flatMap((pane, at): [number, string][] => [
    [
      state.pane === pane ? THEME.selection : THEME.dim,
      short ? `${at + 1}${SHORT[pane]}${signs(state, pane)}` : ` ${at + 1} ${pane}${marks(state, pane)} `,
    ],
    [THEME.text, " "],
  ]);
  return [...tabs, [THEME.dim, ` ${titleOf(state)}`]];
}

/** A run that is open names itself: its conversation is that of a worker or a child, to be read only. */
const titleOf = (state: State): string =>
  state.pane === "runs" && state.runs.opened !== undefined ? PANE_KINDS.runs.subject(state) : state.session.title;

function marks(state: State, pane: Pane): string {
  const { count } = PANE_KINDS[pane].tab(state);
  return `${count === undefined ? "" : ` ${count}`}${signs(state, pane)}`;
}

function signs(state: State, pane: Pane): string {
  const { live = false, unread = false } = PANE_KINDS[pane].tab(state);
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
