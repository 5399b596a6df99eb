import type { Binding, State, Updated } from "../../state.js";

const PAGE = 10;
const END = 1e6;

const scrolled =
  (by: number) =>
  (state: State): Updated => {
    const { overlay } = state;
    if (overlay?.kind !== "read") return [state, []];
    const most = Math.max(
      0,
      overlay.lines.reduce((sum, [, text]) => sum + 1 + Math.floor(text.length / 10), 0),
    );
    return [{ ...state, overlay: { ...overlay, top: Math.min(most, Math.max(0, overlay.top + by)) } }, []];
  };

const row = (name: string, keys: readonly string[], label: string, by: number): Binding => ({
  ...{ id: `read.${name}`, context: "read", keys, label },
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
