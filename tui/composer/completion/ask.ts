import type { State, Updated } from "../../model/state.js";
import { lineStart } from "../edges.js";
import type { Editor } from "../editor.js";
import { type Candidate, type CompletionState, NO_COMPLETION } from "./state.js";

const LONGEST_LINE = 1_000; // nothing is offered further from the beginning of a line

/** A part of the text that something can be offered for. */
export interface Word {
  /** What the owner is asked about: the line up to the cursor. */
  readonly line: string;
  /** Where the line begins in the text. */
  readonly base: number;
  /** Where the word at the cursor begins in the text. */
  readonly from: number;
}

/** The word at the cursor, where it is one that is completed: of a command, a mention, or a path of a shell line. */
export function wordAt(text: string, cursor: number): Word | undefined {
  const base = lineStart(text, cursor);
  if (cursor - base > LONGEST_LINE) return undefined;
  const line = text.slice(base, cursor);
  let at = line.length;
  while (at > 0 && !/\s/.test(line.charAt(at - 1))) at -= 1;
  const last = base + at;
  if (base === 0 && line.startsWith("/"))
    return /^\/\S*\//.test(line) ? undefined : { line, base, from: Math.max(1, last) };
  if (base === 0 && line.startsWith("!")) return { line, base, from: Math.max(line.startsWith("!!") ? 2 : 1, last) };
  const open = /(?:^|\s)(@[a-z]+:"[^"]*)$/.exec(line)?.[1]; // a name with blanks, whose quotes are open
  if (open !== undefined) return { line, base, from: base + line.length - open.length };
  return line[at] === "@" ? { line, base, from: last } : undefined;
}

/** After a change of the text: what is offered still is narrowed at once, and the owner is asked for more. */
export function refreshed(state: State): Updated {
  const { composer, connection, session } = state;
  const { editor, completion } = composer;
  const word = editor.text === "" ? undefined : wordAt(editor.text, editor.cursor);
  const typed = word === undefined ? "" : editor.text.slice(word.from, editor.cursor);
  const closed = completion.closedFor !== undefined && completion.closedFor === named(word, editor);
  if (word === undefined || closed || connection === "lost")
    return [completes(state, closedAt(completion, closed)), []];
  const asked = completion.asked + 1;
  const rows = completion.from === word.from ? completion.rows.filter((row) => fits(row, typed)) : [];
  const next = {
    ...completion,
    ...marked(rows, typed),
    asked,
    from: word.from,
    closedFor: undefined,
    asking: true,
    wanted: false,
  };
  return [completes(state, next), [{ do: "complete", asked, line: word.line, session: session.id }]];
}

const completes = (state: State, completion: CompletionState): State => ({
  ...state,
  composer: { ...state.composer, completion },
});

const closedAt = ({ asked, closedFor }: CompletionState, closed: boolean): CompletionState => ({
  ...NO_COMPLETION,
  asked: asked + 1,
  closedFor: closed ? closedFor : undefined,
});

/** A word by its place and its letters, those behind the cursor too. */
function named(word: Word | undefined, { text, cursor }: Editor): string | undefined {
  if (word === undefined) return undefined;
  let end = cursor;
  while (end < text.length && end - cursor < LONGEST_LINE && !/\s/.test(text.charAt(end))) end += 1;
  return `${word.from} ${text.slice(word.from, end)}`;
}

/** The cursor has moved: nothing is offered before something is typed. */
export function unoffered(state: State): State {
  const { asked, closedFor } = state.composer.completion;
  return completes(state, { ...NO_COMPLETION, asked: asked + 1, closedFor });
}

/** Letter after letter in their order; what begins alike fits, too. */
function fits({ text, label }: Candidate, typed: string): boolean {
  const rest = `${text} ${label}`.toLowerCase();
  let at = 0;
  for (const letter of typed.toLowerCase()) {
    at = rest.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** The first is marked where a word was begun; one that is there in full needs no taking. */
function marked(rows: readonly Candidate[], typed: string): Pick<CompletionState, "rows" | "at"> {
  const whole = rows.some(({ text }) => text === typed);
  if (whole && rows.length === 1) return { rows: [], at: -1 };
  return { rows, at: whole || typed === "" || rows.length === 0 ? -1 : 0 };
}

/** It is not known yet whether something is offered for the word at the cursor. */
export const isAsking = ({ composer: { editor, completion }, connection }: State): boolean =>
  completion.asking && connection !== "lost" && wordAt(editor.text, editor.cursor) !== undefined;

/** Take what will be offered for the word at the cursor, however long the owner needs to say it; nothing where it offers nothing. */
export function awaited(state: State): Updated {
  const { composer, session } = state;
  const { editor, completion } = composer;
  const word = wordAt(editor.text, editor.cursor);
  if (word === undefined || completion.wanted) return [state, []];
  const asked = completion.asked + 1;
  const effect = { do: "complete", asked, line: word.line, session: session.id, patient: true } as const;
  return [completes(state, { ...completion, asked, wanted: true }), [effect]];
}

/** What the owner offers, unless something else was typed meanwhile. `from`: where its word begins in the line that was asked about. */
export function offered(
  state: State,
  asked: number,
  told: { readonly from: number | undefined; readonly rows: readonly Candidate[] },
): State {
  const { editor, completion } = state.composer;
  const word = wordAt(editor.text, editor.cursor);
  if (asked !== completion.asked || word === undefined) return state;
  const from = told.from === undefined ? word.from : word.base + told.from;
  const typed = editor.text.slice(from, editor.cursor);
  return completes(state, { ...completion, from, ...marked(told.rows, typed), asking: false });
}

/** Whether a list is shown. */
export const isOpen = ({ composer }: State): boolean => composer.completion.rows.length > 0;

/** It stays closed until the word changes. */
export function closed(state: State): State {
  const { editor, completion } = state.composer;
  const closedFor = named(wordAt(editor.text, editor.cursor), editor);
  return completes(state, { ...NO_COMPLETION, asked: completion.asked + 1, closedFor });
}
