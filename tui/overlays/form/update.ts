import { type Editor, insert, replaceAll } from "../../composer/editor.js";
import type { State, Updated } from "../../model/state.js";
import { choicesOf, choiceValue, completed, markOf } from "./choices.js";
import type { FormField, FormOverlay } from "./state.js";

const MAX_LINE = 4_096;
const MAX_TEXT = 65_536;

export const inForm =
  (change: (state: State, overlay: FormOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "form" && !state.overlay.busy ? change(state, state.overlay) : [state, []];

const showing = (state: State, overlay: FormOverlay): Updated => [{ ...state, overlay }, []];

/** Change the field that is edited. The last refusal is answered with that. */
function withField(state: State, overlay: FormOverlay, change: (field: FormField) => FormField): Updated {
  const fields = overlay.fields.map((field, index) => (index === overlay.at ? change(field) : field));
  return showing(state, { ...overlay, fields, error: "" });
}

const edited = (field: FormField, editor: Editor): FormField => {
  if (editor.text === field.editor.text && (field.kind !== "words" || editor.cursor === field.editor.cursor))
    return { ...field, editor };
  return { ...unmarked(field), editor };
};

function unmarked(field: FormField): FormField {
  const { marked: _moved, ...rest } = field;
  return rest;
}

export const editField = (state: State, edit: (editor: Editor) => Editor): Updated =>
  inForm((now, overlay) => withField(now, overlay, (field) => edited(field, edit(field.editor))))(state);

/** Typed or pasted. Lines of a paste become one where only one line fits. */
export function typedIn(state: State, overlay: FormOverlay, text: string): Updated {
  const field = overlay.fields[overlay.at];
  if (field === undefined || overlay.busy) return [state, []];
  const clean = text.replace(/\r\n?/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
  const given = field.kind === "text" ? clean : clean.replace(/[\n\t]+/g, " ");
  const most = field.kind === "text" ? MAX_TEXT : MAX_LINE;
  if (field.editor.text.length + given.length > most) {
    return showing(state, { ...overlay, error: `${field.label}: at most ${most} characters` });
  }
  return withField(state, overlay, (one) => edited(one, insert(one.editor, given)));
}

/** To another field or the button. A choice that was marked is written into its field when it is left. */
export function goTo(state: State, overlay: FormOverlay, at: number): Updated {
  const stops = overlay.fields.length + 1;
  return showing(state, { ...overlay, fields: overlay.fields.map(settled), at: (at + stops) % stops });
}

function settled(field: FormField): FormField {
  const word = completed(field);
  if (word !== undefined) return edited(field, word);
  const value = choiceValue(field);
  if (field.kind !== "choice" || value === field.editor.text) return field;
  return edited(field, replaceAll(field.editor, value));
}

/** The marked choice, `by` places further. Above the first one nothing is chosen. */
export const markChoice = (state: State, overlay: FormOverlay, by: number): Updated =>
  withField(state, overlay, (field) => {
    const last = choicesOf(field).length - 1;
    return { ...field, marked: Math.max(0, Math.min(last, markOf(field) + by)) };
  });

/** Nothing is marked any more. */
export const unmark = (state: State, overlay: FormOverlay): Updated => withField(state, overlay, unmarked);

/** The marked completion is taken; the field goes on with the next word. */
export const complete = (state: State, overlay: FormOverlay): Updated =>
  withField(state, overlay, (field) => unmarked(edited(field, completed(field) ?? field.editor)));

/** A press in a field: it is edited from there on. */
export const pressed = (at: number, cursor: number) =>
  inForm((state, overlay) => {
    const [next] = overlay.at === at ? [state] : goTo(state, overlay, at);
    return editField(next, (editor) => ({ ...editor, cursor: Math.min(cursor, editor.text.length) }));
  });

/** A press on a choice takes it. */
export const choicePressed = (marked: number) =>
  inForm((state, overlay) => {
    const [next] = withField(state, overlay, (field) => ({ ...field, marked }));
    if (next.overlay?.kind === "form" && overlay.fields[overlay.at]?.kind === "words")
      return complete(next, next.overlay);
    return next.overlay?.kind === "form" ? goTo(next, next.overlay, overlay.at) : [next, []];
  });

/** A press on the button. */
export const buttonPressed = inForm((state, overlay) => submitted(state, { ...overlay, at: overlay.fields.length }));

/** The wheel: through the choices of a field, else from field to field. */
export const wheeled = (by: number) =>
  inForm((state, overlay) => {
    const field = overlay.fields[overlay.at];
    if (field?.kind === "choice" && (field.choices?.length ?? 0) > 0) return markChoice(state, overlay, by);
    return goTo(state, overlay, Math.max(0, Math.min(overlay.fields.length, overlay.at + Math.sign(by))));
  });

/** Hand over what was typed. The asker closes the form, or says what is wrong with it. */
export function submitted(state: State, overlay: FormOverlay): Updated {
  const fields = overlay.fields.map(settled);
  const wrong = fields.findIndex((field) => problemOf(field) !== undefined);
  const bad = fields[wrong];
  if (bad !== undefined) return showing(state, { ...overlay, fields, at: wrong, error: problemOf(bad) ?? "" });
  const values = Object.fromEntries(fields.map((field) => [field.name, field.editor.text]));
  const message = { type: "filled", asker: overlay.asker, values, subject: overlay.subject } as const;
  return [{ ...state, overlay: { ...overlay, fields, busy: true, error: "" } }, [{ do: "tell", message }]];
}

function problemOf({ kind, label, editor, required, choices = [] }: FormField): string | undefined {
  if (editor.text.trim() === "") return required === true ? `${label}: required` : undefined;
  if (kind !== "choice" || choices.some(({ value }) => value === editor.text)) return undefined;
  return `${label}: unknown value ${editor.text}`;
}
