import type { Message } from "../model/messages.js";
import type { Reducer, State, Updated } from "../model/state.js";
import { askedElsewhere, elsewhereList, noQuestions, questionEvent, questionList } from "./events.js";
import { pathShown } from "./path.js";
import { shownQuestion } from "./shown.js";
import { reportTouch } from "./touch.js";

/** Questions of the shown conversation, and word of those of others. */
export const questionsReducer: Reducer = (state, message) => {
  switch (message.type) {
    case "session":
      return message.fresh === true ? [noQuestions(state), []] : undefined;
    case "questions":
      return [questionList(state, message.rows), [ALL]];
    case "chat":
      return questionEvent(state, message.event, message.data);
    case "askedElsewhere":
      return [askedElsewhere(state, message), []];
    case "called":
      return called(state, message);
    case "tick":
      return held(state);
    default:
      return undefined;
  }
};

const ALL = { do: "call", method: "question.list", params: {}, to: "questions.all", reads: true } as const;

function held(state: State): Updated | undefined {
  const question = shownQuestion(state);
  return question === undefined || !state.questions.asking.focused ? undefined : reportTouch(state, question);
}

function called(state: State, message: Extract<Message, { type: "called" }>): Updated | undefined {
  const [what, request = ""] = message.to.split(":", 2);
  if (what === "questions.path") return [pathShown(state, message), []];
  if (!message.ok) return undefined; // a closed question is reported by its event
  if (what === "questions.all")
    return Array.isArray(message.result) ? [elsewhereList(state, message.result), []] : undefined;
  return what === "questions.touch" ? [expires(state, request, message.result), []] : undefined;
}

/** The owner says until when it waits from now on. */
function expires(state: State, request: string, result: unknown): State {
  const until: unknown = typeof result === "object" && result !== null ? Reflect.get(result, "expires_at") : undefined;
  const times =
    typeof until === "number"
      ? { expiresAt: until, left: until - state.wall }
      : { expiresAt: undefined, left: undefined };
  const open = state.questions.open.map((one) => (one.request === request ? { ...one, ...times } : one));
  return { ...state, questions: { ...state.questions, open } };
}
