import type { ScreenChange } from "../../lib/contracts/chat/slash.js";
import type { Split } from "../app/display.js";
import { PANE_TRAITS, PANES, type Pane } from "../model/panes.gen.js";
import { type Binding, type State, showMessage, type Updated } from "../model/state.js";

const STEP = 5;
const LEAST = 10;

/** It stands left, with the composer below; the others share the height at the right. */
export const MAIN_PANE: Pane = PANES[0];
const MAIN_SHARE = 50;

/** Panes at the right, from the top. */
export const SIDE_PANES: readonly Pane[] = PANES.filter((pane) => pane !== MAIN_PANE);

/** Shares in percent: the chat's of the width, a side pane's of the height. Panes without one divide the rest. */
type Shares = ReadonlyMap<Pane, number>;

const DEFAULTS: Shares = new Map(
  PANES.flatMap((pane): [Pane, number][] => {
    const share = pane === MAIN_PANE ? MAIN_SHARE : PANE_TRAITS[pane].share;
    return share === undefined ? [] : [[pane, share]];
  }),
);
const SHARED_SIDE = SIDE_PANES.filter((pane) => DEFAULTS.has(pane));

/** Terminals of about one size share their sizes of panes. */
function sizeClass(columns: number): string {
  return columns < 200 ? "wide" : columns < 280 ? "wider" : "widest";
}

/** The shares that hold for a state. */
export function sharesOf({ display, columns }: Pick<State, "display" | "columns">): Shares {
  const own: Split = display.layout[sizeClass(columns)] ?? {};
  return new Map([...DEFAULTS].map(([pane, share]) => [pane, own[pane] ?? share]));
}

/** Change one border: the chat's right one, or one between panes at the right. Kept for terminals of this size. */
function moveBorder(state: State, way: "left" | "right" | "up" | "down"): Updated {
  const pane = way === "left" || way === "right" ? MAIN_PANE : bordered(state);
  if (pane === undefined) return [state, []];
  const by = way === "left" || way === "up" ? -STEP : STEP;
  return withShare(state, pane, (sharesOf(state).get(pane) ?? 0) + by);
}

/** The pane whose lower border moves: the focused one, or the next above it that has a share of its own. */
function bordered({ focus }: State): Pane | undefined {
  const at = focus === "composer" ? -1 : SIDE_PANES.indexOf(focus);
  return SIDE_PANES.slice(0, at + 1).findLast((pane) => DEFAULTS.has(pane)) ?? SHARED_SIDE[0];
}

/** What is left over keeps its least. */
function withShare(state: State, pane: Pane, percent: number): Updated {
  const shares = sharesOf(state);
  const others = pane === MAIN_PANE ? [] : SHARED_SIDE.filter((one) => one !== pane);
  const most = others.reduce((rest, one) => rest - (shares.get(one) ?? 0), 100) - LEAST;
  return kept(state, new Map(shares).set(pane, Math.min(Math.max(LEAST, percent), most)));
}

function kept(state: State, shares: Shares): Updated {
  const name = sizeClass(state.columns);
  const value: Split = Object.fromEntries(shares);
  const layout = { ...state.display.layout, [name]: value };
  const shown = [...shares].map(([pane, share]) => `${PANE_TRAITS[pane].title} ${share} %`).join(", ");
  return [
    showMessage({ ...state, display: { ...state.display, layout } }, shown),
    [{ do: "keep", key: `display.layout.${name}`, value }],
  ];
}

/** One pane's share, or the defaults of all, for terminals of this size. */
export const applyLayout = (state: State, layout: NonNullable<ScreenChange["layout"]>): Updated =>
  layout === "reset" ? kept(state, DEFAULTS) : withShare(state, layout.pane, layout.percent);

const WAYS = ["left", "right", "up", "down"] as const;

/** Sizes of the four panes. */
export const LAYOUT_KEYS: readonly Binding[] = WAYS.map((way) => ({
  id: `layout.${way}`,
  context: "everywhere",
  keys: [`ctrl+alt+${way}`],
  label: `move the border ${way}`,
  act: (state) => moveBorder(state, way),
}));
