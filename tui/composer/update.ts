import { type State, showMessage, type Updated } from "../model/state.js";
import { boxOf, keepFirstRow } from "./box.js";
import { withoutSigns } from "./chip.js";
import { refreshed } from "./completion/ask.js";
import { NO_COMPLETION } from "./completion/state.js";
import { type Editor, erase, type MOVES, move, moveTo, replaceAll, sealed, typeIn } from "./editor.js";
import { older, remembering } from "./history.js";
import { placeAt, rowAfter, rowAt, rowBefore, rowCells } from "./rows.js";
import { type ComposerState, NO_DRAFT } from "./state.js";

const REST_MS = 500; // a rest of this length begins another step of the undo history

/** Control characters never come into the text; tabs and line ends do. */
export const cleaned = (text: string): string =>
  withoutSigns(text.toWellFormed().replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, ""));

/** What is typed goes in at the cursor. */
export function insertText(state: State, text: string): Updated {
  const { editor, changedAt } = state.composer;
  const clean = cleaned(text);
  const next = typeIn(state.now - changedAt > REST_MS ? sealed(editor) : editor, clean);
  return next === editor && clean !== "" ? [showMessage(state, TOO_LONG, true), []] : refreshed(edited(state, next));
}

export const TOO_LONG = "too long: messages are limited to 1 MiB";

/** Another text, or the cursor elsewhere in it. */
export function edited(state: State, editor: Editor): State {
  const { composer } = state;
  if (editor === composer.editor) return state;
  return keepFirstRow({ ...state, composer: { ...composer, editor, column: undefined, changedAt: state.now } });
}

/** Move in the text; up in the first row and down in the last go through the history. */
export function moved(state: State, step: keyof typeof MOVES): State {
  if (step === "up" || step === "down") return vertical(state, step === "up" ? -1 : 1);
  const { composer } = state;
  return keepFirstRow({ ...state, composer: { ...composer, editor: move(composer.editor, step), column: undefined } });
}

/** From row to row as they are seen, in the column where it began. */
function vertical(state: State, by: -1 | 1): State {
  const { composer } = state;
  const { editor, historyAt } = composer;
  const box = boxOf(state);
  const row = rowAt(box, editor.cursor);
  const other = by < 0 ? rowBefore(box, row) : rowAfter(box, row);
  // A walk through the history goes on with it, whatever the length of the entry.
  const browsing =
    historyAt >= 0 && editor.cursor === editor.text.length && editor.text === composer.history[historyAt];
  if (other === undefined || browsing) return older(state, by < 0 ? 1 : -1) ?? state;
  const column = composer.column ?? rowCells(box, row.from, editor.cursor);
  return keepFirstRow({
    ...state,
    composer: { ...composer, editor: moveTo(editor, placeAt(box, other, column)), column },
  });
}

export const eraseText = (state: State, step: keyof typeof MOVES, keep: boolean): State => {
  const { editor, changedAt } = state.composer;
  return edited(state, erase(state.now - changedAt > REST_MS ? sealed(editor) : editor, step, keep));
};

/** Cleared, and in the history, so that it can be had back. */
export function clearText(state: State): State {
  const next = edited(remembering(state, state.composer), replaceAll(state.composer.editor, ""));
  return { ...next, composer: { ...next.composer, ...plainly(next), editing: undefined } };
}

/** The text in the composer is not an entry of the history, and nothing is offered for it. */
const plainly = ({ composer }: State): Pick<ComposerState, "historyAt" | "aside" | "completion"> => ({
  historyAt: -1,
  aside: undefined,
  completion: { ...NO_COMPLETION, asked: composer.completion.asked + 1 },
});

/** The composer is empty again, nothing of it can be undone, and the end of the conversation is seen. */
export function sentFrom(state: State): State {
  const next = remembering(state, state.composer);
  const { kill } = next.composer.editor;
  // A chip that was deleted can not be put back: what it stands for went with the message.
  const editor = { ...NO_DRAFT.editor, kill: withoutSigns(kill) === kill ? kill : "" };
  const fresh = { ...NO_DRAFT, ...plainly(next), top: 0, column: undefined, editor };
  return { ...next, chat: { ...next.chat, top: undefined, mark: undefined }, composer: { ...next.composer, ...fresh } };
}
