import { sanitizeLine } from "../draw/sanitize.js";
import type { CallResult, Message } from "../model/messages.js";
import type { Reducer, State, Updated } from "../model/state.js";
import { commentAnswered, commentFilled } from "./card.js";
import { withRuns } from "./list.js";
import type { RunsMessage } from "./messages.js";
import { infoOf, withFacts } from "./open.js";
import { stopAnswered, stopped } from "./stop.js";
import { RUN_CHAT, transcriptFed } from "./transcript.js";

/** What works by itself, and the one of it that is looked at. */
export const runsReducer: Reducer = (given, message) => {
  const state = ownSession(given);
  return changed(state, message) ?? (state === given ? undefined : [state, []]);
};

/** Turns of the conversation that the chat shows are seen there. */
function ownSession(state: State): State {
  if (state.runs.own === state.session.id) return state;
  const runs = { ...state.runs, own: state.session.id };
  return { ...state, runs: withRuns(runs, runs.all) };
}

function changed(state: State, message: Message): Updated | undefined {
  switch (message.type) {
    case "runs.read":
    case "runs.failed":
    case "run.changed":
    case "run.gone":
    case "run.chat":
    case "run.failed":
      return fed(state, message);
    case "called":
      return called(state, message);
    case "confirmed":
      return message.asker === "runs.stop" ? stopped(state, message) : undefined;
    case "filled":
      return message.asker === "runs.comment" ? commentFilled(state, message) : undefined;
    default:
      return undefined;
  }
}

function fed(state: State, message: RunsMessage): Updated {
  const { runs } = state;
  switch (message.type) {
    case "runs.read": {
      const all = new Map(message.rows.map((row) => [row.id, row]));
      return [{ ...state, runs: withRuns({ ...runs, phase: "ready" }, all) }, []];
    }
    case "runs.failed":
      return [
        runs.phase === "ready"
          ? state
          : { ...state, runs: { ...runs, phase: "failed", error: sanitizeLine(message.message) } },
        [],
      ];
    case "run.changed": {
      const all = new Map(runs.all).set(message.row.id, message.row);
      const next = { ...state, runs: withRuns(runs, all) };
      const looked = runs.opened?.id === message.row.id && runs.opened.aspect === "information";
      return [next, looked ? [infoOf(message.row.id)] : []];
    }
    case "run.gone":
      return [gone(state, message.id), []];
    case "run.chat":
      return [runs.opened?.id === message.id ? transcriptFed(state, message.message) : state, []];
    case "run.failed":
      return [runs.opened?.id === message.id ? withError(state, message.message) : state, []];
  }
}

/** What is looked at stays readable. */
function gone(state: State, id: string): State {
  const { runs } = state;
  const row = runs.all.get(id);
  if (row === undefined) return state;
  const all = new Map(runs.all);
  if (runs.opened?.id === id)
    all.set(id, { ...row, endedAt: row.endedAt ?? state.wall, state: sanitizeLine("ended"), waits: false });
  else all.delete(id);
  return { ...state, runs: withRuns(runs, all) };
}

function withError(state: State, error: string): State {
  const { opened } = state.runs;
  return opened === undefined
    ? state
    : { ...state, runs: { ...state.runs, opened: { ...opened, error: sanitizeLine(error) } } };
}

function called(state: State, answer: CallResult): Updated | undefined {
  const { to } = answer;
  if (to.startsWith(`${RUN_CHAT}chat.`))
    return [transcriptFed(state, { ...answer, to: to.slice(RUN_CHAT.length) }), []];
  if (to.startsWith("runs.info:")) {
    const id = to.slice("runs.info:".length);
    return [answer.ok ? withFacts(state, id, answer.result) : withError(state, answer.message), []];
  }
  if (to.startsWith("runs.stopped:")) return stopAnswered(state, answer);
  return to.startsWith("runs.comment:") ? commentAnswered(state, answer) : undefined;
}
