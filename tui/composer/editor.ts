import { after, before, lineEnd, lineStart } from "./edges.js";
import { partLeft, wordLeft, wordRight } from "./words.js";

/** One change and its way back. */
interface Step {
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
  /** Where the cursor stood before. */
  readonly cursor: number;
}

/**
 * A text that is edited, as a value: every operation gives a new one. Positions count UTF-16 units and always stand between clusters. What a
 * key costs does not grow with the text: it is one string, of which only the neighbourhood of the cursor is looked at, and the history holds
 * changes, not texts.
 */
export interface Editor {
  readonly text: string;
  readonly cursor: number;
  readonly undo: readonly Step[];
  readonly redo: readonly Step[];
  readonly kill: string;
  /** What the last step still takes in: more of the same belongs to it, until something else happens. */
  readonly open: "typing" | "erasing" | "killing" | undefined;
}

export const EMPTY: Editor = { text: "", cursor: 0, undo: [], redo: [], kill: "", open: undefined };
export const MAX_TEXT = 1 << 20; // workspace part, 4.1
const MAX_UNDO = 500;

/** Insert at the cursor, as a step of its own; over 1 MiB nothing is inserted. */
export const insert = (editor: Editor, text: string): Editor => inserted(sealed(editor), text);

/** Insert what is typed: letter after letter is one step. */
export function typeIn(editor: Editor, text: string): Editor {
  const next = inserted(editor.open === "typing" ? editor : sealed(editor), text);
  return next === editor ? editor : { ...next, open: "typing" };
}

function inserted(editor: Editor, text: string): Editor {
  if (text === "" || editor.text.length + text.length > MAX_TEXT) return editor;
  return change(
    editor,
    { at: editor.cursor, removed: "", inserted: text, cursor: editor.cursor },
    editor.cursor + text.length,
  );
}

/** The next change is a step of its own. */
export const sealed = (editor: Editor): Editor => (editor.open === undefined ? editor : { ...editor, open: undefined });

export const clear = (editor: Editor): Editor => replaceAll(editor, "");

/** Another text in its place, the cursor at its end; one step. */
export const replaceAll = (editor: Editor, text: string): Editor => replace(editor, 0, editor.text.length, text);

/** Another text in place of a part, the cursor behind it; one step. */
export function replace(editor: Editor, from: number, to: number, text: string): Editor {
  const removed = editor.text.slice(from, to);
  if (removed === text && editor.cursor === from + text.length) return editor;
  if (editor.text.length - removed.length + text.length > MAX_TEXT) return editor;
  return change(sealed(editor), { at: from, removed, inserted: text, cursor: editor.cursor }, from + text.length);
}

export function undo(editor: Editor): Editor {
  const last = editor.undo.at(-1);
  if (last === undefined) return editor;
  const text = swapped(editor.text, last.at, last.inserted, last.removed);
  return {
    ...editor,
    text,
    cursor: last.cursor,
    undo: editor.undo.slice(0, -1),
    redo: [...editor.redo, last],
    open: undefined,
  };
}

export function redo(editor: Editor): Editor {
  const last = editor.redo.at(-1);
  if (last === undefined) return editor;
  const text = swapped(editor.text, last.at, last.removed, last.inserted);
  const cursor = last.at + last.inserted.length;
  return { ...editor, text, cursor, undo: [...editor.undo, last], redo: editor.redo.slice(0, -1), open: undefined };
}

const swapped = (text: string, at: number, old: string, fresh: string): string =>
  text.slice(0, at) + fresh + text.slice(at + old.length);

type Walk = (text: string, cursor: number) => number;

function vertical(text: string, cursor: number, by: -1 | 1): number {
  const start = lineStart(text, cursor);
  let column = 0;
  for (let at = start; at < cursor; at = after(text, at)) column += 1;
  const other = by < 0 ? (start === 0 ? -1 : lineStart(text, start - 1)) : lineEnd(text, cursor) + 1;
  if (other < 0 || other > text.length) return cursor;
  const end = lineEnd(text, other);
  let place = other;
  for (let left = column; left > 0 && place < end; left--) place = after(text, place);
  return place;
}

/** Where each step leads from a place. */
export const MOVES = {
  left: (text, cursor) => before(text, cursor),
  right: (text, cursor) => after(text, cursor),
  lineStart,
  lineEnd,
  textStart: () => 0,
  textEnd: (text) => text.length,
  wordLeft,
  wordRight,
  partLeft,
  up: (text, cursor) => vertical(text, cursor, -1),
  down: (text, cursor) => vertical(text, cursor, 1),
} as const satisfies Record<string, Walk>;

export const move = (editor: Editor, step: keyof typeof MOVES): Editor =>
  moveTo(editor, MOVES[step](editor.text, editor.cursor));

/** The cursor at a place between two clusters. */
export const moveTo = (editor: Editor, place: number): Editor =>
  sealed({ ...editor, cursor: Math.min(editor.text.length, Math.max(0, place)) });

/** Delete from the cursor to where `step` leads. `keep`: it can be put back with `yank`, together with what was deleted just before. */
export function erase(editor: Editor, step: keyof typeof MOVES, keep = false): Editor {
  const to = MOVES[step](editor.text, editor.cursor);
  const [from, end] = to < editor.cursor ? [to, editor.cursor] : [editor.cursor, to];
  if (from === end) return editor;
  const removed = editor.text.slice(from, end);
  const how = keep ? "killing" : "erasing";
  const next = change(
    editor.open === how ? editor : sealed(editor),
    { at: from, removed, inserted: "", cursor: editor.cursor },
    from,
  );
  if (!keep) return { ...next, open: how };
  const before_ = editor.open === how ? editor.kill : "";
  return { ...next, open: how, kill: to < editor.cursor ? removed + before_ : before_ + removed };
}

export const yank = (editor: Editor): Editor => insert(editor, editor.kill);

function change(editor: Editor, step: Step, cursor: number): Editor {
  const last = editor.open === undefined ? undefined : editor.undo.at(-1);
  const joined = last && join(last, step);
  const undo = joined ? [...editor.undo.slice(0, -1), joined] : [...editor.undo.slice(1 - MAX_UNDO), step];
  return { ...editor, text: swapped(editor.text, step.at, step.removed, step.inserted), cursor, undo, redo: [] };
}

/** Two changes as one, where the second goes on where the first has ended. */
function join(last: Step, step: Step): Step | undefined {
  if (step.removed === "" && step.at === last.at + last.inserted.length)
    return { ...last, inserted: last.inserted + step.inserted };
  if (step.inserted !== "" || last.inserted !== "") return undefined;
  if (step.at + step.removed.length === last.at) return { ...last, at: step.at, removed: step.removed + last.removed };
  return step.at === last.at ? { ...last, removed: last.removed + step.removed } : undefined;
}
