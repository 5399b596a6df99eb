import type { ScreenChange } from "../../lib/contracts/chat/slash.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { applyLayout } from "../layout/layout-split.js";
import { focusOn } from "../model/focus.js";
import { type Reducer, type State, showMessage, type Updated } from "../model/state.js";
import { handleMouse } from "../mouse/update.js";
import { isDark } from "../theme/colour.js";
import { chooseTheme } from "../theme/own.js";
import type { PictureProtocol } from "./picture-bytes.js";

/** The terminal itself: what it answers, whether the user looks, the mouse, and the settings of screens. */
export const terminalReducer: Reducer = (state, message) => {
  switch (message.type) {
    case "reply":
      return [withPictures({ ...state, terminal: { ...state.terminal, ...answered(message.text, state) } }), []];
    case "tmux.pictures":
      return [withPictures({ ...state, terminal: { ...state.terminal, throughTmux: "placeholders" } }), []];
    case "focus":
      return [{ ...state, terminal: { ...state.terminal, focused: message.focused } }, []];
    case "mouse":
      return handleMouse(state, message);
    case "display":
      return [withDisplay(state, message.display), []];
    case "theme":
      return themed(state, message.name, message.keep);
    case "next":
      return screenChanged(state, message.next.screen);
    case "resize":
      return [{ ...state, terminal: { ...state.terminal, selection: undefined, press: undefined } }, []];
    default:
      return undefined;
  }
};

/** Pictures are shown as the terminal, or tmux, answers where the environment did not tell. */
function withPictures(state: State): State {
  const { display, terminal } = state;
  const answers = { terminal: terminal.pictures, tmux: terminal.throughTmux };
  const pictures = display.picturesBy === undefined ? undefined : answers[display.picturesBy];
  if (pictures === undefined || display.pictures === pictures) return state;
  return { ...state, display: { ...display, pictures } };
}

/** Names that terminals answer, with their versions behind them. */
const NAMES: readonly (readonly [RegExp, PictureProtocol])[] = [
  [/^(?:kitty|ghostty)\b/i, "kitty"],
  [/^(?:iTerm2|WezTerm)\b/i, "iterm"],
  [/^(?:foot|mlterm|contour)\b/i, "sixel"],
];

/** By its name, else by the ability 4 (sixels) among those of its primary device attributes. */
function picturesIn(text: string, known: PictureProtocol | undefined): PictureProtocol | undefined {
  const name = /^>\|(.*)$/s.exec(text)?.[1];
  if (name !== undefined) return NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? known;
  return known ?? (/^\?\d+(?:;\d+)*;4(?:;\d+)*c$/.test(text) ? "sixel" : undefined);
}

function answered(text: string, { terminal }: State): Partial<State["terminal"]> {
  const background = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(text);
  if (background) {
    const [r, g, b] = background
      .slice(1)
      .map((part) => Math.round((Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255));
    return { background: isDark(((r ?? 0) << 16) | ((g ?? 0) << 8) | (b ?? 0)) ? "dark" : "light" };
  }
  return /^\?\d+u$/.test(text) ? { kitty: true } : { pictures: picturesIn(text, terminal.pictures) };
}

function withDisplay(state: State, display: State["display"]): State {
  const { error } = chooseTheme(display.theme, display.themes, undefined);
  const next = withPictures({ ...state, display });
  return error === undefined || state.display.theme === display.theme ? next : showMessage(next, error, true);
}

/** Show a theme: to look at it, or from now on. One that cannot be had changes nothing and says why. */
function themed(state: State, name: string, keep: boolean): Updated {
  const { error } = chooseTheme(name, state.display.themes, undefined);
  if (error !== undefined) return [showMessage(state, error, true), []];
  return [
    { ...state, display: { ...state.display, theme: name } },
    keep ? [{ do: "keep", key: "display.theme", value: name }] : [],
  ];
}

/** What a command changes of this screen. */
function screenChanged(state: State, change: ScreenChange | undefined): Updated | undefined {
  if (change?.theme !== undefined) return themed(state, change.theme, true);
  if (change?.mouse !== undefined) {
    const { mouse } = change;
    return [{ ...state, display: { ...state.display, mouse } }, [{ do: "keep", key: "display.mouse", value: mouse }]];
  }
  if (change?.settings !== undefined)
    return [state, Object.entries(change.settings).map(([key, value]) => ({ do: "keep", key, value }) as const)];
  if (change?.redraw === true) return [state, [{ do: "redraw" }]];
  if (change?.detach === true) return [state, [{ do: "leave", how: state.owner ? "detach" : "stop" }]];
  if (change?.pane !== undefined) {
    const { name, filter } = change.pane;
    return state.inline === undefined ? PANE_DEFINITIONS[name].filter?.(focusOn(state, name), filter) : undefined;
  }
  return change?.layout === undefined ? undefined : applyLayout(state, change.layout);
}
