import type { RowOf } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { truncateToWidth } from "../../draw/width.js";
import { type Binding, type Reducer, type State, showMessage, type Updated } from "../../model/state.js";
import { PALETTES } from "../../theme/palette.js";
import type { OverlayKind } from "../overlay.js";
import { listSpots } from "../spots.js";
import { windowFrom } from "../window.js";
import type { ThemesOverlay } from "./state.js";

const STORED = "themes.stored";

const inThemes =
  (change: (state: State, overlay: ThemesOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "themes" ? change(state, state.overlay) : [state, []];

const looking = (state: State, theme: string): State => ({ ...state, display: { ...state.display, theme } });

export function openThemes(state: State): Updated {
  const { theme, themes } = state.display;
  const names = [...new Set(["auto", ...Object.keys(PALETTES), ...themes.map(({ name }) => name)])];
  return [{ ...state, overlay: { kind: "themes", names, at: Math.max(0, names.indexOf(theme)), before: theme } }, []];
}

const moved = (by: number) =>
  inThemes((state, overlay) => {
    const at = Math.max(0, Math.min(overlay.names.length - 1, overlay.at + by));
    return [{ ...looking(state, overlay.names[at] ?? overlay.before), overlay: { ...overlay, at } }, []];
  });

const taken = inThemes((state, { names, at, before }) => {
  const name = names[at] ?? before;
  const next = { ...looking(state, name), overlay: undefined };
  return [next, [{ do: "call", method: "config.set", params: { key: "display.theme", value: name }, to: STORED }]];
});

const escaped = inThemes((state, { before }) => [{ ...looking(state, before), overlay: undefined }, []]);

/** A press shows a theme; on the one that is shown it uses it. */
const pressed = (to: number) => inThemes((state, { at }) => (to === at ? taken(state) : moved(to - at)(state)));

const row = (id: string, keys: readonly string[], label: string, act: Binding["act"]): Binding => ({
  id: `themes.${id}`,
  context: "themes",
  keys,
  label,
  act,
});

export const THEMES_KEYS: readonly Binding[] = [
  row("take", ["enter"], "use it", taken),
  row("up", ["up", "k", "shift+tab"], "up", moved(-1)),
  row("down", ["down", "j", "tab"], "down", moved(1)),
  row("first", ["home", "g", "pageup"], "first", moved(-1_000)),
  row("last", ["end", "G", "pagedown"], "last", moved(1_000)),
  row("back", ["escape", "ctrl+c"], "keep the current theme", escaped),
];

/** A theme that could not be stored is said; it stays for this screen. */
export const themesReducer: Reducer = (state, message) => {
  if (message.type !== "called" || message.to !== STORED) return undefined;
  return [
    message.ok ? showMessage(state, `theme ${state.display.theme}`) : showMessage(state, message.message, true),
    [],
  ];
};

const WIDTH = 40;

export const THEMES_KIND: OverlayKind<ThemesOverlay> = {
  context: "themes",
  draw: (_state, { names, at, before }, room) => {
    const width = Math.min(room.width, WIDTH);
    const from = windowFrom(names.length, room.height, at);
    const rows = names.slice(from, from + room.height).map((name, index): RowOf => {
      const marked = from + index === at;
      return [
        [
          marked ? THEME.selection : THEME.text,
          truncateToWidth(`${marked ? "›" : " "}${name === before ? "*" : " "}${name}`.padEnd(width), width),
        ],
      ];
    });
    const spots = listSpots(0, { first: from, count: rows.length }, pressed);
    return { title: "Theme", width, rows, spots, foot: "Enter uses it · Esc cancels" };
  },
};
