import { clusters } from "../width.js";

/** The composer's text as a value: every operation gives a new one. Positions count UTF-16 units and always stand between clusters. */
export interface Editor {
  readonly text: string;
  readonly cursor: number;
  readonly undo: readonly { readonly text: string; readonly cursor: number }[];
  readonly kill: string;
}

export const EMPTY: Editor = { text: "", cursor: 0, undo: [], kill: "" };
export const MAX_TEXT = 1 << 20; // workspace part, 4.1
const MAX_UNDO = 200;

/** Insert at the cursor; over 1 MiB nothing is inserted. */
export function insert(editor: Editor, text: string): Editor {
  if (editor.text.length + text.length > MAX_TEXT) return editor;
  return change(editor, editor.text.slice(0, editor.cursor) + text + editor.text.slice(editor.cursor), editor.cursor + text.length);
}

export const clear = (editor: Editor): Editor => change(editor, "", 0);
export const replaceAll = (editor: Editor, text: string): Editor => change(editor, text, text.length);

export function undo(editor: Editor): Editor {
  const last = editor.undo.at(-1);
  return last ? { ...editor, ...last, undo: editor.undo.slice(0, -1) } : editor;
}

type Step = (text: string, cursor: number) => number;

const left: Step = (text, cursor) =>
  cursor - (clusters(text.slice(lineStart(text, cursor - 1), cursor)).at(-1)?.length ?? (cursor > 0 ? 1 : 0));
const right: Step = (text, cursor) =>
  text[cursor] === "\n" ? cursor + 1 : cursor + (clusters(text.slice(cursor, lineEnd(text, cursor)))[0]?.length ?? 0);
const lineStart: Step = (text, cursor) => text.lastIndexOf("\n", Math.max(0, cursor) - 1) + 1;
const lineEnd: Step = (text, cursor) => (text.indexOf("\n", cursor) < 0 ? text.length : text.indexOf("\n", cursor));
const wordLeft: Step = (text, cursor) => cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
const wordRight: Step = (text, cursor) => cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);

function vertical(text: string, cursor: number, by: -1 | 1): number {
  const start = lineStart(text, cursor);
  const column = clusters(text.slice(start, cursor)).length;
  const other = by < 0 ? (start === 0 ? -1 : lineStart(text, start - 1)) : lineEnd(text, cursor) + 1;
  if (other < 0 || other > text.length) return cursor;
  return (
    other +
    clusters(text.slice(other, lineEnd(text, other)))
      .slice(0, column)
      .join("").length
  );
}

export const MOVES = {
  left,
  right,
  lineStart,
  lineEnd,
  wordLeft,
  wordRight,
  up: (text: string, cursor: number) => vertical(text, cursor, -1),
  down: (text: string, cursor: number) => vertical(text, cursor, 1),
} as const satisfies Record<string, Step>;

export function move(editor: Editor, step: keyof typeof MOVES): Editor {
  const cursor = Math.min(editor.text.length, Math.max(0, MOVES[step](editor.text, editor.cursor)));
  return { ...editor, cursor };
}

/** Delete from the cursor to where `step` leads. `keep`: it can be put back with `yank`. */
export function erase(editor: Editor, step: keyof typeof MOVES, keep = false): Editor {
  const to = Math.min(editor.text.length, Math.max(0, MOVES[step](editor.text, editor.cursor)));
  const [from, end] = to < editor.cursor ? [to, editor.cursor] : [editor.cursor, to];
  if (from === end) return editor;
  const next = change(editor, editor.text.slice(0, from) + editor.text.slice(end), from);
  return keep ? { ...next, kill: editor.text.slice(from, end) } : next;
}

export const yank = (editor: Editor): Editor => (editor.kill === "" ? editor : insert(editor, editor.kill));

function change(editor: Editor, text: string, cursor: number): Editor {
  if (text === editor.text && cursor === editor.cursor) return editor;
  const undo = [...editor.undo, { text: editor.text, cursor: editor.cursor }].slice(-MAX_UNDO);
  return { ...editor, text, cursor, undo };
}
