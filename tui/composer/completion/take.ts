import type { State, Updated } from "../../state.js";
import { replace } from "../editor.js";
import { edited } from "../update.js";
import { isOpen, refreshed } from "./ask.js";
import type { Candidate } from "./state.js";

/** What Enter would take; undefined: it does what it always does. */
export const takes = (state: State): Candidate | undefined => {
  const { rows, at } = state.composer.completion;
  return rows[at];
};

/** Put the marked candidate, else the first one, in place of the word. A directory goes on. */
export function taken(state: State): Updated {
  const { editor, completion } = state.composer;
  const candidate = takes(state) ?? completion.rows[0];
  if (candidate === undefined) return [state, []];
  const goesOn = candidate.text.endsWith("/") || editor.text[editor.cursor] === " ";
  const text = `${candidate.text}${goesOn ? "" : " "}`;
  return refreshed(edited(state, replace(editor, completion.from, editor.cursor, text)));
}

/** Another candidate is marked; from the last one to none, so that Enter can send. */
export function marks(state: State, by: number): State {
  const { completion } = state.composer;
  if (!isOpen(state)) return state;
  const count = completion.rows.length + 1;
  const at = ((completion.at + 1 + by + count) % count) - 1;
  return { ...state, composer: { ...state.composer, completion: { ...completion, at } } };
}
