import type { State, Updated } from "../../model/state.js";
import { replace } from "../editor.js";
import { edited } from "../update.js";
import { isOpen, offered, refreshed } from "./ask.js";
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

/** What the owner offers; who has asked for it by Tab gets the first. */
export function withCompletions(state: State, asked: number, what: Parameters<typeof offered>[2]): Updated {
  const next = offered(state, asked, what);
  const { wanted } = next.composer.completion;
  if (next === state || !wanted) return [next, []];
  const { composer } = next;
  const [first] = what.rows;
  const settled = { ...next, composer: { ...composer, completion: { ...composer.completion, wanted: false } } };
  return first === undefined || !isOpen(settled) ? [settled, []] : taken(settled);
}

/** Another candidate is marked; from the last one to none, so that Enter can send. */
export function marks(state: State, by: number): State {
  const { completion } = state.composer;
  if (!isOpen(state)) return state;
  const count = completion.rows.length + 1;
  const at = ((completion.at + 1 + by + count) % count) - 1;
  return { ...state, composer: { ...state.composer, completion: { ...completion, at } } };
}
