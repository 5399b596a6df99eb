import { pushNote } from "../chat/push.js";
import type { ToolItem } from "../chat/state.js";
import { sanitizeLine } from "../draw/sanitize.js";
import type { State, Updated } from "../model/state.js";
import type { AskedElsewhere } from "./messages.js";
import { type Question, toQuestion, toSummary } from "./question.js";
import { type Asking, NOT_ASKING } from "./state.js";
import { holds } from "./waiting.js";

type Data = Readonly<Record<string, unknown>>;

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
  return [{ ...next, chat: pushNote(begunNow(next, question), decided(question, data)) }, []];
}

/** The wait for the answer does not count as time of the call. */
function begunNow({ chat, now }: State, question: Question): State["chat"] {
  const begun = (call: ToolItem): ToolItem =>
    holds(question, call) ? { ...call, since: now, inner: call.inner.map(begun) } : call;
  return { ...chat, items: chat.items.map((item) => (item.kind === "tool" ? begun(item) : item)) };
}

/** The open questions as the owner lists them; what was shown before keeps its place. */
export function questionList(state: State, rows: readonly Data[]): State {
  const known = new Map(state.questions.open.map((one) => [one.request, one]));
  const open = rows.flatMap((row) => {
    const inner = typeof row["data"] === "object" && row["data"] !== null ? { ...row["data"] } : {};
    const question = toQuestion(String(row["kind"]), { ...row, ...inner }, state.now);
    return question === undefined ? [] : [known.get(question.request) ?? question];
  });
  const before = state.questions.open[state.questions.asking.at];
  const at = open.findIndex((one) => one.request === before?.request);
  const asking = at < 0 ? fresh(state) : { ...state.questions.asking, at };
  return { ...state, questions: { ...state.questions, open, asking } };
}

function added(state: State, question: Question): State {
  if (state.questions.open.some((one) => one.request === question.request)) return state;
  const { open, asking } = state.questions;
  return {
    ...state,
    questions: { ...state.questions, open: [...open, question], asking: open.length === 0 ? fresh(state) : asking },
  };
}

const fresh = (state: State): Asking => ({ ...NOT_ASKING, keyAt: state.questions.asking.keyAt });

/** When the shown one goes, the oldest is seen from now on: its time for a look begins. */
function without(state: State, request: string): State {
  const { open, asking } = state.questions;
  const shown = open[asking.at];
  const left = open.filter((one) => one.request !== request);
  if (shown === undefined || shown.request !== request) {
    const at = Math.max(
      0,
      left.findIndex((one) => one.request === shown?.request),
    );
    return { ...state, questions: { ...state.questions, open: left, asking: { ...asking, at } } };
  }
  const [first, ...rest] = left;
  const next = first === undefined ? [] : [{ ...first, since: state.now }, ...rest];
  const back = asking.focused ? { ...state, focus: asking.from } : state;
  return { ...back, questions: { ...state.questions, open: next, asking: fresh(state) } };
}

/** Another conversation has its own, which are shown as soon as it is followed. */
export const noQuestions = (state: State): State => ({
  ...state,
  questions: { ...state.questions, open: [], asking: fresh(state) },
});

function decided(question: Question, data: Data): string {
  const by = sanitizeLine(String(data["by"] ?? ""));
  const answer = typeof data["answer"] === "string" ? sanitizeLine(data["answer"]) : "no answer";
  const what = sanitizeLine(question.kind === "form" ? question.title : question.body).slice(0, 120);
  if (question.kind === "password" || question.kind === "secret") return `${question.kind}: ${what} (${by})`;
  return `${question.kind}: ${what} → ${answer} (${by})`;
}

/** A question of a conversation that is not shown is counted until it is closed. */
export function askedElsewhere(state: State, { session, event, data }: AskedElsewhere): State {
  const [kind = "", what = ""] = event.split(".");
  const request = String(data["request"] ?? "");
  const rest = state.questions.elsewhere.filter((one) => one.request !== request);
  const counted = (list: State["questions"]["elsewhere"]): State => ({
    ...state,
    questions: { ...state.questions, elsewhere: list },
  });
  if (what !== "requested") return counted(rest);
  return counted([...rest, { request, session, what: toSummary(kind, data) }]);
}

/** The questions of all conversations as the owner lists them. */
export function elsewhereList(state: State, rows: readonly unknown[]): State {
  const own = new Set(state.questions.open.map((one) => one.request));
  const elsewhere = rows.flatMap((row) => {
    if (typeof row !== "object" || row === null) return [];
    const { request, session_id: session, kind, data } = row as Data; // an object that is not null
    const inner = typeof data === "object" && data !== null ? { ...data } : {};
    if (typeof request !== "string" || typeof session !== "string" || own.has(request) || session === state.session.id)
      return [];
    return [{ request, session, what: toSummary(String(kind), inner) }];
  });
  return { ...state, questions: { ...state.questions, elsewhere } };
}
