import type { ToolItem } from "../chat/state.js";
import type { State } from "../model/state.js";
import type { Question } from "./question.js";

/** Whether a call does nothing before an open question is answered: its own, or that of a call which it makes. */
export const waits = ({ questions }: State, call: ToolItem): boolean =>
  questions.open.some((question) => holds(question, call));

/** Whether a question holds a call up. One of the model is a call itself, whose id is not told. */
export const holds = (question: Question, call: ToolItem): boolean =>
  (call.state === "running" &&
    (question.call === "" ? question.kind === "clarify" && call.name === "clarify" : question.call === call.callId)) ||
  call.inner.some((one) => holds(question, one));
