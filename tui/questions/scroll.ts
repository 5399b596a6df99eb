import { layoutOf } from "../layout/layout.js";
import type { State } from "../model/state.js";
import { focusPanel, moved, on } from "./acts.js";
import { asking } from "./shown.js";
import { questionPanel } from "./view.js";

/** The text of an approval moves by rows; elsewhere another choice is marked. */
export const scrolled = (by: 1 | -1) =>
  on((state, question) => (question.kind === "approval" ? [rowsDown(state, by), []] : moved(by)(state)));

/** The text moves by rows, whatever is asked: the wheel. */
export const rolled = (by: number) => on((state) => [rowsDown(state, by), []]);

/** The text moves by what is visible of it, less one row that stays in sight. */
export const paged = (by: 1 | -1) => on((state) => [rowsDown(state, by * Math.max(1, extentOf(state).page - 1)), []]);

/** It stops at both ends, so that the first key in the other direction is seen. */
function rowsDown(state: State, by: number): State {
  const { last } = extentOf(state);
  const top = Math.min(state.questions.asking.top, last) + by;
  return asking(focusPanel(state), { top: Math.max(0, Math.min(top, last)) });
}

/** Line mode gives the panel the width of the terminal. */
function extentOf(state: State) {
  const { width, height } =
    state.inline === undefined
      ? layoutOf(state).question
      : { width: state.columns, height: Math.floor(state.rows / 2) };
  return questionPanel(state, width, height).scroll;
}
