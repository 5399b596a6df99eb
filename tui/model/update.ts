import { PANE_DEFINITIONS } from "../index.gen.js";
import { act, input } from "./input.js";
import type { Effect, Message } from "./messages.js";
import { PANES } from "./panes.gen.js";
import { REDUCERS } from "./reducers.js";
import { type State, showMessage, type Updated } from "./state.js";

/** The next state and what is to be done. Pure: the same state and message always give the same. */
export function update(state: State, message: Message): Updated {
  const [next, effects] = updated(state, message);
  const observed = PANES.reduce((after, pane) => PANE_DEFINITIONS[pane].observe?.(state, after) ?? after, next);
  return [observed, effects];
}

function updated(state: State, message: Message): Updated {
  switch (message.type) {
    case "key":
    case "text":
    case "paste":
      return input(unselected(state), message);
    case "act":
      return act(state, message.action);
    case "say":
      return [showMessage(state, message.text, message.error), []];
    default:
      return throughReducers(common(state, message), message);
  }
}

/** An answer for what the help stands above goes there. */
function throughReducers([state, first]: Updated, message: Message): Updated {
  const { overlay, below } = state;
  if (below === undefined || overlay?.kind !== "help" || message.type !== "called")
    return throughAll([state, first], message);
  const [next, effects] = throughAll([{ ...state, overlay: below, below: undefined }, first], message);
  return [{ ...next, overlay, below: next.overlay }, effects];
}

function throughAll([state, first]: Updated, message: Message): Updated {
  let now = state;
  const effects: Effect[] = [...first];
  for (const reducer of REDUCERS) {
    const [next, more] = reducer(now, message) ?? [now, []];
    now = next;
    effects.push(...more);
  }
  return [now, effects];
}

/** What belongs to no part of the screen alone. */
function common(state: State, message: Message): Updated {
  switch (message.type) {
    case "resize":
      return [{ ...state, columns: message.columns, rows: message.rows }, []];
    case "tick":
      return [tick(state, message.now, message.wall), []];
    case "connection":
      return connection(state, message);
    case "role":
      return [showMessage({ ...state, owner: message.owner }, message.text), []];
    default:
      return [state, []];
  }
}

const unselected = (state: State): State =>
  state.terminal.selection === undefined ? state : { ...state, terminal: { ...state.terminal, selection: undefined } };

function connection(state: State, { state: now, notice }: Extract<Message, { type: "connection" }>): Updated {
  if (now === "lost") return [{ ...state, connection: now, lostAt: state.lostAt ?? state.now }, []];
  const next: State = { ...state, connection: now, lostAt: undefined };
  return [notice === undefined ? next : showMessage(next, notice, true), [{ do: "reload" }, { do: "attach" }]];
}

function tick(state: State, now: number, wall: number): State {
  const message = state.message && (state.message.error || state.message.until > now) ? state.message : undefined;
  const quitArmed = state.quitArmed !== undefined && state.quitArmed > now ? state.quitArmed : undefined;
  const suspendArmed = state.suspendArmed !== undefined && state.suspendArmed > now ? state.suspendArmed : undefined;
  return { ...state, now, wall, message, quitArmed, suspendArmed };
}
