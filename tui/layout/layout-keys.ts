import type { Binding } from "../model/state.js";
import { moveBorder } from "./layout-split.js";

const WAYS = ["left", "right", "up", "down"] as const;

/** Sizes of the four panes. */
export const LAYOUT_KEYS: readonly Binding[] = WAYS.map((way) => ({
  id: `layout.${way}`,
  context: "everywhere",
  keys: [`ctrl+alt+${way}`],
  label: `move the border ${way}`,
  act: (state) => moveBorder(state, way),
}));
