import { GLYPH } from "../draw/glyphs.js";
import { findVisibleRows, scrollToEntry } from "../draw/viewport.js";
import type { Press } from "../model/define-pane.js";
import type { State, Updated } from "../model/state.js";
import { folded, foldsByItsSign } from "./actions.js";
import { chatEntries } from "./entries.js";
import { bodyHeight, chatRoom, headHeight, topAt, withCursor } from "./move.js";
import { pinnedQuestion } from "./pinned.js";

const SIGN_CELLS = 2;
const SIGNS: ReadonlySet<string> = new Set([
  GLYPH.folded,
  GLYPH.unfolded,
  GLYPH.ok,
  GLYPH.failed,
  GLYPH.denied,
  GLYPH.cancelled,
]);
/** A row that says how much is folded, and with which key it is had. */
const MORE = /^ +… [\d,.]+ more [^()]+ \((\w+)\)$/;

/** A press puts the cursor on what stands there; nothing moves; on the question in the top row, it comes into view. On the sign of what can be unfolded, or on the row that says how much is hidden, it does that. */
export function pressed(state: State, { x, y, width, height, times }: Press): Updated {
  const entries = chatEntries(state);
  const { rows } = findVisibleRows(entries, state.chat.top, { width, height: bodyHeight(height) });
  const asked = y < headHeight(height) ? pinnedQuestion(state, rows[0]) : undefined;
  if (asked !== undefined)
    return [
      withCursor(topAt(state, entries, scrollToEntry(entries, state.chat.top, asked.key, chatRoom(state))), asked.key),
      [],
    ];
  const at = rows[y - headHeight(height)];
  if (at === undefined) return [state, []];
  const next = withCursor(state, at.at.key);
  if (times > 1) return [next, []];
  const text = at.row.map(([, part]) => part).join("");
  const key = MORE.exec(text)?.[1];
  if (key !== undefined) return byKey(next, key === "Space" ? "space" : key);
  return x < SIGN_CELLS && SIGNS.has(text.slice(0, 1)) && foldsByItsSign(next) ? folded(next) : [next, []];
}

const byKey = (state: State, key: string): Updated =>
  state.keymap.find((one) => one.context === "chat" && one.keys.includes(key))?.act(state) ?? [state, []];
