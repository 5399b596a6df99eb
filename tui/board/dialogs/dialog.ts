import { EMPTY, replaceAll } from "../../composer/editor.js";
import type { CallResult, Effect } from "../../model/messages.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import type { Subject } from "../../overlays/confirm/state.js";
import type { FormField, FormOverlay } from "../../overlays/form/state.js";
import { findSelectedCard } from "../cursor.js";
import type { BoardState, TaskCard } from "../state.js";
import { dataRows, isData } from "../wire.js";

/** What one dialog, or one action without any, does with what comes back to it. */
export interface Dialog {
  picked?(state: State, value: string, subject: Subject): Updated;
  filled?(state: State, values: Readonly<Record<string, string>>, subject: Subject): Updated;
  confirmed?(state: State, choice: string, subject: Subject): Updated;
  /** The owner's answer. `about`: what stood behind the name. */
  called?(state: State, answer: CallResult, about: string): Updated;
}

/** The card that an action is about: the one in the drawer, else the one with the cursor. */
export const subjectCard = (board: BoardState): TaskCard | undefined =>
  board.drawer === undefined ? findSelectedCard(board) : board.cards.get(board.drawer.id);

/** All cards that a bulk action is about: the marked ones, else the one. */
export function subjectCards(board: BoardState): readonly TaskCard[] {
  const marked = [...board.marked].flatMap((id) => board.cards.get(id) ?? []);
  const one = subjectCard(board);
  return marked.length > 0 ? marked : one === undefined ? [] : [one];
}

/** Do it with the card at hand, or say that no card is selected. */
export const withCard =
  (act: (state: State, card: TaskCard) => Updated) =>
  (state: State): Updated => {
    const card = subjectCard(state.board);
    return card === undefined ? [showMessage(state, "no task selected"), []] : act(state, card);
  };

/** What a dialog about a card carries. */
export const toSubject = (card: TaskCard, more: Subject = {}): Subject => ({
  id: card.id,
  version: String(card.version),
  status: card.status,
  ...more,
});

export interface Ask {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Name of the dialog, and behind a colon what the answer is about. */
  readonly to: string;
  readonly reads?: boolean;
}

/** Ask the owner about the shown board. Without a connection nothing is sent. */
export function ask(state: State, { method, params, to, reads = false }: Ask): Updated {
  if (state.connection === "lost") return [refused(state, "not connected"), []];
  const effect: Effect = { do: "call", method, params: { board: state.board.slug, ...params }, to, reads };
  return [state, [effect]];
}

/** A refusal stands in the form that is open, with what was typed kept; else at the foot of the screen. */
export function refused(state: State, text: string): State {
  const { overlay } = state;
  if (overlay?.kind === "form" && overlay.asker.startsWith("board."))
    return { ...state, overlay: { ...overlay, busy: false, error: text } };
  return showMessage(state, text, true);
}

/** Why it was not done; undefined: it was. Commands about several tasks answer for each. */
export function refusalOf(answer: CallResult): string | undefined {
  if (!answer.ok) return answer.message;
  const results = isData(answer.result) ? dataRows(answer.result["results"]) : [];
  const [bad] = results.filter((row) => row["ok"] === false);
  const error = bad?.["error"];
  return bad === undefined
    ? undefined
    : isData(error)
      ? String(error["message"] ?? "refused")
      : String(error ?? "refused");
}

/** The form is done; what is said stands at the foot of the screen. */
const closed = (state: State, text: string): Updated => [showMessage({ ...state, overlay: undefined }, text), []];

/** Answers of what changes something: refused in the form, or said. */
export const confirmChange =
  (done: (id: string) => string) =>
  (state: State, answer: CallResult, id: string): Updated => {
    const why = refusalOf(answer);
    return why === undefined ? closed(state, done(id)) : [refused(state, why), []];
  };

interface FieldMore {
  readonly text?: string;
  readonly required?: boolean;
  readonly choices?: FormField["choices"];
}

export const field = (
  kind: FormField["kind"],
  name: string,
  label: string,
  { text = "", required, choices }: FieldMore = {},
): FormField => ({
  name,
  label,
  kind,
  editor: text === "" ? EMPTY : replaceAll(EMPTY, text),
  ...(required === undefined ? {} : { required }),
  ...(choices === undefined ? {} : { choices }),
});

type FormMore = Pick<FormOverlay, "asker" | "title" | "fields" | "button" | "subject"> &
  Partial<Pick<FormOverlay, "lines">>;

/** Open a form; the cursor is in its first field. */
export const openForm = (state: State, { lines = [], ...form }: FormMore): State => ({
  ...state,
  overlay: { kind: "form", lines, at: 0, error: "", busy: false, ...form },
});

interface Question {
  readonly asker: string;
  readonly title: string;
  readonly lines: readonly string[];
  readonly subject: Subject;
  /** What does it; not to do it stands first. */
  readonly yes: readonly { readonly name: string; readonly label: string; readonly key: string }[];
}

/** Open a question whose safe answer is marked. */
export const openQuestion = (state: State, { yes, ...question }: Question): State => ({
  ...state,
  overlay: { kind: "confirm", at: 0, choices: [{ name: "no", label: "cancel", key: "c" }, ...yes], ...question },
});
