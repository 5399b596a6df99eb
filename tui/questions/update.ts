import { EMPTY, insert } from "../composer/editor.js";
import { bindingFor, keyName } from "../model/keys.js";
import { type Context, type State, showMessage, type Updated } from "../model/state.js";
import { quits } from "../overlays/quit/update.js";
import type { Input } from "../terminal/decode.js";
import { closedByCtrlC, focusPanel, opened } from "./acts.js";
import { typedInForm } from "./form/acts.js";
import type { Question } from "./question.js";
import { asking, ENTER_MS, isHidden, isReached, isSettled, shownQuestion } from "./shown.js";
import { reportTouch } from "./touch.js";

/** Longest line that is typed into a panel. */
const MAX_LINE = 10_000;

/** Contexts of the panel while keys go to it; undefined: they go elsewhere. */
export function questionContexts(state: State): readonly Context[] | undefined {
  const question = shownQuestion(state);
  if (question === undefined || !isReached(state, question)) return undefined;
  return contextsOf(state, question);
}

const contextsOf = (state: State, question: Question): readonly Context[] =>
  question.form !== undefined ? ["fields"] : hasLine(state, question) ? ["answer"] : ["question"];

const hasLine = (state: State, question: Question): boolean =>
  isHidden(question) || state.questions.asking.line !== undefined;

/** Input while a question is open: an answer, or undefined where it is meant for something else. */
export function questionInput(state: State, input: Input): Updated | undefined {
  const question = shownQuestion(state);
  if (question === undefined || (input.type !== "key" && input.type !== "text" && input.type !== "paste"))
    return undefined;
  const reached = isReached(state, question);
  const [next, effects] = reportTouch(
    asking(state, { keyAt: state.now, settled: isSettled(state, question) }),
    question,
  );
  if (!reached)
    return isHasty(state, question, input)
      ? [showMessage(next, "A question arrived: Enter again sends, Alt+A answers it"), effects]
      : undefined;
  const taken =
    input.type === "key" ? onKey(next, question, input) : onText(next, question, input.text, input.type === "paste");
  return taken === undefined ? undefined : [taken[0], [...effects, ...taken[1]]];
}

/** A message that was typed before the question could be seen neither answers it nor is sent beside it. Quitting does not count as a message. */
const isHasty = ({ now, focus, inline, composer: { editor } }: State, { since }: Question, input: Input): boolean =>
  inline?.aloud !== true &&
  now - since < ENTER_MS &&
  focus === "composer" &&
  editor.text !== "" &&
  !quits(editor.text) &&
  input.type === "key" &&
  keyName(input) === "enter";

/** Every key that goes elsewhere tells that the user is typing: a question of the model waits for them. */
export function noteKey(state: State): Updated {
  const question = shownQuestion(state);
  if (question === undefined) return [state, []];
  const next = asking(state, { keyAt: state.now, settled: isSettled(state, question) });
  return question.kind === "clarify" || question.kind === "form" ? reportTouch(next, question) : [next, []];
}

function onKey(state: State, question: Question, key: Extract<Input, { type: "key" }>): Updated | undefined {
  if (key.ctrl && !key.alt && key.name === "c") return closedByCtrlC(state, question);
  const found = bindingFor(state, keyName(key), contextsOf(state, question));
  if (found !== undefined) return found.act(withLine(state, question));
  const printable = !key.ctrl && !key.alt && [...key.name].length === 1;
  return printable ? onText(state, question, key.name, false) : undefined;
}

/** A hidden value has its line from the first key on. */
const withLine = (state: State, question: Question): State =>
  isHidden(question) && state.questions.asking.line === undefined ? opened(state, "hidden", EMPTY)[0] : state;

/** One letter or digit chooses. A paste is never an answer, but may be typed into a line. */
function onText(state: State, question: Question, text: string, pasted: boolean): Updated | undefined {
  if (question.form !== undefined) return typedInForm(state, text);
  const { line } = withLine(state, question).questions.asking;
  if (line !== undefined) {
    const clean = text.replace(/[\x00-\x1f\x7f]+/g, " ");
    if (line.editor.text.length + clean.length > MAX_LINE) return [showMessage(state, "too long for this line"), []];
    return [asking(focusPanel(state), { line: { ...line, editor: insert(line.editor, clean) } }), []];
  }
  if (pasted) return undefined;
  const found = [...text].length === 1 ? bindingFor(state, text, ["question"]) : undefined;
  if (found !== undefined) return found.act(state);
  if (!state.questions.asking.focused) return undefined;
  if (question.kind !== "clarify") return [showMessage(state, "Esc to type a message", false, 2_000), []];
  return opened(state, "other", insert(EMPTY, text));
}
