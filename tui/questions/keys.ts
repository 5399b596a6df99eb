import type { Binding, State, Updated } from "../model/state.js";
import { editKeys } from "../overlays/edit-keys.js";
import { escaped, lineSent, moved, opened, pathAsked, taken, takenBy, wholeShown, widened } from "./acts.js";
import { FORM_KEYS } from "./form/keys.js";
import { paged, scrolled } from "./scroll.js";
import { asking, shownQuestion } from "./shown.js";

const isApproval = (state: State): boolean => shownQuestion(state)?.kind === "approval";
const isConsent = (state: State): boolean => shownQuestion(state)?.kind === "form";
const offers = (key: string) => (state: State) => shownQuestion(state)?.choices.some((one) => one.key === key) ?? false;

/** Some answer has a wider rule; which one is marked now does not matter, so that the key never goes elsewhere. */
const widens = (state: State): boolean =>
  shownQuestion(state)?.choices.some((one) => Object.keys(one.rules).length > 1) ?? false;

const ANSWERS: readonly (readonly [key: string, name: string])[] = [
  ["o", "once; agree and copy the address"],
  ["y", "agree"],
  ["e", "allow all edits here"],
  ["s", "for this session"],
  ["p", "for the project"],
  ["a", "always"],
  ["d", "deny, decline"],
];

/** Keys of the panel of a question (workspace part, 7.5 and 7.6). */
const PANEL: readonly Binding[] = [
  ...ANSWERS.map(
    ([key, label]): Binding => ({
      id: `question.${key}`,
      context: "question",
      keys: [key],
      label,
      act: takenBy(key),
      when: (state) => (isApproval(state) || isConsent(state)) && offers(key)(state),
    }),
  ),
  ...["1", "2", "3", "4", "5"].map(
    (key): Binding => ({
      id: `question.${key}`,
      context: "question",
      keys: [key],
      label: `choice ${key}`,
      when: offers(key),
      act: takenBy(key),
    }),
  ),
  {
    id: "question.take",
    context: "question",
    keys: ["enter"],
    label: "confirm the marked answer",
    hint: "Enter confirm",
    act: taken,
  },
  {
    id: "question.width",
    context: "question",
    keys: ["w"],
    label: "scope of the rule",
    hint: "w width",
    when: (state) => isApproval(state) && widens(state),
    act: widened,
  },
  {
    id: "question.reason",
    context: "question",
    keys: ["t"],
    label: "deny with a reason",
    hint: "t reason",
    when: isApproval,
    act: (state) => opened(state, "reason"),
  },
  {
    id: "question.whole",
    context: "question",
    keys: ["v"],
    label: "show the full text",
    hint: "v whole",
    when: (state) => isApproval(state) || isConsent(state),
    act: wholeShown,
  },
  {
    id: "question.path",
    context: "question",
    keys: ["i"],
    label: "why approval is needed",
    hint: "i why",
    when: (state) => shownQuestion(state)?.isCommand === true,
    act: pathAsked,
  },
  { id: "question.right", context: "question", keys: ["right", "tab"], label: "next answer", act: moved(1) },
  { id: "question.left", context: "question", keys: ["left", "shift+tab"], label: "previous answer", act: moved(-1) },
  { id: "question.down", context: "question", keys: ["down"], label: "scroll down, next answer", act: scrolled(1) },
  { id: "question.up", context: "question", keys: ["up"], label: "scroll up, previous answer", act: scrolled(-1) },
  {
    id: "question.pageDown",
    context: "question",
    keys: ["pagedown"],
    label: "page down",
    when: isApproval,
    act: paged(1),
  },
  { id: "question.pageUp", context: "question", keys: ["pageup"], label: "page up", when: isApproval, act: paged(-1) },
  {
    id: "question.leave",
    context: "question",
    keys: ["escape"],
    label: "back to the composer; no answer",
    hint: "Esc back",
    when: ({ questions }) => questions.asking.focused,
    act: escaped,
  },
];

const edited = (state: State, change: Parameters<Parameters<typeof editKeys>[1]>[1]): Updated => {
  const { line } = state.questions.asking;
  return line === undefined ? [state, []] : [asking(state, { line: { ...line, editor: change(line.editor) } }), []];
};

/** Keys of a line that is typed in the panel. */
const LINE: readonly Binding[] = [
  { id: "answer.send", context: "answer", keys: ["enter"], label: "send", hint: "Enter send", act: lineSent },
  { id: "answer.leave", context: "answer", keys: ["escape"], label: "back", hint: "Esc back", act: escaped },
  ...editKeys("answer", edited),
];

export const QUESTION_KEYS: readonly Binding[] = [...PANEL, ...LINE, ...FORM_KEYS];
