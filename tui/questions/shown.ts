import { truncateToWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import type { Question } from "./question.js";
import type { Asking } from "./state.js";

/** Workspace part, 7.5: keys that were meant for the composer never answer a question. */
const SETTLE_MS = 600;
const PAUSE_MS = 400;
/** Enter takes no answer so soon. */
export const ENTER_MS = 1_000;

/** The question that the panel shows. */
export const shownQuestion = ({ questions }: State): Question | undefined =>
  questions.open[questions.asking.at] ?? questions.open[0];

export const asking = (state: State, change: Partial<Asking>): State => ({
  ...state,
  questions: { ...state.questions, asking: { ...state.questions.asking, ...change } },
});

export const isHidden = (question: Question): boolean => question.kind === "password" || question.kind === "secret";

/** It has been there for a moment, and nothing was typed for another one, neither before nor since it came. */
export const isSettled = ({ now, questions }: State, question: Question): boolean =>
  questions.asking.settled || (now - question.since >= SETTLE_MS && now - questions.asking.keyAt >= PAUSE_MS);

/** A key of now is for the question: it was reached by Alt+A, or the composer is empty. */
export const isReached = (state: State, question: Question): boolean =>
  isSettled(state, question) &&
  (state.questions.asking.focused || (state.focus === "composer" && state.composer.editor.text === ""));

/** Refusing stands first: Enter without looking does not allow anything. */
export function chosenAt({ questions }: State, question: Question): number {
  const deny = question.choices.findIndex((choice) => choice.answer === "deny" || choice.answer === "decline");
  const { choice } = questions.asking;
  return choice >= 0 && choice < question.choices.length ? choice : Math.max(0, deny);
}

/** What Enter does to the question while the composer is empty, for the line at the cursor. */
export function enterAnswers(state: State, question: Question): string {
  if (isHidden(question)) return "Enter: send the hidden value";
  const { line } = state.questions.asking;
  if (line !== undefined) return line.for === "reason" ? "Enter: deny with this reason" : "Enter: answer";
  if (question.kind === "clarify" && !isReached(state, question)) return "Enter: answer";
  if (!isReached(state, question) || state.now - question.since < ENTER_MS)
    return "a question is open · Alt+A: answer it";
  if (question.form !== undefined)
    return question.form.at < question.form.fields.length ? "Enter: next field" : "Enter: confirm";
  const choice = question.choices[chosenAt(state, question)];
  if (choice === undefined) return "Enter: answer in your own words";
  return question.kind === "approval" || question.kind === "form"
    ? `Enter: ${nameOf(choice.label)}`
    : `Enter: answer ${truncateToWidth(choice.label, LABEL_CELLS)}`;
}

const LABEL_CELLS = 40;
/** Without the brackets around its key. */
const nameOf = (label: string): string => label.replace(/[[\]]/g, "");

/** A message that is sent now answers the shown question. */
export function answersQuestion(state: State): Question | undefined {
  const question = shownQuestion(state);
  return question?.kind === "clarify" && !state.questions.asking.aside ? question : undefined;
}
