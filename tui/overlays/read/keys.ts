import type { Binding, State, Updated } from "../../model/state.js";
import { roomOf } from "../overlay-size.js";
import { readRows } from "./rows.js";

const PAGE = 10;
const END = 1e6;

/** `by` rows further, at most to the end. */
export const scrolled =
  (by: number) =>
  (state: State): Updated => {
    const { overlay } = state;
    if (overlay?.kind !== "read") return [state, []];
    const { width, height } = roomOf(state);
    const last = Math.max(0, readRows(overlay, width).length - height);
    const top = Math.max(0, Math.min(last, Math.min(overlay.top, last) + by));
    return [{ ...state, overlay: { ...overlay, top } }, []];
  };

const row = (name: string, keys: readonly string[], label: string, by: number): Binding => ({
  id: `read.${name}`,
  context: "read",
  keys,
  label,
  act: scrolled(by),
});

export const READ_KEYS: readonly Binding[] = [
  row("up", ["up", "k"], "up", -1),
  row("down", ["down", "j"], "down", 1),
  row("pageUp", ["pageup", "ctrl+u"], "page up", -PAGE),
  row("pageDown", ["pagedown", "ctrl+d", "space", " "], "page down", PAGE),
  row("first", ["home", "g"], "first", -END),
  row("last", ["end", "G"], "last", END),
];
