import { noted } from "../chat/push.js";
import type { Input, KeyInput } from "../decode.js";
import type { Effect } from "../messages.js";
import { sanitizeLine } from "../sanitize.js";
import { type State, say, type Updated } from "../state.js";
import { type Question, toQuestion } from "./question.js";
import { type Asking, NOT_ASKING } from "./state.js";

type Data = Readonly<Record<string, unknown>>;

/** Workspace part, 7.5: keys that were meant for the composer never answer a question. */
const SETTLE_MS = 600;
const PAUSE_MS = 400;
/** Enter takes no answer so soon. */
const ENTER_MS = 1_000;
/** How often the owner is told that somebody looks. */
const TOUCH_MS = 10_000;
/** How long a first Ctrl+C counts. */
const AGAIN_MS = 2_000;

/** A question was asked or closed. */
export function questionEvent(state: State, event: string, data: Data): Updated | undefined {
  const [kind = "", what = ""] = event.split(".");
  if (what === "requested") {
    const question = toQuestion(kind, data, state.now);
    return question === undefined ? undefined : [added(state, question), []];
  }
  if (what !== "resolved" || typeof data["request"] !== "string") return undefined;
  const question = state.questions.open.find((one) => one.request === data["request"]);
  if (question === undefined) return undefined;
  const next = without(state, question.request);
  return [{ ...next, chat: noted(next.chat, decided(question, data)) }, []];
}

/** The open questions as the owner lists them; what was shown before keeps its place. */
export function questionList(state: State, rows: readonly Data[]): State {
  const known = new Map(state.questions.open.map((one) => [one.request, one]));
  const questions = rows.flatMap((row) => {
    const inner = typeof row["data"] === "object" && row["data"] !== null ? { ...row["data"] } : {};
    const question = toQuestion(String(row["kind"]), { ...row, ...inner }, state.now);
    return question === undefined ? [] : [known.get(question.request) ?? question];
  });
  const same = questions[0]?.request === state.questions.open[0]?.request;
  return { ...state, questions: { open: questions, asking: same ? state.questions.asking : fresh(state) } };
}

const added = (state: State, question: Question): State => {
  if (state.questions.open.some((one) => one.request === question.request)) return state;
  const { open, asking: before } = state.questions;
  return { ...state, questions: { open: [...open, question], asking: open.length === 0 ? fresh(state) : before } };
};

const fresh = (state: State): Asking => ({ ...NOT_ASKING, keyAt: state.questions.asking.keyAt });

/** The next question is seen from now on: its time for a look begins. */
function without(state: State, request: string): State {
  const questions = state.questions.open.filter((one) => one.request !== request);
  if (questions.length === state.questions.open.length) return state;
  const [first, ...rest] = questions;
  const open = first === undefined ? [] : [{ ...first, since: state.now }, ...rest];
  return { ...state, questions: { open, asking: fresh(state) } };
}

function decided(question: Question, data: Data): string {
  const by = sanitizeLine(String(data["by"] ?? ""));
  const answer = typeof data["answer"] === "string" ? sanitizeLine(data["answer"]) : "no answer";
  const what = sanitizeLine(question.body).slice(0, 120);
  if (question.kind === "password" || question.kind === "secret") return `${question.kind}: ${what} (${by})`;
  return `${question.kind}: ${what} → ${answer} (${by})`;
}

/** Input while a question is open: an answer, or undefined where it is meant for something else. */
export function questionInput(state: State, input: Input): Updated | undefined {
  const [question] = state.questions.open;
  if (input.type !== "key" && input.type !== "text" && input.type !== "paste") return undefined;
  if (question === undefined) return undefined;
  const reached = state.questions.asking.focused || isReached(state, question);
  const [next, effects] = touched(asking(state, { keyAt: state.now }), question);
  if (input.type === "key" && input.alt && input.name === "a") return [focused(next), effects];
  if (!reached || (input.type === "key" && (input.alt || isOther(input)))) return undefined;
  const taken = input.type === "key" ? onKey(next, question, input) : onText(next, question, input.text, input.type === "paste");
  return taken === undefined ? undefined : [taken[0], [...effects, ...taken[1]]];
}

/** Every key that goes elsewhere tells that the user is typing. */
export const noteKey = (state: State): State => (state.questions.open.length === 0 ? state : asking(state, { keyAt: state.now }));

const isOther = ({ name, ctrl }: KeyInput): boolean => /^f\d+$/.test(name) || (ctrl && name !== "c");

/** The composer is empty, and nothing was typed for a moment, neither before nor since the question came. */
function isReached(state: State, question: Question): boolean {
  const { now, questions, focus, composer } = state;
  const still = now - question.since >= SETTLE_MS && now - questions.asking.keyAt >= PAUSE_MS;
  return focus === "composer" && composer.editor.text === "" && still;
}

function touched(state: State, question: Question): Updated {
  if (state.now - state.questions.asking.touchedAt < TOUCH_MS) return [state, []];
  return [asking(state, { touchedAt: state.now }), [{ do: "touch", request: question.request }]];
}

const asking = (state: State, change: Partial<Asking>): State => ({
  ...state,
  questions: { ...state.questions, asking: { ...state.questions.asking, ...change } },
});
const focused = (state: State): State => asking({ ...state, focus: "composer" }, { focused: true });
const left = (state: State): State => asking(state, { focused: false, typed: undefined, armed: false });

function onKey(state: State, question: Question, key: KeyInput): Updated | undefined {
  const { typed, armed } = state.questions.asking;
  if (key.ctrl && key.name === "c") {
    if (armed) return refuse(state, question);
    return [say(asking(state, { armed: true }), "Press Ctrl+C again to refuse", false, AGAIN_MS), []];
  }
  if (isHidden(question) || typed !== undefined) return onTyped(state, question, key);
  switch (key.name) {
    case "escape":
      return question.kind === "clarify" && state.questions.asking.focused ? refuse(state, question) : [left(state), []];
    case "left":
    case "right":
    case "tab":
      return [moved(focused(state), question, key.name === "left" || key.shift ? -1 : 1), []];
    case "up":
    case "down":
    case "pageup":
    case "pagedown":
      return [scrolled(focused(state), key.name), []];
    case "enter":
      return entered(state, question);
    default:
      return key.name.length === 1 ? onText(state, question, key.name, false) : undefined;
  }
}

function moved(state: State, question: Question, by: number): State {
  const count = question.choices.length;
  return count === 0 ? state : asking(state, { choice: (chosen(state, question) + by + count) % count });
}

function scrolled(state: State, name: string): State {
  const by = { up: -1, down: 1, pageup: -8, pagedown: 8 }[name] ?? 0;
  return asking(state, { top: Math.max(0, state.questions.asking.top + by) });
}

/** Refusing stands first: whoever presses Enter without looking allows nothing. */
export function chosen(state: State, question: Question): number {
  const deny = question.choices.findIndex((choice) => choice.answer === "deny");
  return state.questions.asking.choice >= 0 ? state.questions.asking.choice : Math.max(0, deny);
}

function entered(state: State, question: Question): Updated | undefined {
  if (!state.questions.asking.focused || state.now - question.since < ENTER_MS)
    return state.questions.asking.focused ? [state, []] : undefined;
  const choice = question.choices[chosen(state, question)];
  return choice === undefined ? undefined : answer(state, question, choice.answer);
}

/** One letter or digit chooses. A paste is never an answer. */
function onText(state: State, question: Question, text: string, pasted: boolean): Updated | undefined {
  if (isHidden(question) || state.questions.asking.typed !== undefined)
    return [asking(state, { typed: (state.questions.asking.typed ?? "") + text }), []];
  if (pasted) return undefined;
  const choice = question.choices.find((one) => one.key === text);
  if (choice !== undefined) return answer(state, question, choice.answer);
  if (text === "t" && question.kind === "approval") return [asking(focused(state), { typed: "" }), []];
  return state.questions.asking.focused && question.kind === "approval" ? [state, []] : undefined;
}

/** A reason for the refusal, or a value that nobody may see. */
function onTyped(state: State, question: Question, key: KeyInput): Updated {
  const typed = state.questions.asking.typed ?? "";
  if (key.name === "escape") return isHidden(question) ? refuse(state, question) : [asking(state, { typed: undefined }), []];
  if (key.name === "backspace") return [asking(state, { typed: [...typed].slice(0, -1).join("") }), []];
  if (key.name === "enter") return answer(state, question, isHidden(question) ? typed : "deny", isHidden(question) ? "" : typed);
  return key.name.length === 1 && !key.ctrl ? [asking(state, { typed: typed + key.name }), []] : [state, []];
}

const isHidden = (question: Question): boolean => question.kind === "password" || question.kind === "secret";

const refuse = (state: State, question: Question): Updated => answer(state, question, question.kind === "approval" ? "deny" : null);

/** It stays on the screen until the owner says that it is closed: the answer may be too late. */
function answer(state: State, question: Question, given: string | null, text = ""): Updated {
  const effect: Effect = { do: "answer", request: question.request, kind: question.kind, answer: given, ...(text === "" ? {} : { text }) };
  return [left(state), [effect]];
}

/** What was typed and sent while a clarification is open answers it. */
export function clarifyWith(state: State, text: string): Effect | undefined {
  const [question] = state.questions.open;
  return question?.kind === "clarify" ? { do: "answer", request: question.request, kind: "clarify", answer: text } : undefined;
}
