import type { PaneKind, Step } from "../pane.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { logRows } from "./view.js";

export const LOGS_PANE: PaneKind = {
  subject: () => "owner",
  tab: () => ({}),
  rows: (state, width, height) => {
    const rows = logRows(state, width);
    const most = Math.max(0, rows.length - height);
    const shift = Math.min(state.logs.scroll, most);
    const shown = rows.slice(most - shift, most - shift + height);
    return shift === 0 || height < 2 ? shown : [...shown.slice(0, height - 1), [[THEME.warn, `↓ ${shift} more lines, End follows`]]];
  },
  move: (state, step) => scrolled(state, step),
};

function scrolled(state: State, step: Step): State {
  const page = Math.max(1, state.rows - 8);
  const by = { up: 1, down: -1, pageUp: page, pageDown: -page, halfUp: page >> 1, halfDown: -(page >> 1), first: 1e6, last: -1e6 }[step];
  const most = Math.max(0, state.logs.rows.length - 1);
  return { ...state, logs: { ...state.logs, scroll: Math.min(most, Math.max(0, state.logs.scroll + by)) } };
}
