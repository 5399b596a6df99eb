import type { Binding, State, Updated } from "../../state.js";

const PAGE = 10;

const scrolled =
  (by: number) =>
  (state: State): Updated => {
    const { overlay } = state;
    if (overlay?.kind !== "help") return [state, []];
    return [{ ...state, overlay: { ...overlay, top: Math.max(0, overlay.top + by) } }, []];
  };

export const HELP_KEYS: readonly Binding[] = [
  { id: "help.up", context: "help", keys: ["up", "k"], label: "up", act: scrolled(-1) },
  { id: "help.down", context: "help", keys: ["down", "j"], label: "down", act: scrolled(1) },
  { id: "help.pageUp", context: "help", keys: ["pageup"], label: "page up", act: scrolled(-PAGE) },
  { id: "help.pageDown", context: "help", keys: ["pagedown"], label: "page down", act: scrolled(PAGE) },
  { id: "help.close", context: "help", keys: ["f1", "?"], label: "close", act: (state) => [{ ...state, overlay: undefined }, []] },
];
