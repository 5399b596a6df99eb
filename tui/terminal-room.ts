import { dragged } from "./mouse/update.js";
import { type Room, type State, say } from "./state.js";
import { isDark } from "./theme/colour.js";
import { chooseTheme } from "./theme/own.js";

/** The terminal itself: what it answers, whether somebody looks, the mouse, and the settings of screens. */
export const TERMINAL_ROOM: Room = {
  update: (state, message) => {
    switch (message.type) {
      case "reply":
        return [{ ...state, terminal: { ...state.terminal, ...answered(message.text) } }, []];
      case "focus":
        return [{ ...state, terminal: { ...state.terminal, focused: message.focused } }, []];
      case "mouse":
        return dragged(state, message);
      case "display":
        return [withDisplay(state, message.display), []];
      case "resize":
        return [{ ...state, terminal: { ...state.terminal, selection: undefined, press: undefined } }, []];
      default:
        return undefined;
    }
  },
};

function answered(text: string): Partial<State["terminal"]> {
  const background = /^11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(text);
  if (background) {
    const [r, g, b] = background.slice(1).map((part) => Math.round((Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255));
    return { background: isDark(((r ?? 0) << 16) | ((g ?? 0) << 8) | (b ?? 0)) ? "dark" : "light" };
  }
  return /^\?\d+u$/.test(text) ? { kitty: true } : {};
}

function withDisplay(state: State, display: State["display"]): State {
  const { error } = chooseTheme(display.theme, display.themes, undefined);
  const next = { ...state, display };
  return error === undefined || state.display.theme === display.theme ? next : say(next, error, true);
}
