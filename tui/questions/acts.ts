import { RULE_WIDTHS, type RuleWidth } from "../../lib/contracts/chat/questions.js";
import { type Editor, EMPTY } from "../composer/editor.js";
import type { Effect } from "../model/messages.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import type { Choice, Question } from "./question.js";
import { asking, chosenAt, ENTER_MS, isHidden, shownQuestion } from "./shown.js";
import type { AnswerLine } from "./state.js";
import { reportTouch } from "./touch.js";

/** How long a first Ctrl+C counts. */
const AGAIN_MS = 2_000;

/** The panel has the keys from now on. */
export function focusPanel(state: State): State {
  const { asking: now } = state.questions;
  return asking(
    { ...state, focus: "composer" },
    { focused: true, settled: true, from: now.focused ? now.from : state.focus },
  );
}

/** They go where they went before. */
export function leftAlone(state: State): State {
  const { asking: now } = state.questions;
  const back = now.focused ? { ...state, focus: now.from } : state;
  return asking(back, { focused: false, line: undefined, armed: undefined });
}

/** An action on the shown question. */
export const on =
  (act: (state: State, question: Question) => Updated) =>
  (state: State): Updated => {
    const question = shownQuestion(state);
    return question === undefined ? [state, []] : act(state, question);
  };

/** Mark another choice. */
export const moved = (by: number) =>
  on((state, question) => {
    const { choices } = question;
    if (choices.length === 0) return [state, []];
    const next = asking(focusPanel(state), {
      choice: (chosenAt(state, question) + by + choices.length) % choices.length,
    });
    return [fittingWidth(next, question), []];
  });

/** A press on an answer: one that may store a rule is marked first, so that the rule is seen, and taken by a press on the marked one. */
export const pressed = (at: number) =>
  on((state, question) => {
    const same = chosenAt(state, question) === at;
    const next = fittingWidth(asking(focusPanel(state), { choice: at }), question);
    return same || question.kind === "clarify" ? taken(next) : [next, []];
  });

/** Take the marked choice. */
export const taken = on((state, question) => {
  if (state.now - question.since < ENTER_MS) return [state, []];
  const choice = question.choices[chosenAt(state, question)];
  return choice === undefined ? opened(state, "other") : chosen(state, question, choice);
});

/** Take the choice that this key names. */
export const takenBy = (key: string) =>
  on((state, question) => {
    const choice = question.choices.find((one) => one.key === key);
    return choice === undefined ? [state, []] : chosen(state, question, choice);
  });

function chosen(state: State, question: Question, choice: Choice): Updated {
  if (question.kind === "form") return consented(state, question, choice.answer);
  if (choice.answer === "") return opened(state, "other");
  const { width } = state.questions.asking;
  return answer(
    state,
    question,
    choice.answer,
    choice.rules[width] === undefined || width === "exact" ? {} : { width },
  );
}

/** Nothing opens the address but the person: it is on the clipboard once they agreed. */
function consented(state: State, question: Question, answered: string): Updated {
  const copies = answered === "copy" && question.url !== undefined;
  const [next, effects] = answer(state, question, copies ? "accept" : answered);
  return [next, copies ? [...effects, { do: "copy", text: question.url ?? "", what: "the address" }] : effects];
}

/** A line for a reason or an answer of one's own. */
export const opened = (state: State, what: AnswerLine["for"], editor: Editor = EMPTY): Updated => [
  asking(focusPanel(state), { line: { for: what, editor } }),
  [],
];

/** What was typed in the line is the answer, or the reason of the refusal. */
export const lineSent = on((state, question) => {
  const { line } = state.questions.asking;
  if (line === undefined) return [state, []];
  const { text } = line.editor;
  if (line.for === "reason") return answer(state, question, "deny", text === "" ? {} : { text });
  return text.trim() === "" ? [state, []] : answer(state, question, text);
});

/** Back from the line; without one the composer has the keys again, or the user gives no answer. */
export const escaped = on((state, question) => {
  const { line } = state.questions.asking;
  if (isHidden(question)) return refused(state, question);
  if (line !== undefined) return [asking(state, { line: undefined }), []];
  return question.kind === "clarify" ? refused(state, question) : [leftAlone(state), []];
});

/** Widths that the marked choice offers, the narrowest first. */
export const widthsOf = (choice: Choice | undefined): readonly RuleWidth[] =>
  RULE_WIDTHS.filter((width) => choice?.rules[width] !== undefined);

export const widened = on((state, question) => {
  const widths = widthsOf(question.choices[chosenAt(state, question)]);
  if (widths.length < 2)
    return [showMessage(state, widths.length === 0 ? "this answer stores no rule" : "no wider rule for this"), []];
  const at = widths.indexOf(state.questions.asking.width);
  return [asking(focusPanel(state), { width: widths[(at + 1) % widths.length] ?? "exact" }), []];
});

/** A width that the newly marked choice does not have is the narrowest again. */
function fittingWidth(state: State, question: Question): State {
  const choice = question.choices[chosenAt(state, question)];
  return widthsOf(choice).includes(state.questions.asking.width) ? state : asking(state, { width: "exact" });
}

/** The whole text above the panes. */
export const wholeShown = on((state, question) => {
  const address = question.url === undefined ? [] : ["", question.url];
  const body = [...question.body.split("\n"), ...address].map((line) => ["code", line] as const);
  const diff =
    question.diff === ""
      ? []
      : [["text", ""] as const, ...question.diff.split("\n").map((line) => ["diff", line] as const)];
  return [
    {
      ...focusPanel(state),
      overlay: {
        kind: "read",
        title: question.title,
        lines: [...body, ...diff, ...partLines(question)],
        exact: true,
        top: 0,
      },
    },
    [],
  ];
});

/** Every part with its risk, and why it is asked. */
function partLines({ parts, reasons }: Question): readonly (readonly ["text" | "heading", string])[] {
  if (parts.length < 2 && reasons.length === 0) return [];
  const told = parts.map(
    ({ argv, risk, why }) => `  ${argv}   ${risk === "" ? "needs no approval" : risk}${why === "" ? "" : `: ${why}`}`,
  );
  return [
    ["text", ""],
    ["heading", "parts"],
    ...[...reasons.map((one) => `  ${one}`), ...told].map((line) => ["text", line] as const),
  ];
}

/** How the rules come to ask about it. */
export const pathAsked = on((state, question) => [
  focusPanel(state),
  [
    {
      do: "call",
      method: "question.explain",
      reads: true,
      to: `questions.path:${question.request}`,
      params: { request: question.request },
    },
  ],
]);

/** Alt+A: to the question, then to the next one, then back to the composer. Without one: to the conversation that has one. */
export function focusQuestion(state: State): Updated {
  const { open, asking: now, elsewhere } = state.questions;
  const question = shownQuestion(state);
  if (question === undefined) {
    const [other] = elsewhere;
    return other === undefined
      ? [showMessage(state, "no open question"), []]
      : [state, [{ do: "open", session: other.session }]];
  }
  if (!now.focused) return reportTouch(asking(focusPanel(state), { aside: false }), question);
  const fresh = { choice: -1, width: "exact", line: undefined, top: 0, armed: undefined } as const;
  if (now.at + 1 < open.length) return [asking(focusPanel(state), { ...fresh, at: now.at + 1 }), []];
  return [asking(leftAlone(state), { ...fresh, at: 0, aside: question.kind === "clarify" }), []];
}

/** Ctrl+C over a question: an approval is refused by the second one, the others are closed. Undefined: it is for something else. */
export function closedByCtrlC(state: State, question: Question): Updated {
  if (question.kind !== "approval") return refused(state, question);
  const { armed } = state.questions.asking;
  if (armed !== undefined && armed > state.now) return refused(state, question);
  return [
    showMessage(
      asking(focusPanel(state), { armed: state.now + AGAIN_MS }),
      "Press Ctrl+C again to deny",
      false,
      AGAIN_MS,
    ),
    [],
  ];
}

const refused = (state: State, question: Question): Updated =>
  answer(state, question, question.kind === "approval" ? "deny" : null);

/** It stays on the screen until the owner says that it is closed: the answer may be too late. */
function answer(
  state: State,
  { request, kind }: Question,
  given: string | null,
  more: { text?: string; width?: RuleWidth } = {},
): Updated {
  const effect: Effect = { do: "answer", request, kind, answer: given, ...more };
  return [leftAlone(state), [effect]];
}

/** What was typed and sent while a clarification is open answers it. */
export const answeredBy = ({ request }: Question, text: string): Effect => ({
  do: "answer",
  request,
  kind: "clarify",
  answer: text,
});
