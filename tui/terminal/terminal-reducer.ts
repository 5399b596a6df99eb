import type { ScreenChange } from "../../lib/contracts/chat/slash.js";
import { laidOut } from "../layout/layout-split.js";
import { narrowed } from "../model/filter.js";
import { focusOn } from "../model/focus.js";
import { type Room, type State, say, type Updated } from "../model/state.js";
import { dragged } from "../mouse/update.js";
import { isDark } from "../theme/colour.js";
import { chooseTheme } from "../theme/own.js";

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
      case "theme":
        return themed(state, message.name, message.keep);
      case "next":
        return screenChanged(state, message.next.screen);
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
    const [r, g, b] = background
      .slice(1)
      .map((part) => Math.round((Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255));
    return { background: isDark(((r ?? 0) << 16) | ((g ?? 0) << 8) | (b ?? 0)) ? "dark" : "light" };
  }
  return /^\?\d+u$/.test(text) ? { kitty: true } : {};
}

function withDisplay(state: State, display: State["display"]): State {
  const { error } = chooseTheme(display.theme, display.themes, undefined);
  const next = { ...state, display };
  return error === undefined || state.display.theme === display.theme ? next : say(next, error, true);
}

/** Show a theme: to look at it, or from now on. One that cannot be had changes nothing and says why. */
function themed(state: State, name: string, keep: boolean): Updated {
  const { error } = chooseTheme(name, state.display.themes, undefined);
  if (error !== undefined) return [say(state, error, true), []];
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
    return state.inline === undefined ? narrowed(focusOn(state, name), name, filter) : undefined;
  }
  return change?.layout === undefined ? undefined : laidOut(state, change.layout);
}
