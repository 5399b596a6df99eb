import type { FormField, FormValue } from "../../../lib/contracts/chat/form.js";
import { type Editor, insert } from "../../composer/editor.js";
import type { Effect } from "../../model/messages.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import { focusPanel, leftAlone, on } from "../acts.js";
import type { Question } from "../question.js";
import { ENTER_MS, shownQuestion } from "../shown.js";
import { contentOf, type Filled, FORM_ANSWERS, faultOf, isChosen, isPicked, markOf, optionsOf } from "./form.js";

/** Longest text of a field. */
const MAX_LINE = 10_000;

/** The form that the panel shows, if it has fields. */
export const shownForm = (state: State): Filled | undefined => shownQuestion(state)?.form;

/** The field that has the keys; undefined: the answers have them. */
export const fieldAt = (form: Filled | undefined): FormField | undefined => form?.fields[form.at];

/** Left and right mark an option or an answer instead of moving in a text. */
export function marks(state: State): boolean {
  const form = shownForm(state);
  const field = fieldAt(form);
  return form !== undefined && (field === undefined || isPicked(field));
}

/** An action on the form of the shown question, which has the keys from then on. */
const onForm = (act: (form: Filled) => Filled) =>
  on((state, question) =>
    question.form === undefined ? [state, []] : [changed(state, question, act(question.form)), []],
  );

/** The question has this form from now on. */
export function changed(state: State, question: Question, form: Filled): State {
  const now = focusPanel(state);
  const open = now.questions.open.map((one) => (one.request === question.request ? { ...one, form } : one));
  return { ...now, questions: { ...now.questions, open } };
}

/** To another field, or to the answers behind them. What is left is checked, so that its fault is read beside it. */
export const movedField = (by: number) =>
  onForm((form) => {
    const at = Math.min(form.fields.length, Math.max(0, form.at + by));
    const checked = by > 0 ? withFault(form) : form;
    return { ...checked, at, mark: markOf(form, at) };
  });

/** What is wrong with the field that has the keys stands beside it. */
export function withFault(form: Filled): Filled {
  const field = fieldAt(form);
  if (field === undefined) return form;
  const { [field.name]: _before, ...rest } = form.faults;
  const fault = faultOf(form, field);
  return { ...form, faults: fault === undefined ? rest : { ...rest, [field.name]: fault } };
}

export const movedMark = (by: number) =>
  onForm((form) => {
    const field = fieldAt(form);
    const count = field === undefined ? FORM_ANSWERS.length : optionsOf(field).length;
    if (count === 0) return form;
    const mark = (form.mark + by + count) % count;
    // One of several is chosen by moving; of many each is chosen by itself.
    return field === undefined || field.type === "choices" ? { ...form, mark } : picked({ ...form, mark }, field, mark);
  });

/** Choose the option, or take it back. */
function picked(form: Filled, field: FormField, index: number): Filled {
  const option = optionsOf(field)[index]?.value;
  if (option === undefined) return form;
  const before = form.picks[field.name];
  const list: readonly string[] = typeof before === "object" ? before : [];
  const next: FormValue =
    field.type !== "choices"
      ? option
      : isChosen(before, option)
        ? list.filter((one) => one !== option)
        : [...list, String(option)];
  const { [field.name]: _fault, ...faults } = form.faults;
  return { ...form, mark: index, picks: { ...form.picks, [field.name]: next }, faults };
}

/** Change the text of the field. Its fault is gone until it is left again. */
export const editedField = (state: State, edit: (editor: Editor) => Editor): Updated =>
  onForm((form) => {
    const field = fieldAt(form);
    const line = field && form.lines[field.name];
    if (field === undefined || line === undefined) return form;
    const next = edit(line);
    const { [field.name]: _fault, ...faults } = form.faults;
    return {
      ...form,
      lines: { ...form.lines, [field.name]: next },
      faults: next.text === line.text ? form.faults : faults,
    };
  })(state);

/** What is typed: text of the field, or the option that a digit, a blank, y or n names. */
export function typedInForm(state: State, text: string): Updated {
  const form = shownForm(state);
  const field = fieldAt(form);
  if (form === undefined || field === undefined) return [state, []];
  if (!isPicked(field)) {
    const clean = text.replace(/[\x00-\x1f\x7f]+/g, " ");
    const length = (form.lines[field.name]?.text.length ?? 0) + clean.length;
    return length > MAX_LINE
      ? [showMessage(state, "too long for this field"), []]
      : editedField(state, (line) => insert(line, clean));
  }
  const index = optionIndex(field, text, form.mark);
  return index === undefined ? [state, []] : onForm((now) => picked(now, field, index))(state);
}

function optionIndex(field: FormField, text: string, mark: number): number | undefined {
  if (text === " ") return mark;
  if (field.type === "boolean") return text === "y" ? 0 : text === "n" ? 1 : undefined;
  return /^[1-9]$/.test(text) && Number(text) <= optionsOf(field).length ? Number(text) - 1 : undefined;
}

/** On to the next field; from the answers the marked one is taken. A faulty field keeps the keys. */
export const enteredForm = on((state, question) => {
  const { form } = question;
  if (form === undefined || state.now - question.since < ENTER_MS) return [state, []];
  if (form.at < form.fields.length) {
    const checked = withFault(form);
    const field = fieldAt(form);
    const stays = field !== undefined && checked.faults[field.name] !== undefined;
    return stays ? [changed(state, question, checked), []] : movedField(1)(state);
  }
  const action = FORM_ANSWERS[form.mark]?.[0] ?? "cancel";
  if (action !== "accept") return formAnswered(state, question, action);
  const { content, faults } = contentOf(form);
  const faulty = form.fields.findIndex(({ name }) => faults[name] !== undefined);
  if (faulty >= 0) return [changed(state, question, { ...form, faults, at: faulty, mark: markOf(form, faulty) }), []];
  return formAnswered(state, question, "accept", content);
});

/** The answer, once: the form stays until the owner says that it is closed. */
export function formAnswered(
  state: State,
  { request }: Question,
  answer: string,
  content?: Extract<Effect, { do: "answer" }>["content"],
): Updated {
  return [
    leftAlone(state),
    [{ do: "answer", request, kind: "form", answer, ...(content === undefined ? {} : { content }) }],
  ];
}
