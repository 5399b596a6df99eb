import type { RowOf } from "../canvas.js";
import type { PaneKind, Step } from "../pane.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { chatRows } from "./view.js";

export const CHAT_PANE: PaneKind = {
  subject: (state) => state.session.title,
  tab: (state) => ({ live: state.session.turnSince !== undefined, unread: state.questions.open.length > 0 }),
  rows: (state, width, height) => window(chatRows(state, width), height, state.chat.scroll),
  move: (state, step) => scrolled(state, step),
};

/** The last `height` rows, `back` rows before the end; a marker when the end is not shown. */
function window(rows: readonly RowOf[], height: number, back: number): readonly RowOf[] {
  const most = Math.max(0, rows.length - height);
  const shift = Math.min(back, most);
  const shown = rows.slice(most - shift, most - shift + height);
  return shift === 0 || height < 2 ? shown : [...shown.slice(0, height - 1), [[THEME.warn, `↓ ${shift} more lines, End follows`]]];
}

function scrolled(state: State, step: Step): State {
  const page = Math.max(1, state.rows - 8);
  const by = { up: 1, down: -1, pageUp: page, pageDown: -page, halfUp: page >> 1, halfDown: -(page >> 1), first: 1e6, last: -1e6 }[step];
  return { ...state, chat: { ...state.chat, scroll: Math.min(100_000, Math.max(0, state.chat.scroll + by)) } };
}
