import type { FormField, FormValue } from "../../../lib/contracts/chat/form.js";
import { CANCEL_WORD, DECLINE_WORD, fieldHint, parseField, SKIP_WORD } from "../../../lib/contracts/chat/form-text.js";
import { replaceAll } from "../../composer/editor.js";
import type { State, Updated } from "../../model/state.js";
import type { Question } from "../question.js";
import { changed, fieldAt, formAnswered, withFault } from "./acts.js";
import { contentOf, type Filled, filledText, isPicked } from "./form.js";

/** Lines that ask for the field that comes next, where nothing is drawn again. */
export function formLines(form: Filled): readonly string[] {
  const field = fieldAt(form);
  if (field === undefined) return [];
  const { label, required, description, choices = [] } = field;
  const fault = form.faults[field.name];
  const given = filledText(form, field);
  const facts = [required ? "required" : "optional", fieldHint(field), given === "" ? "" : `empty line: ${given}`];
  return [
    ...(fault === undefined ? [] : [`  ${label}: ${fault}`]),
    `  ${label} (${facts.filter((part) => part !== "").join(", ")})`,
    ...(description === undefined ? [] : [`    ${description}`]),
    ...choices.map((choice, at) => `    ${at + 1} ${choice.label}`),
  ];
}

/** A line that was typed for the field that is asked for. */
export function formLine(state: State, question: Question, form: Filled, line: string): Updated {
  const word = line.trim().toLowerCase();
  if (word === CANCEL_WORD || word === DECLINE_WORD) return formAnswered(state, question, word);
  const field = fieldAt(form);
  if (field === undefined) return sent(state, question, form);
  const next = withFault(put(form, field, word === SKIP_WORD ? "" : line, word === SKIP_WORD));
  if (next.faults[field.name] !== undefined) return [changed(state, question, { ...next, tries: next.tries + 1 }), []];
  const on = { ...next, at: next.at + 1 };
  return on.at < on.fields.length ? [changed(state, question, on), []] : sent(state, question, on);
}

/** An empty line keeps what is there; a skipped field has no value. */
function put(form: Filled, field: FormField, line: string, skipped: boolean): Filled {
  if (line.trim() === "" && !skipped) return form;
  const parsed = parseField(field, line);
  if (!isPicked(field)) {
    const before = form.lines[field.name];
    return before === undefined ? form : { ...form, lines: { ...form.lines, [field.name]: replaceAll(before, line) } };
  }
  const { [field.name]: _before, ...picks } = form.picks;
  if (skipped) return { ...form, picks };
  const value: FormValue = "fault" in parsed || parsed.value === undefined ? line.trim() : parsed.value;
  return { ...form, picks: { ...picks, [field.name]: value } };
}

function sent(state: State, question: Question, form: Filled): Updated {
  const { content, faults } = contentOf(form);
  const faulty = form.fields.findIndex(({ name }) => faults[name] !== undefined);
  if (faulty >= 0) return [changed(state, question, { ...form, faults, at: faulty, tries: form.tries + 1 }), []];
  return formAnswered(state, question, "accept", content);
}
