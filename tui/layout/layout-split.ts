import type { ScreenChange } from "../../lib/contracts/chat/slash.js";
import type { Split } from "../app/display.js";
import { type State, say, type Updated } from "../model/state.js";

const STEP = 5;
const LEAST = 10;

/** As the panes come: chat of the width, the others of the height at the right. */
const SPLIT: Required<Split> = { chat: 50, board: 45, runs: 30 };

/** Terminals of about one size share their sizes of panes. */
function sizeClass(columns: number): string {
  return columns < 200 ? "wide" : columns < 280 ? "wider" : "widest";
}

/** The sizes that hold for a state. */
export const splitOf = ({ display, columns }: Pick<State, "display" | "columns">): Required<Split> => ({
  ...SPLIT,
  ...display.layout[sizeClass(columns)],
});

/** Change one border: the chat's right one, or that under the board or the runs. Kept for terminals of this size. */
export function resized(state: State, way: "left" | "right" | "up" | "down"): Updated {
  const split = splitOf(state);
  const by = way === "left" || way === "up" ? -STEP : STEP;
  if (way === "left" || way === "right") return kept(state, { ...split, chat: bounded(split.chat + by, 100) });
  if (state.focus === "logs" || state.focus === "runs")
    return kept(state, { ...split, runs: bounded(split.runs + by, 100 - split.board) });
  return kept(state, { ...split, board: bounded(split.board + by, 100 - split.runs) });
}

/** What is left over keeps its least. */
const bounded = (share: number, whole: number): number => Math.min(Math.max(LEAST, share), whole - LEAST);

function kept(state: State, split: Required<Split>): Updated {
  const name = sizeClass(state.columns);
  const layout = { ...state.display.layout, [name]: split };
  const shown = `chat ${split.chat} %, board ${split.board} %, runs ${split.runs} %`;
  return [
    say({ ...state, display: { ...state.display, layout } }, shown),
    [{ do: "keep", key: `display.layout.${name}`, value: split }],
  ];
}

/** One pane's share, or all of them as they come, for terminals of this size. */
export function laidOut(state: State, layout: NonNullable<ScreenChange["layout"]>): Updated {
  const split = splitOf(state);
  if (layout === "reset") return kept(state, SPLIT);
  const { pane, percent } = layout;
  const whole = pane === "chat" ? 100 : 100 - (pane === "board" ? split.runs : split.board);
  return kept(state, { ...split, [pane]: bounded(percent, whole) });
}
