import type { State, Updated } from "../model/state.js";
import type { Question } from "./question.js";
import { asking } from "./shown.js";

/** How often the owner learns that the user looks. */
const TOUCH_MS = 10_000;

/** The owner learns it again and again while the panel has the keys: its time stands still. */
export function reportTouch(state: State, question: Question): Updated {
  if (state.now - state.questions.asking.touchedAt < TOUCH_MS) return [state, []];
  const { request } = question;
  return [
    asking(state, { touchedAt: state.now }),
    [{ do: "call", method: "question.touch", params: { request }, to: `questions.touch:${request}` }],
  ];
}
